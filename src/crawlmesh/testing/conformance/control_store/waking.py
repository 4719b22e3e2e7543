"""`mark` and `wait`: nobody misses what was told."""

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from crawlmesh.model.query import Submission
from crawlmesh.model.task import TaskStatus
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.testing.conformance.control_store.case import (
    NOW,
    ControlStoreCase,
    add_nodes,
    add_tasks,
    changed,
    changed_node,
    ended,
    heartbeat,
    make,
    new_event,
    new_node,
    new_task,
    placed,
)
from crawlmesh.testing.conformance.control_store.journal import new_line

LONG = 60.0  # seconds: a test that has to wait for it fails by its own time-out

Tell = Callable[[ControlStore], Awaitable[object]]


async def _end_one(store: ControlStore) -> None:
    change = placed(new_task(1))
    await make(store, change)
    await make(store, ended(change))


async def _change_node(store: ControlStore) -> None:
    node = await store.node("node-001")
    assert node is not None
    assert await store.change_nodes([changed_node(node)]) == [True]


async def _place_one(store: ControlStore) -> None:
    await make(store, placed(new_task(1)))


async def _reopen_one(store: ControlStore) -> None:
    await make(store, changed(new_task(3, open_places=0), open_places=1, status=TaskStatus.PENDING))


async def _say_something(store: ControlStore) -> None:
    await store.record_heartbeats([heartbeat()], [new_event()])


TOLD: dict[str, tuple[str, Tell]] = {
    "a new task": ("tasks", lambda store: add_tasks(store, new_task(2))),
    "a task that opens again": ("tasks", _reopen_one),
    "an execution that ended": ("tasks", _end_one),
    "an event": ("events", lambda store: store.append_events([new_event()])),
    "an event with a submission": (
        "events",
        lambda store: store.submit([Submission(task=new_task(2), events=(new_event(),))], NOW),
    ),
    "an event with a change": (
        "events",
        lambda store: store.change_tasks([changed(new_task(1), events=[new_event()])]),
    ),
    "an event with a heartbeat": ("events", _say_something),
    "an event with a node that goes": ("events", lambda store: store.delete_node("node-001", [new_event()])),
    "a line": ("logs:task-000001", lambda store: store.append_logs([new_line(1)])),
    "a new execution": ("node:node-001", _place_one),
    "an execution that changed": ("node:node-001", _end_one),
    "a node that changed": ("node:node-001", _change_node),
}


class Waking(ControlStoreCase):
    """What wakes whom."""

    @pytest.fixture
    def told(self, request: pytest.FixtureRequest) -> tuple[str, Tell]:
        """A topic, and what is told under it."""
        return TOLD[request.param]

    async def _fill(self, store: ControlStore) -> None:
        await add_tasks(store, new_task(1), new_task(3, open_places=0))
        await add_nodes(store, new_node())

    @pytest.mark.parametrize("told", TOLD, indirect=True)
    async def test_who_waits_is_woken(self, store: ControlStore, told: tuple[str, Tell]) -> None:
        """Several at once, and each other topic of the same call too."""
        topic, tell = told
        await self._fill(store)
        seen = store.mark(topic)
        waiting = [asyncio.create_task(store.wait(topic, seen, LONG)) for _ in range(3)]
        await asyncio.sleep(0)
        await tell(store)
        assert all(mark > seen for mark in await asyncio.gather(*waiting))

    @pytest.mark.parametrize("told", TOLD, indirect=True)
    async def test_what_was_told_before_waiting_is_not_missed(
        self, store: ControlStore, told: tuple[str, Tell]
    ) -> None:
        """The mark was taken before it was told."""
        topic, tell = told
        await self._fill(store)
        seen = store.mark(topic)
        await tell(store)
        assert await store.wait(topic, seen, LONG) > seen

    async def test_the_time_out_ends_the_waiting(self, store: ControlStore) -> None:
        """With the mark as it was."""
        assert await store.wait("nothing", store.mark("nothing"), 0.001) == store.mark("nothing")
        assert await store.wait("nothing", store.mark("nothing"), 0.0) == store.mark("nothing")

    async def test_other_topics_do_not_wake(self, store: ControlStore) -> None:
        """Where only this process uses the store."""
        if store.shared:
            pytest.skip("a shared store may wake for nothing")
        await self._fill(store)
        seen = {topic: store.mark(topic) for topic in ("logs:other", "node:other", "logs:task-000001")}
        await make(store, placed(new_task(1)))
        await store.append_events([new_event()])
        assert {topic: store.mark(topic) for topic in seen} == seen

    async def test_refused_changes_and_closed_tasks_tell_nothing(self, store: ControlStore) -> None:
        """Nothing has happened that anybody waits for."""
        if store.shared:
            pytest.skip("a shared store may wake for nothing")
        await self._fill(store)
        topics = ("tasks", "events", "node:node-001")
        seen = [store.mark(topic) for topic in topics]
        stale = changed(placed(new_task(1)).task, events=[new_event()], open_places=5)
        assert await store.change_tasks([stale]) == [False]
        await add_tasks(store, new_task(7, open_places=0))
        await store.append_events([])
        assert [store.mark(topic) for topic in topics] == seen

    async def test_one_who_gives_up_does_not_keep_others_from_waking(self, store: ControlStore) -> None:
        """Cancelling a wait is fine."""
        seen = store.mark("events")
        first, second = (asyncio.create_task(store.wait("events", seen, LONG)) for _ in range(2))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        await store.append_events([new_event()])
        assert await second > seen

    async def test_a_caller_who_was_cancelled_has_told_all_the_same(self, store: ControlStore) -> None:
        """Where its event was stored, it was told, though nobody was left to hear the answer."""
        seen = store.mark("events")
        telling = asyncio.create_task(store.append_events([new_event()]))
        await asyncio.sleep(0)
        telling.cancel()
        await asyncio.gather(telling, return_exceptions=True)
        await store.append_logs([new_line(1)])  # under another topic, and after it
        if await store.last_event_id():
            assert await store.wait("events", seen, LONG) > seen

    async def test_no_wake_up_is_lost_under_load(self, store: ControlStore) -> None:
        """A reader that checks, waits and checks again comes to the end."""
        total = 60

        async def consume() -> int:
            while True:
                seen = store.mark("events")
                last = await store.last_event_id()
                if last >= total:
                    return last
                await store.wait("events", seen, LONG)

        consumers = [asyncio.create_task(consume()) for _ in range(4)]
        for _ in range(total // 2):
            await store.append_events([new_event()])
            await asyncio.sleep(0)
        await asyncio.gather(*(store.append_events([new_event()]) for _ in range(total // 2)))
        assert await asyncio.gather(*consumers) == [total] * 4
