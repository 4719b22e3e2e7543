"""`change_tasks`: compare-and-set, and what comes with a change."""

import msgspec
import pytest

from crawlmesh.errors import NotLeaderError
from crawlmesh.model.change import TaskChange
from crawlmesh.model.event import EventType
from crawlmesh.model.execution import ExecutionStatus
from crawlmesh.model.task import TaskResult, TaskStatus
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.testing.conformance.control_store.case import (
    NOW,
    ControlStoreCase,
    add_tasks,
    all_events,
    assert_counted,
    changed,
    ended,
    make,
    new_event,
    new_execution,
    new_task,
    placed,
    snapshot,
    the_task,
)


class Changing(ControlStoreCase):
    """Changes of tasks."""

    async def test_a_change_is_taken_where_its_fence_follows(self, store: ControlStore) -> None:
        """With everything that changes together."""
        await add_tasks(store, new_task())
        change = changed(
            new_task(),
            new_execution(new_task()),
            events=[new_event(EventType.TASK_ASSIGNED, task_id="task-000001", node_id="node-001")],
            status=TaskStatus.PROCESSING,
            reason="so it is",
            priority=8,
            queue="another",
            open_places=3,
            updated_at=NOW + 5.5,
            not_before=NOW + 6,
            assigned_node="node-001",
            assigned_at=NOW + 1.25,
            started_at=NOW + 2.5,
            completed_at=NOW + 3.75,
            result=TaskResult(success=False, error="broken", metrics={"pages_crawled": 1}, timestamp=NOW),
            retry_count=2,
            losses=3,
        )
        assert await store.change_tasks([change]) == [True]
        assert await the_task(store) == change.task
        assert await store.task_executions("task-000001") == list(change.executions)
        (event,) = await all_events(store)
        assert (event.type, event.task_id, event.node_id) == (
            EventType.TASK_ASSIGNED,
            "task-000001",
            "node-001",
        )

    @pytest.mark.parametrize("fence", [-1, 0, 1, 2, 4, 100])
    async def test_a_refused_change_leaves_no_trace(self, store: ControlStore, fence: int) -> None:
        """Neither of the task, nor of executions, events and counters."""
        await add_tasks(store, new_task())
        first = placed(new_task())
        await make(store, first)
        before = await snapshot(store)
        task = msgspec.structs.replace(first.task, fence=fence, status=TaskStatus.COMPLETED, open_places=1)
        over = msgspec.structs.replace(first.executions[0], status=ExecutionStatus.FAILED)
        new = new_execution(first.task, "node-009", 9)
        change = TaskChange(task=task, executions=(over, new), events=(new_event(),))
        assert await store.change_tasks([change]) == [False]
        assert await snapshot(store) == before

    async def test_a_task_with_the_fence_one_is_new(self, store: ControlStore) -> None:
        """And refused where it is known; other fences need a task that is known."""
        new = TaskChange(task=new_task(), events=(new_event(),))
        later = TaskChange(task=new_task(2, fence=2))
        assert await store.change_tasks([new, later]) == [True, False]
        assert await store.change_tasks([new]) == [False]
        assert await store.tasks_by_id(["task-000001", "task-000002"]) == [new_task()]
        assert len(await all_events(store)) == 1
        assert_counted(await snapshot(store))

    async def test_each_change_stands_for_itself(self, store: ControlStore) -> None:
        """Refused ones between others, and several of one task."""
        await add_tasks(store, new_task(1), new_task(2))
        first = placed(new_task(1))
        again = changed(new_task(1), status=TaskStatus.CANCELLED)
        end = ended(first)
        other = placed(new_task(2), number=2)
        once_more = ended(end)
        assert await store.change_tasks([first, again, end, other]) == [True, False, True, True]
        assert await store.change_tasks([again, once_more]) == [False, True]
        assert (await the_task(store)).fence == 4
        assert await store.node_loads() == {"node-001": 1}
        assert_counted(await snapshot(store))

    async def test_many_changes_at_once(self, store: ControlStore) -> None:
        """Each with an execution and an event, told in the order of changes."""
        tasks = [new_task(number) for number in range(1, 701)]
        await add_tasks(store, *tasks)
        changes = [placed(task, f"node-{index % 7:03}", index) for index, task in enumerate(tasks)]
        told = [
            msgspec.structs.replace(change, events=(new_event(task_id=change.task.id),)) for change in changes
        ]
        await make(store, *told)
        assert [event.task_id for event in await all_events(store)] == [task.id for task in tasks]
        assert_counted(await snapshot(store))
        await make(store, *(ended(change) for change in changes))
        found = await snapshot(store)
        assert_counted(found)
        assert found.by_status == {"completed": 700}
        assert found.loads == {}

    async def test_of_two_who_change_the_same_only_one_wins(self, store: ControlStore) -> None:
        """Whoever comes second has not seen what is there."""
        await add_tasks(store, new_task())
        rivals = [placed(new_task(), f"node-{number:03}", number) for number in range(8)]
        assert await store.change_tasks(rivals[:4]) == [True, False, False, False]
        assert await store.change_tasks(rivals[4:]) == [False] * 4
        assert len(await store.task_executions("task-000001")) == 1

    async def test_changing_nothing_is_fine(self, store: ControlStore) -> None:
        """Nothing comes of it."""
        assert await store.change_tasks([]) == []

    async def test_tasks_by_id_leaves_out_the_unknown(self, store: ControlStore) -> None:
        """And gives each only once."""
        await add_tasks(store, new_task(1), new_task(2))
        found = await store.tasks_by_id(["task-000002", "nobody", "task-000001", "task-000002"])
        assert sorted(task.id for task in found) == ["task-000001", "task-000002"]
        assert await store.tasks_by_id([]) == []


class LeaderFence(ControlStoreCase):
    """Calls that name a leader's fence."""

    async def test_who_leads_may_change(self, store: ControlStore) -> None:
        """Until the lead runs out."""
        lead = await store.lead("a", 10.0, NOW)
        assert lead is not None
        await add_tasks(store, new_task())
        assert await store.change_tasks([placed(new_task())], leader_fence=lead.fence, now=NOW + 9.9) == [
            True
        ]

    @pytest.mark.parametrize(
        "case", ["nobody leads", "another leads", "it ran out", "resigned", "taken again"]
    )
    async def test_who_does_not_lead_changes_nothing(self, store: ControlStore, case: str) -> None:
        """And is told so."""
        await add_tasks(store, new_task())
        if case != "nobody leads":
            await store.lead("a", 10.0, NOW)
        if case == "another leads":
            await store.lead("b", 10.0, NOW + 20)
        elif case == "resigned":
            await store.resign("a")
        elif case == "taken again":
            await store.lead("a", 10.0, NOW + 20)
        now = NOW + (
            10.0 if case == "it ran out" else 20.0 if case in ("another leads", "taken again") else 1.0
        )
        before = await snapshot(store)
        with pytest.raises(NotLeaderError):
            await store.change_tasks([placed(new_task())], leader_fence=1, now=now)
        with pytest.raises(NotLeaderError):
            await store.change_tasks([], leader_fence=1, now=now)
        assert await snapshot(store) == before
