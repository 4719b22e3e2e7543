"""Events and lines of logs."""

import asyncio
from typing import Any

import msgspec

from crawlmesh.model.event import Event, EventType
from crawlmesh.model.log_line import LogLine
from crawlmesh.model.query import EventQuery, Retention
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.testing.conformance.control_store.case import NOW, ControlStoreCase, all_events, new_event


def new_line(number: int, task_id: str = "task-000001", execution_id: str = "execution-000001") -> LogLine:
    """A line of a log."""
    return LogLine(
        task_id=task_id,
        execution_id=execution_id,
        at=NOW + number / 7,
        level="INFO",
        message=f'line {number}: it\'s "quoted", ü and\nmore',
        node_id="node-001",
    )


async def read_on(store: ControlStore, after: int = 0) -> list[Event]:
    """All events above an id, two at a time."""
    found: list[Event] = []
    while page := await store.events(EventQuery(after=after, limit=2)):
        found += page
        after = page[-1].id
    return found


class Events(ControlStoreCase):
    """`append_events`, `events` and `last_event_id`."""

    async def test_events_are_read_as_they_were_told(self, store: ControlStore) -> None:
        """With the id that the store gave."""
        event = new_event(
            EventType.TASK_FAILED, NOW + 0.1, data={"a": [0.1, None]}, task_id="task-1", node_id="node-1"
        )
        await store.append_events([event])
        (found,) = await all_events(store)
        assert found.id > 0
        assert found == msgspec.structs.replace(event, id=found.id)

    async def test_ids_only_grow(self, store: ControlStore) -> None:
        """In the order of telling, within calls and between them."""
        assert await store.last_event_id() == 0
        for size in (3, 0, 1, 200):
            await store.append_events([new_event(at=NOW - number) for number in range(size)])
        ids = [event.id for event in await all_events(store)]
        assert ids == sorted(set(ids))
        assert len(ids) == 204
        assert await store.last_event_id() == ids[-1]
        assert [event.id for event in await read_on(store)] == ids
        assert [event.id for event in await read_on(store, ids[100])] == ids[101:]

    async def test_ids_grow_though_all_events_are_gone(self, store: ControlStore) -> None:
        """A listener's last id must not come again."""
        await store.append_events([new_event()] * 3)
        last = await store.last_event_id()
        assert await store.prune(Retention(events=NOW + 1), 100) == 3
        assert await all_events(store) == []
        assert await store.last_event_id() == last
        await store.append_events([new_event()])
        assert (await all_events(store))[0].id > last

    async def test_conditions_on_events(self, store: ControlStore) -> None:
        """All must hold."""
        types = list(EventType)
        await store.append_events(
            [
                new_event(
                    types[number % len(types)],
                    task_id=f"task-{number % 4}" if number % 3 else None,
                    node_id=f"node-{number % 5}" if number % 2 else None,
                )
                for number in range(120)
            ]
        )
        told = await all_events(store)
        queries: list[dict[str, Any]] = [
            {"types": (types[3],)},
            {"types": (types[3], types[5]), "task_id": "task-1"},
            {"task_id": "task-2"},
            {"node_id": "node-3", "after": told[50].id},
            {"node_id": "node-3", "task_id": "task-1"},
            {"task_id": "nobody"},
            {"before": told[30].id},
            {"before": told[90].id, "after": told[20].id, "task_id": "task-1"},
            {"before": told[10].id, "after": told[20].id},
            {"before": 0},
        ]
        for query in queries:
            expected = [
                event
                for event in told
                if event.type in query.get("types", types)
                and query.get("task_id", event.task_id) == event.task_id
                and query.get("node_id", event.node_id) == event.node_id
                and query.get("after", 0) < event.id < query.get("before", event.id + 1)
            ]
            assert await store.events(EventQuery(**query)) == expected
            assert await store.events(EventQuery(**query, limit=2)) == expected[:2]
            newest = expected[::-1]
            assert await store.events(EventQuery(**query, newest_first=True)) == newest
            assert await store.events(EventQuery(**query, newest_first=True, limit=2)) == newest[:2]

    async def test_a_reader_misses_nothing_while_others_tell(self, store: ControlStore) -> None:
        """It goes on from the highest id it has seen."""

        async def tell(number: int) -> None:
            for step in range(10):
                await store.append_events([new_event(data={"from": number, "step": step})] * 2)

        telling = [asyncio.create_task(tell(number)) for number in range(5)]
        seen: list[int] = []
        while len(seen) < 100:
            mark = store.mark("events")
            page = await store.events(EventQuery(after=seen[-1] if seen else 0, limit=7))
            seen += [event.id for event in page]
            if not page:
                await store.wait("events", mark, 5.0)
        await asyncio.gather(*telling)
        assert seen == [event.id for event in await all_events(store)]


class Logs(ControlStoreCase):
    """`append_logs` and `logs`."""

    async def test_lines_of_a_task(self, store: ControlStore) -> None:
        """Oldest first, as they were written, with ids that only grow."""
        lines = [new_line(number) for number in range(9)]
        await store.append_logs(lines[:4])
        await store.append_logs([new_line(0, "task-000002"), *lines[4:]])
        await store.append_logs([])
        found = await store.logs("task-000001")
        assert [msgspec.structs.replace(line, id=0) for line in found] == lines
        ids = [line.id for line in found]
        assert ids == sorted(set(ids))
        assert ids[0] > 0
        assert await store.logs("task-000001", after=ids[3], limit=2) == found[4:6]
        assert len(await store.logs("task-000002")) == 1
        assert await store.logs("nobody") == []

    async def test_lines_of_one_execution(self, store: ControlStore) -> None:
        """Of several of the task."""
        await store.append_logs(
            [new_line(number, execution_id=f"execution-{number % 2}") for number in range(6)]
        )
        found = await store.logs("task-000001", execution_id="execution-1")
        assert [line.message[5] for line in found] == ["1", "3", "5"]
        rest = await store.logs("task-000001", execution_id="execution-1", after=found[0].id, limit=1)
        assert rest == found[1:2]
        assert await store.logs("task-000001", execution_id="execution-2") == []
