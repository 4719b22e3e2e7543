"""Executions: by id, by node, by task, overdue, and how many run."""

import msgspec

from crawlmesh.model.execution import Allocation, Assignment, EndedBy, ExecutionStatus, RunningExecution
from crawlmesh.model.task import TaskResult
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.testing.conformance.control_store.case import (
    NOW,
    ControlStoreCase,
    add_tasks,
    changed,
    ended,
    make,
    new_execution,
    new_task,
    placed,
)


class Executions(ControlStoreCase):
    """Reading executions."""

    async def test_an_execution_is_read_as_it_was_written(self, store: ControlStore) -> None:
        """When it is new and when it has changed, every field."""
        await add_tasks(store, new_task())
        execution = new_execution(
            new_task(),
            deadline=NOW + 3600.5,
            allocation=Allocation(0.1, 512.0, 1.0),
            strategy="least_loaded",
            choice="it has the lowest load of 3",
            retry_count=2,
        )
        first = changed(new_task(), execution)
        await make(store, first)
        assert await store.task_executions("task-000001") == [execution]
        after = msgspec.structs.replace(
            execution,
            status=ExecutionStatus.FAILED,
            ended_by=EndedBy.ERROR,
            stop=EndedBy.PAUSED,
            start_time=NOW + 2,
            end_time=NOW + 5.25,
            deadline=None,
            result=TaskResult(success=False, error="no", data={"a": [1]}, timestamp=NOW),
            metrics={"pages_crawled": 5, "share": 0.1},
            retry_count=3,
        )
        await make(store, changed(first.task, after))
        assert await store.task_executions("task-000001") == [after]

    async def test_assignments_by_id(self, store: ControlStore) -> None:
        """Each with its task as it stands now; running or not; the unknown are left out."""
        await add_tasks(store, new_task(1), new_task(2))
        first, second = placed(new_task(1)), placed(new_task(2), number=2)
        over = ended(second)
        await make(store, first, second, over)
        found = await store.assignments(
            ["execution-000002", "nobody", "execution-000001", "execution-000002"]
        )
        assert sorted(found, key=lambda each: each.execution.id) == [
            Assignment(first.executions[0], first.task),
            Assignment(over.executions[0], over.task),
        ]
        assert await store.assignments([]) == []

    async def test_assignments_of_a_node(self, store: ControlStore) -> None:
        """Only running ones, oldest first."""
        tasks = [new_task(number) for number in range(1, 6)]
        await add_tasks(store, *tasks)
        changes = [
            placed(task, "node-002" if task is tasks[3] else "node-001", 9 - i)
            for i, task in enumerate(tasks)
        ]
        await make(store, *changes, ended(changes[1]))
        found = await store.node_assignments("node-001")
        assert found == [Assignment(changes[i].executions[0], changes[i].task) for i in (4, 2, 0)]
        assert await store.node_assignments("nobody") == []

    async def test_executions_of_a_node_in_short(self, store: ControlStore) -> None:
        """The same ones in the same order, with what they shall stop for."""
        tasks = [new_task(number) for number in range(1, 4)]
        await add_tasks(store, *tasks)
        changes = [placed(task, number=number) for number, task in enumerate(tasks, 1)]
        stopped = msgspec.structs.replace(changes[1].executions[0], stop=EndedBy.PAUSED)
        await make(store, *changes, ended(changes[0]), changed(changes[1].task, stopped))
        assert await store.node_executions("node-001") == [
            RunningExecution(stopped.id, EndedBy.PAUSED),
            RunningExecution(changes[2].executions[0].id),
        ]
        assert await store.node_executions("nobody") == []

    async def test_several_executions_of_one_task(self, store: ControlStore) -> None:
        """All of them, and the running ones, oldest first."""
        task = new_task(max_nodes=3, open_places=3)
        await add_tasks(store, task, new_task(2))
        for number in (1, 2, 3):
            change = changed(task, new_execution(task, f"node-{number:03}", number))
            await make(store, change)
            task = change.task
        executions = await store.task_executions(task.id)
        assert [execution.node_id for execution in executions] == ["node-001", "node-002", "node-003"]
        over = msgspec.structs.replace(executions[1], status=ExecutionStatus.COMPLETED)
        await make(store, changed(task, over), placed(new_task(2), number=4))
        running = await store.running_executions([task.id, "task-000002", "nobody", task.id])
        assert [execution.id[-1] for execution in running] == ["1", "3", "4"]
        assert [execution.id[-1] for execution in await store.running_executions([task.id])] == ["1", "3"]
        assert await store.running_executions([]) == []
        assert await store.task_executions("nobody") == []

    async def test_executions_of_a_node_page_by_page(self, store: ControlStore) -> None:
        """Newest first, from below an id on."""
        tasks = [new_task(number) for number in range(1, 8)]
        await add_tasks(store, *tasks)
        changes = [
            placed(task, "node-001" if number != 3 else "node-002", number)
            for number, task in enumerate(tasks)
        ]
        await make(store, *changes, ended(changes[0]))
        found: list[str] = []
        before = ""
        while page := await store.executions_of_node("node-001", 2, before):
            assert len(page) <= 2
            found += [execution.id[-1] for execution in page]
            before = page[-1].id
        assert found == ["6", "5", "4", "2", "1", "0"]
        assert await store.executions_of_node("nobody", 10) == []


class Deadlines(ControlStoreCase):
    """`overdue_executions`."""

    async def test_running_ones_whose_deadline_has_passed(self, store: ControlStore) -> None:
        """Longest overdue first."""
        tasks = [new_task(number) for number in range(1, 6)]
        await add_tasks(store, *tasks)
        deadlines = [NOW + 30, NOW + 10, NOW + 20, None, NOW + 5]
        changes = [placed(task, number=i, deadline=deadlines[i]) for i, task in enumerate(tasks)]
        await make(store, *changes, ended(changes[4]))
        assert await store.overdue_executions(NOW + 9, 10) == []
        found = await store.overdue_executions(NOW + 20, 10)
        assert found == [Assignment(changes[i].executions[0], changes[i].task) for i in (1, 2)]
        assert await store.overdue_executions(NOW + 99, 1) == found[:1]

    async def test_a_deadline_can_be_moved(self, store: ControlStore) -> None:
        """Then the new one counts."""
        await add_tasks(store, new_task())
        change = placed(new_task(), deadline=NOW + 10)
        await make(store, change)
        later = msgspec.structs.replace(change.executions[0], deadline=NOW + 50)
        await make(store, changed(change.task, later))
        assert await store.overdue_executions(NOW + 49, 10) == []
        assert [each.execution for each in await store.overdue_executions(NOW + 50, 10)] == [later]


class Loads(ControlStoreCase):
    """`node_loads`."""

    async def test_how_many_run_on_each_node(self, store: ControlStore) -> None:
        """Nodes without any are left out; a repeated write counts once."""
        assert await store.node_loads() == {}
        tasks = [new_task(number) for number in range(1, 5)]
        await add_tasks(store, *tasks)
        changes = [placed(task, "node-001" if i < 3 else "node-002", i) for i, task in enumerate(tasks)]
        await make(store, *changes)
        assert await store.node_loads() == {"node-001": 3, "node-002": 1}
        same = changed(changes[0].task, changes[0].executions[0])
        await make(store, same, ended(changes[3]))
        assert await store.node_loads() == {"node-001": 3}
        moved = changed(
            same.task,
            msgspec.structs.replace(same.executions[0], status=ExecutionStatus.FAILED),
            new_execution(same.task, "node-003", 9),
        )
        await make(store, moved)
        assert await store.node_loads() == {"node-001": 2, "node-003": 1}
