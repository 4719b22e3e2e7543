"""`submit`: new tasks, and those that were submitted before."""

import msgspec
import pytest

from crawlmesh.errors import IdempotencyError
from crawlmesh.model.event import EventType
from crawlmesh.model.query import Submission
from crawlmesh.model.task import TaskResult, TaskStatus
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.testing.conformance.control_store.case import (
    NOW,
    ControlStoreCase,
    add_tasks,
    all_events,
    all_tasks,
    changed,
    make,
    new_event,
    new_task,
    snapshot,
    the_task,
)


def _with_key(number: int, key: str, body: str = "same", key_life: float = 60.0) -> Submission:
    return Submission(task=new_task(number), idempotency_key=key, body_hash=body, key_life=key_life)


class Submitting(ControlStoreCase):
    """New tasks."""

    async def test_whole_numbers_stay_whole(self, store: ControlStore) -> None:
        """1 is not read as 1.0."""
        task = new_task(min_resources={"cpu_cores": 1, "share": 2.5}, capabilities={"level": 2, "part": 0.5})
        await add_tasks(store, task)
        read = await the_task(store)
        numbers = [*read.min_resources.values(), *read.capabilities.values()]
        assert [(type(number), number) for number in numbers] == [
            (int, 1),
            (float, 2.5),
            (int, 2),
            (float, 0.5),
        ]

    async def test_a_task_is_read_as_it_was_submitted(self, store: ControlStore) -> None:
        """Every field, to the last digit."""
        task = new_task(
            parameters={"url": "https://example.com/ü?a=1", "depth": 3, "share": 0.1, "nothing": None},
            project_id="project",
            workflow_id="workflow",
            cluster_id="cluster",
            priority=9,
            min_resources={"cpu_cores": 0.30000000000000004},
            capabilities={"javascript_rendering": True, "languages": ["en", "zh"], "level": 2},
            schedule_strategy="weighted",
            target_region="eu",
            content_features={"kind": "news"},
            node_type="gpu",
            categories=("a", "b"),
            max_retries=7,
            timeout=12.5,
            max_nodes=4,
            dedup_key="once",
            reason="because 'quoted' \"twice\"",
            open_places=4,
            not_before=1_700_000_000.1234567,
            assigned_node="node-001",
            assigned_at=NOW + 0.1,
            started_at=NOW + 0.2,
            completed_at=NOW + 0.3,
            result=TaskResult(success=True, data={"list": [1, {"x": "y"}]}, metrics={"pages_crawled": 3}),
            retry_count=2,
            losses=1,
        )
        await add_tasks(store, task)
        assert await the_task(store) == task
        assert await all_tasks(store) == [task]

    async def test_moments_come_back_to_the_last_bit(self, store: ControlStore) -> None:
        """Otherwise pages would skip or repeat rows."""
        tasks = [
            new_task(number, created_at=NOW + number / 7, updated_at=number / 3e9) for number in range(300)
        ]
        await add_tasks(store, *tasks)
        assert await all_tasks(store, order="created_at") == tasks

    async def test_answers_come_in_the_order_of_submissions(self, store: ControlStore) -> None:
        """Also for many at once."""
        await add_tasks(store, *(new_task(number) for number in (5, 3, 9, *range(100, 900))))

    async def test_nothing_may_be_submitted(self, store: ControlStore) -> None:
        """Nothing comes of it."""
        assert await store.submit([], NOW) == []

    async def test_events_are_told_with_new_tasks(self, store: ControlStore) -> None:
        """In the order of submissions."""
        submissions = [
            Submission(
                task=new_task(number), events=(new_event(task_id=f"task-{number:06}", at=NOW + number),)
            )
            for number in (2, 1)
        ]
        await store.submit(submissions, NOW)
        events = await all_events(store)
        assert [event.task_id for event in events] == ["task-000002", "task-000001"]
        assert [event.at for event in events] == [NOW + 2, NOW + 1]

    async def test_an_id_that_is_there_already_is_a_repetition(self, store: ControlStore) -> None:
        """The stored task is the answer."""
        await add_tasks(store, new_task())
        again = Submission(task=new_task(priority=9), events=(new_event(),))
        assert await store.submit([again, again], NOW) == [new_task()] * 2
        assert await all_events(store) == []


