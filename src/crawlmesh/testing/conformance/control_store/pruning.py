"""`prune`: what is older than it must be kept goes, and nothing else."""

from crawlmesh.model.query import Retention, Submission
from crawlmesh.model.task import TaskStatus
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.testing.conformance.control_store.case import (
    NOW,
    ControlStoreCase,
    add_nodes,
    add_tasks,
    all_events,
    all_tasks,
    assert_counted,
    changed,
    ended,
    heartbeat,
    make,
    new_event,
    new_node,
    new_task,
    placed,
    snapshot,
)
from crawlmesh.testing.conformance.control_store.journal import new_line


class Pruning(ControlStoreCase):
    """Retention."""

    async def test_nothing_is_pruned_where_nothing_is_asked(self, store: ControlStore) -> None:
        """None keeps for ever."""
        await add_tasks(store, new_task(status=TaskStatus.COMPLETED, completed_at=1.0, open_places=0))
        await store.append_events([new_event(at=1.0)])
        before = await snapshot(store)
        assert await store.prune(Retention(), 100) == 0
        assert await snapshot(store) == before

    async def test_only_ended_tasks_go(self, store: ControlStore) -> None:
        """By the moment they ended."""
        tasks = [
            new_task(number, status=status, completed_at=NOW, open_places=0)
            for number, status in enumerate(TaskStatus)
        ]
        late = new_task(50, status=TaskStatus.COMPLETED, completed_at=NOW + 10, open_places=0)
        await add_tasks(store, *tasks, late)
        assert await store.prune(Retention(tasks=NOW), 100) == 0
        assert await store.prune(Retention(tasks=NOW + 10), 100) == 4
        left = await all_tasks(store, order="created_at")
        assert left == [task for task in [*tasks, late] if not task.ended or task is late]
        assert_counted(await snapshot(store))

    async def test_tasks_go_with_their_executions_and_logs(self, store: ControlStore) -> None:
        """Those of other tasks stay, and so do events."""
        await add_tasks(store, new_task(1), new_task(2))
        first, second = placed(new_task(1)), placed(new_task(2), number=2)
        await make(store, first, second, ended(first))
        await store.append_logs([new_line(1), new_line(2, "task-000002")])
        await store.append_events([new_event(task_id="task-000001")])
        assert await store.prune(Retention(tasks=NOW + 100), 100) == 1
        assert await store.tasks_by_id(["task-000001"]) == []
        assert await store.task_executions("task-000001") == []
        assert await store.assignments(["execution-000001"]) == []
        assert [each.id[-1] for each in await store.executions_of_node("node-001", 10)] == ["2"]
        assert await store.logs("task-000001") == []
        assert len(await store.logs("task-000002")) == 1
        assert len(await all_events(store)) == 1
        assert_counted(await snapshot(store))

    async def test_an_execution_that_still_runs_is_counted_out(self, store: ControlStore) -> None:
        """A task may be cancelled while its node works on."""
        await add_tasks(store, new_task(1), new_task(2))
        change = placed(new_task(1))
        await make(store, change, placed(new_task(2), number=2))
        await make(store, changed(change.task, status=TaskStatus.CANCELLED, completed_at=NOW))
        assert await store.node_loads() == {"node-001": 2}
        assert await store.prune(Retention(tasks=NOW + 1), 100) == 1
        assert await store.node_loads() == {"node-001": 1}
        assert len(await store.node_assignments("node-001")) == 1

    async def test_at_most_the_limit_of_each_kind(self, store: ControlStore) -> None:
        """Oldest first, and the next call goes on."""
        over = {"status": TaskStatus.FAILED, "open_places": 0}
        await add_tasks(store, *(new_task(number, completed_at=NOW + number, **over) for number in range(5)))
        await store.append_events([new_event(at=NOW + number) for number in range(5)])
        retention = Retention(tasks=NOW + 4, events=NOW + 4)
        assert [await store.prune(retention, 3) for _ in range(3)] == [6, 2, 0]
        assert [task.id for task in await all_tasks(store)] == ["task-000004"]
        assert [event.at for event in await all_events(store)] == [NOW + 4]

    async def test_events_heartbeats_and_lines_by_their_moment(self, store: ControlStore) -> None:
        """Each kind by its own."""
        await add_nodes(store, new_node(1), new_node(2))
        await store.append_events([new_event(at=NOW + number % 4) for number in range(8)])
        await store.record_heartbeats([heartbeat(number % 2 + 1, NOW + number) for number in range(8)])
        await store.append_logs([new_line(7 * number) for number in range(8)])
        assert await store.prune(Retention(events=NOW + 2), 100) == 4
        assert [event.at for event in await all_events(store)] == [NOW + 2, NOW + 3] * 2
        assert await store.prune(Retention(heartbeats=NOW + 3), 100) == 3
        history = [
            each.at for number in (1, 2) for each in await store.heartbeat_history(f"node-00{number}", 0, 9)
        ]
        assert history == [NOW + number for number in (4, 6, 3, 5, 7)]
        assert await store.prune(Retention(logs=NOW + 6), 100) == 6
        assert [line.at for line in await store.logs("task-000001")] == [NOW + 6, NOW + 7]

    async def test_idempotency_keys_by_the_end_of_their_life(self, store: ControlStore) -> None:
        """The tasks stay."""
        for number, life in ((1, 10.0), (2, 20.0)):
            submission = Submission(task=new_task(number), idempotency_key=f"key-{number}", key_life=life)
            await store.submit([submission], NOW)
        assert await store.prune(Retention(idempotency_keys=NOW + 15), 100) == 1
        assert len(await all_tasks(store)) == 2
        again = [Submission(task=new_task(number + 2), idempotency_key=f"key-{number}") for number in (1, 2)]
        assert [task.id[-1] for task in await store.submit(again, NOW + 1)] == ["3", "2"]

    async def test_keys_of_a_task_that_is_gone_are_free(self, store: ControlStore) -> None:
        """And so is its dedup key."""
        over = {"status": TaskStatus.COMPLETED, "completed_at": NOW, "open_places": 0}
        old = Submission(task=new_task(1, dedup_key="url", **over), idempotency_key="key", body_hash="old")
        await store.submit([old], NOW)
        assert await store.prune(Retention(tasks=NOW + 1), 100) == 1
        new = Submission(task=new_task(2, dedup_key="url"), idempotency_key="key", body_hash="new")
        assert await store.submit([new], NOW + 1) == [new.task]
        assert await store.submit([new], NOW + 1) == [new.task]
