import asyncio
from typing import Any

import msgspec

from crawlmesh.model.event import Event, EventType
from crawlmesh.model.sample import CLUSTER_SERIES, Sample
from tests.unit.api.master import NOW, Master

STREAM = "/api/v1/live:stream"


async def test_a_listener_gets_the_cluster_at_once_and_then_what_happens() -> None:
    master = await Master.start(live_interval=60.0, live_events_interval=0.0)
    await master.submit()
    async with master.client("viewer").stream(STREAM) as stream:
        assert (stream.status, stream.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
        assert await stream.pieces.get() == b"retry: 2000\n\n"
        name, snapshot, position = _message(await stream.pieces.get())
        assert (name, position) == ("snapshot", None)
        assert (snapshot["overview"]["tasks"]["pending"], snapshot["point"]) == (1, None)
        task_id = await master.submit()
        name, told, position = _message(await stream.pieces.get())
        assert (name, told["skipped"]) == ("events", 0)
        assert [(event["type"], event["task_id"]) for event in told["items"]] == [("task.created", task_id)]
        assert position == told["last_id"] == told["items"][-1]["id"]


async def test_the_newest_point_comes_with_the_snapshot(master: Master) -> None:
    sample = Sample(
        series=CLUSTER_SERIES, step=5, at=NOW - 10, seconds=5.0, means={"pages": 2.5, "nodes.online": 1.0}
    )
    await master.context.store.keep_samples([sample])
    [(_, snapshot, _)] = await _told(master)
    assert snapshot["point"]["pages"] == 2.5
    assert snapshot["point"]["nodes"] == {"online": 1}
    master.clock.advance(60.0)
    await _look_again(master)
    [(_, snapshot, _)] = await _told(master)
    assert snapshot["point"] is None


async def test_snapshots_come_again_and_again() -> None:
    master = await Master.start(live_interval=0.0, live_events_interval=0.0)
    async with master.client().stream(STREAM) as stream:
        await stream.pieces.get()
        assert [_message(await stream.pieces.get())[0] for _ in range(3)] == ["snapshot"] * 3


async def test_many_listeners_share_what_is_read(master: Master) -> None:
    store = master.context.store
    asked = 0
    count_tasks = store.count_tasks

    async def counted() -> Any:
        nonlocal asked
        asked += 1
        return await count_tasks()

    store.count_tasks = counted  # type: ignore[method-assign]
    told = await asyncio.gather(*(_told(master) for _ in range(20)))
    assert asked == 1
    assert len({msgspec.json.encode(each) for each in told}) == 1


async def test_a_listener_that_comes_back_misses_nothing(master: Master) -> None:
    first = await master.submit()
    begin = await master.context.store.last_event_id()
    others = [await master.submit() for _ in range(3)]
    _, (_, told, _) = await _told(master, after=begin)
    assert [event["task_id"] for event in told["items"]] == others
    assert first not in str(told)
    last = {"Last-Event-ID": str(told["items"][0]["id"])}
    answer = await master.client().request("GET", STREAM, query={"follow": "false", "after": 0}, headers=last)
    _, (_, told, _) = _messages(answer.body)
    assert [event["task_id"] for event in told["items"]] == others[1:]


async def test_no_more_than_the_newest_events_and_heartbeats_go_first(master: Master) -> None:
    store = master.context.store
    begin = await store.last_event_id()
    beats = [Event(type=EventType.NODE_HEARTBEAT, at=NOW, node_id="worker-001") for _ in range(300)]
    tasks = [Event(type=EventType.TASK_CREATED, at=NOW, task_id=f"task-{n}") for n in range(150)]
    await store.append_events([*tasks, *beats])
    _, (_, told, _) = await _told(master, after=begin)
    assert [event["type"] for event in told["items"]] == ["task.created"] * 150
    assert (told["skipped"], told["last_id"]) == (300, begin + 450)
    await store.append_events([Event(type=EventType.TASK_FAILED, at=NOW) for _ in range(1500)])
    _, (_, told, _) = await _told(master, after=begin)
    assert (len(told["items"]), told["skipped"]) == (200, 1750)
    assert told["last_id"] == told["items"][-1]["id"] == begin + 1950


async def test_listeners_at_different_places_get_what_is_theirs() -> None:
    master = await Master.start(live_interval=60.0, live_events_interval=0.0)
    begin = await master.context.store.last_event_id()
    ids = [await master.submit() for _ in range(2)]
    async with master.client().stream(STREAM) as new, master.client().stream(STREAM, after=begin) as old:
        await new.pieces.get()
        await new.pieces.get()
        await old.pieces.get()
        await old.pieces.get()
        _, told, _ = _message(await old.pieces.get())
        assert [event["task_id"] for event in told["items"]] == ids
        task_id = await master.submit()
        for stream in (new, old):
            _, told, _ = _message(await stream.pieces.get())
            assert [event["task_id"] for event in told["items"]] == [task_id]


async def test_the_stream_ends_when_the_master_stops() -> None:
    master = await Master.start(live_interval=60.0, live_events_interval=60.0)
    async with master.client().stream(STREAM) as stream:
        await stream.pieces.get()
        await stream.pieces.get()
        master.app.state.services.closing.set()
        await stream.ended.wait()
    assert master.app.state.services.listeners == set()


async def test_a_last_event_that_is_no_number_is_refused(master: Master) -> None:
    answer = await master.client().request("GET", STREAM, headers={"Last-Event-ID": "now"})
    assert (answer.status, answer.error["field"]) == (422, "Last-Event-ID")


async def _told(master: Master, **query: Any) -> list[tuple[str, Any, int | None]]:
    return _messages((await master.client().get(STREAM, follow="false", **query)).body)


async def _look_again(master: Master) -> None:
    master.app.state.services.live._good_until = float("-inf")


def _messages(body: bytes) -> list[tuple[str, Any, int | None]]:
    return [_message(part) for part in body.split(b"\n\n") if b"data" in part]


def _message(part: bytes) -> tuple[str, Any, int | None]:
    fields = dict(line.split(": ", 1) for line in part.decode().strip().splitlines())
    place = int(fields["id"]) if "id" in fields else None
    return fields["event"], msgspec.json.decode(fields["data"]), place