class Idempotency(ControlStoreCase):
    """Idempotency keys."""

    async def test_the_same_key_brings_the_same_task(self, store: ControlStore) -> None:
        """Without a second task and without a second event."""
        first = msgspec.structs.replace(_with_key(1, "key"), events=(new_event(),))
        second = msgspec.structs.replace(_with_key(2, "key"), events=(new_event(),))
        assert await store.submit([first], NOW) == [new_task(1)]
        assert await store.submit([second], NOW + 1) == [new_task(1)]
        assert await all_tasks(store) == [new_task(1)]
        assert len(await all_events(store)) == 1

    async def test_the_answer_is_the_task_as_it_stands_now(self, store: ControlStore) -> None:
        """Not as it was submitted."""
        await store.submit([_with_key(1, "key")], NOW)
        await make(store, changed(new_task(1), priority=10))
        (task,) = await store.submit([_with_key(2, "key")], NOW)
        assert task == await the_task(store)
        assert task.priority == 10

    async def test_another_body_is_refused_and_nothing_is_stored(self, store: ControlStore) -> None:
        """Of the whole call."""
        await store.submit([_with_key(1, "key")], NOW)
        before = await snapshot(store)
        fresh = Submission(task=new_task(3), events=(new_event(),), idempotency_key="fresh")
        with pytest.raises(IdempotencyError):
            await store.submit([fresh, _with_key(2, "key", "other")], NOW)
        assert await snapshot(store) == before
        assert await store.submit([_with_key(4, "fresh", "another body")], NOW) == [new_task(4)]

    async def test_a_key_twice_in_one_call(self, store: ControlStore) -> None:
        """The second repeats the first, or is refused with it."""
        assert await store.submit([_with_key(1, "key"), _with_key(2, "key")], NOW) == [new_task(1)] * 2
        with pytest.raises(IdempotencyError):
            await store.submit([_with_key(3, "new", "a"), _with_key(4, "new", "b")], NOW)
        assert await all_tasks(store) == [new_task(1)]

    async def test_a_key_lives_as_long_as_it_says(self, store: ControlStore) -> None:
        """Then it may be used for something else."""
        await store.submit([_with_key(1, "key", key_life=10.0)], NOW)
        assert await store.submit([_with_key(2, "key")], NOW + 9.9) == [new_task(1)]
        assert await store.submit([_with_key(3, "key", "other")], NOW + 10.0) == [new_task(3)]
        assert await store.submit([_with_key(4, "key", "other")], NOW + 11.0) == [new_task(3)]


class Deduplication(ControlStoreCase):
    """Dedup keys (T10)."""

    async def test_the_same_dedup_key_brings_the_same_task(self, store: ControlStore) -> None:
        """In one call and in two; tasks without one are never the same."""
        first, second = (Submission(task=new_task(number, dedup_key="url")) for number in (1, 2))
        assert await store.submit([first, second], NOW) == [first.task] * 2
        assert await store.submit([second], NOW) == [first.task]
        other = Submission(task=new_task(3, dedup_key="other url"))
        assert await store.submit([other], NOW) == [other.task]
        await add_tasks(store, new_task(4), new_task(5))

    @pytest.mark.parametrize("status", list(TaskStatus))
    async def test_which_tasks_are_repeated(self, store: ControlStore, status: TaskStatus) -> None:
        """All but failed, timed out and cancelled ones."""
        await add_tasks(store, new_task(1, dedup_key="url"))
        await make(store, changed(new_task(1, dedup_key="url"), status=status))
        (task,) = await store.submit([Submission(task=new_task(2, dedup_key="url"))], NOW)
        gone = status in (TaskStatus.FAILED, TaskStatus.TIMEOUT, TaskStatus.CANCELLED)
        assert task.id == ("task-000002" if gone else "task-000001")

    async def test_one_that_runs_again_is_repeated_again(self, store: ControlStore) -> None:
        """Though another was submitted meanwhile, and failed."""
        old, new = new_task(1, dedup_key="url"), new_task(2, dedup_key="url")
        await add_tasks(store, old)
        failed = changed(old, status=TaskStatus.FAILED)
        await make(store, failed)
        await add_tasks(store, new)
        await make(
            store, changed(failed.task, status=TaskStatus.PENDING), changed(new, status=TaskStatus.FAILED)
        )
        (task,) = await store.submit([Submission(task=new_task(3, dedup_key="url"))], NOW)
        assert task.id == "task-000001"

    async def test_an_idempotency_key_is_kept_for_a_repetition_too(self, store: ControlStore) -> None:
        """It goes on to bring the task that it brought first."""
        old = new_task(1, dedup_key="url")
        await add_tasks(store, old)
        submission = Submission(task=new_task(2, dedup_key="url"), idempotency_key="key")
        assert await store.submit([submission], NOW) == [old]
        await make(store, changed(old, status=TaskStatus.FAILED))
        assert [task.id for task in await store.submit([submission], NOW)] == [old.id]

    async def test_events_of_repetitions_are_not_told(self, store: ControlStore) -> None:
        """Only those of the task that is new."""
        told = new_event(EventType.TASK_CREATED, task_id="task-000001")
        await store.submit(
            [
                Submission(task=new_task(1, dedup_key="url"), events=(told,)),
                Submission(task=new_task(2, dedup_key="url"), events=(new_event(),)),
            ],
            NOW,
        )
        assert [event.task_id for event in await all_events(store)] == ["task-000001"]
