"""Queues of tasks with open places, and tasks that wait for their time."""

import msgspec

from crawlmesh.model.task import TaskStatus
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.testing.conformance.control_store.case import (
    NOW,
    ControlStoreCase,
    add_tasks,
    assert_counted,
    changed,
    make,
    new_task,
    placed,
    snapshot,
)


async def open_ids(
    store: ControlStore, limit: int = 100, queue: str = "plain", **fields: list[str]
) -> list[str]:
    """The ids of open tasks, as numbers."""
    return [str(int(task.id[5:])) for task in await store.open_tasks(queue, limit, **fields)]


class Queues(ControlStoreCase):
    """`queue_heads` and `open_tasks`."""

    async def test_an_empty_store_has_no_queues(self, store: ControlStore) -> None:
        """And no tasks in them."""
        assert await store.queue_heads() == []
        assert await store.open_tasks("plain", 10) == []

    async def test_each_queue_with_its_number_and_a_sample(self, store: ControlStore) -> None:
        """Tasks without open places do not count."""
        await add_tasks(
            store,
            new_task(1),
            new_task(2),
            new_task(3, open_places=0),
            new_task(4, queue="gpu", open_places=5),
            new_task(5, queue="full", open_places=0),
        )
        heads = {head.queue: head for head in await store.queue_heads()}
        assert {queue: head.tasks for queue, head in heads.items()} == {"plain": 2, "gpu": 1}
        assert all(head.sample.queue == queue and head.sample.open_places for queue, head in heads.items())

    async def test_highest_priority_first_then_oldest(self, store: ControlStore) -> None:
        """Ties are broken by the id."""
        await add_tasks(
            store,
            new_task(1, priority=5),
            new_task(2, priority=10, created_at=NOW + 9),
            new_task(3, priority=10, created_at=NOW + 8),
            new_task(4, priority=1, created_at=NOW),
            new_task(6, priority=5, created_at=NOW + 1),
            new_task(5, priority=5, created_at=NOW + 1),
            new_task(7, priority=10, queue="other"),
        )
        assert await open_ids(store) == ["3", "2", "1", "5", "6", "4"]
        assert await open_ids(store, 2) == ["3", "2"]
        assert await open_ids(store, queue="other") == ["7"]

    async def test_skipped_ids_are_left_out(self, store: ControlStore) -> None:
        """Unknown ones among them do no harm."""
        await add_tasks(store, *(new_task(number) for number in range(1, 6)))
        assert await open_ids(store, 2, skip=["task-000001", "task-000003", "x"]) == ["2", "4"]

    async def test_tasks_leave_and_come_back_to_their_place(self, store: ControlStore) -> None:
        """Their age counts, not the moment of their return."""
        await add_tasks(store, *(new_task(number) for number in range(1, 4)))
        first, second = placed(new_task(1)), placed(new_task(2), number=2)
        await make(store, first, second)
        assert await open_ids(store) == ["3"]
        await make(store, changed(first.task, status=TaskStatus.PENDING, open_places=1))
        assert await open_ids(store) == ["1", "3"]
        assert_counted(await snapshot(store))

    async def test_a_change_of_priority_moves_a_task(self, store: ControlStore) -> None:
        """And a change of the queue takes it to another."""
        await add_tasks(store, *(new_task(number) for number in range(1, 4)))
        raised = changed(new_task(3), priority=9)
        await make(store, raised)
        assert await open_ids(store) == ["3", "1", "2"]
        await make(store, changed(raised.task, queue="other", open_places=2))
        assert (await open_ids(store), await open_ids(store, queue="other")) == (["1", "2"], ["3"])
        assert_counted(await snapshot(store))

    async def test_a_task_stays_while_it_has_open_places(self, store: ControlStore) -> None:
        """Whatever its status."""
        task = new_task(open_places=3, max_nodes=3)
        await add_tasks(store, task)
        for places in (2, 1, 0):
            change = changed(task, status=TaskStatus.PROCESSING, open_places=places)
            await make(store, change)
            task = change.task
            assert await open_ids(store) == (["1"] if places else [])
        assert await store.queue_heads() == []


class Waiting(ControlStoreCase):
    """`due_tasks`."""

    async def test_tasks_are_due_when_their_moment_has_come(self, store: ControlStore) -> None:
        """Longest due first, and only those that wait."""
        waits = {"status": TaskStatus.WAITING, "open_places": 0}
        await add_tasks(
            store,
            new_task(1, not_before=NOW + 10, **waits),
            new_task(2, not_before=NOW + 5, **waits),
            new_task(3, not_before=NOW + 20, **waits),
            new_task(4, not_before=NOW),
            new_task(5, not_before=NOW + 5, **waits),
        )
        assert await store.due_tasks(NOW + 4.9, 10) == []
        assert [task.id for task in await store.due_tasks(NOW + 10, 10)] == [
            "task-000002",
            "task-000005",
            "task-000001",
        ]
        assert [task.id for task in await store.due_tasks(NOW + 99, 1)] == ["task-000002"]

    async def test_a_woken_task_is_no_longer_due(self, store: ControlStore) -> None:
        """And one that waits longer is due later."""
        task = new_task(status=TaskStatus.WAITING, open_places=0, not_before=NOW)
        await add_tasks(store, task)
        later = changed(task, not_before=NOW + 9)
        await make(store, later)
        assert await store.due_tasks(NOW + 8, 10) == []
        assert await store.due_tasks(NOW + 9, 10) == [later.task]
        await make(store, changed(later.task, status=TaskStatus.PENDING, open_places=1))
        assert await store.due_tasks(NOW + 99, 10) == []


class TaskCounting(ControlStoreCase):
    """`count_tasks`."""

    async def test_tasks_are_counted_by_status(self, store: ControlStore) -> None:
        """As they come and change."""
        assert not any((await store.count_tasks()).by_status.values())
        statuses = [*TaskStatus, TaskStatus.FAILED]
        tasks = [new_task(number, status=status) for number, status in enumerate(statuses)]
        await add_tasks(store, *tasks)
        expected = {status.value: statuses.count(status) for status in TaskStatus}
        assert (await store.count_tasks()).by_status == expected
        failed = [changed(task, status=TaskStatus.FAILED) for task in tasks]
        assert all(await store.change_tasks(failed))
        refused = [msgspec.structs.replace(failed[0], task=new_task(0, fence=9))]
        assert await store.change_tasks(refused) == [False]
        counts = (await store.count_tasks()).by_status
        assert {status: number for status, number in counts.items() if number} == {"failed": len(tasks)}
