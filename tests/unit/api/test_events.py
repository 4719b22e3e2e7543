import asyncio
from typing import Any

import msgspec

from tests.unit.api.master import Master

STREAM = "/api/v1/events:stream"


async def test_events_are_listed_by_type_task_and_id(master: Master) -> None:
    first, second = await master.submit(), await master.submit()
    everything = (await master.client().get("/api/v1/events", types="task.created")).json
    assert [event["task_id"] for event in everything["items"]] == [first, second]
    assert list(everything["items"][0]) == ["id", "type", "at", "task_id", "data"]
    after = everything["items"][0]["id"]
    later = (await master.client().get("/api/v1/events", types="task.created,task.failed", after=after)).json
    assert [event["task_id"] for event in later["items"]] == [second]
    own = (await master.client().get("/api/v1/events", task_id=first)).json
    assert [event["type"] for event in own["items"]] == ["task.created"]
    none = (await master.client().get("/api/v1/events", after=later["last_id"])).json
    assert none == {"items": [], "last_id": later["last_id"]}


async def test_the_newest_events_come_first_where_that_is_wanted(master: Master) -> None:
    ids = [await master.submit() for _ in range(5)]
    query = {"types": "task.created", "order": "desc", "limit": 2}
    newest = (await master.client().get("/api/v1/events", **query)).json
    assert [event["task_id"] for event in newest["items"]] == [ids[4], ids[3]]
    assert newest["last_id"] == newest["items"][0]["id"]
    before = newest["items"][-1]["id"]
    older = (await master.client().get("/api/v1/events", before=before, **query)).json
    assert [event["task_id"] for event in older["items"]] == [ids[2], ids[1]]
    between = (await master.client().get("/api/v1/events", before=before, after=older["items"][1]["id"])).json
    assert [event["task_id"] for event in between["items"]] == [ids[2]]
    bad = await master.client().get("/api/v1/events", order="down")
    assert (bad.status, bad.error["field"]) == (422, "order")


async def test_a_listener_hears_what_happens_next(master: Master) -> None:
    await master.submit()
    async with master.client("viewer").stream(STREAM, types="task.created") as stream:
        assert (stream.status, stream.headers["content-type"]) == (200, "text/event-stream; charset=utf-8")
        assert await stream.pieces.get() == b"retry: 2000\n\n"
        task_id = await master.submit()
        event = _event(await stream.pieces.get())
        assert (event["event"], event["data"]["task_id"]) == ("task.created", task_id)
        assert int(event["id"]) == event["data"]["id"]


async def test_a_listener_that_comes_back_misses_nothing(master: Master) -> None:
    ids = [await master.submit() for _ in range(3)]
    events = (await master.client().get("/api/v1/events", types="task.created")).json["items"]
    headers = {"Last-Event-ID": str(events[0]["id"])}
    async with master.client().stream(STREAM, types="task.created", after=0, headers=headers) as stream:
        await stream.pieces.get()
        heard = await stream.pieces.get()
        assert [_event(part)["data"]["task_id"] for part in _parts(heard)] == ids[1:]


async def test_a_stream_is_filtered_by_node(master: Master) -> None:
    async with master.client().stream(STREAM, after=0, node_id="worker-001") as stream:
        await stream.pieces.get()
        heard = _parts(await stream.pieces.get())
        assert {_event(part)["data"]["node_id"] for part in heard} == {"worker-001"}


async def test_a_stream_that_follows_nothing_tells_what_is_stored_and_ends(master: Master) -> None:
    ids = [await master.submit() for _ in range(3)]
    client = master.client()
    told = _parts((await client.get(STREAM, follow="false", types="task.created")).body)
    assert [_event(part)["data"]["task_id"] for part in told if b"data" in part] == ids
    last = (await client.get("/api/v1/events", types="task.created")).json["last_id"]
    assert (await client.get(STREAM, follow="false", after=last)).body == b"retry: 2000\n\n"
    assert await _listeners(master) == 0


async def test_such_a_stream_is_whole_even_while_the_master_stops(master: Master) -> None:
    task_id = await master.submit()
    master.app.state.services.closing.set()
    told = (await master.client().get(STREAM, follow="false", types="task.created")).body
    assert task_id.encode() in told


async def test_a_last_event_that_is_no_number_is_refused(master: Master) -> None:
    headers = {"Last-Event-ID": "now"}
    answer = await master.client().request("GET", STREAM, headers=headers)
    assert (answer.status, answer.error["field"]) == (422, "Last-Event-ID")


async def test_silence_is_broken_by_comments() -> None:
    master = await Master.start(stream_heartbeat=0.0)
    async with master.client().stream(STREAM) as stream:
        await stream.pieces.get()
        assert await stream.pieces.get() == b": heartbeat\n\n"


async def test_a_stream_ends_when_the_master_stops(master: Master) -> None:
    async with master.client().stream(STREAM) as stream:
        await stream.pieces.get()
        assert await _listeners(master) == 1
        master.app.state.services.closing.set()
        await stream.ended.wait()
    assert await _listeners(master) == 0


async def test_a_listener_that_hangs_up_is_forgotten(master: Master) -> None:
    async with master.client().stream(STREAM) as stream:
        await stream.pieces.get()
    assert await _listeners(master) == 0


async def _listeners(master: Master) -> int:
    await asyncio.sleep(0)
    text = (await master.client().get("/metrics")).body.decode()
    (line,) = [line for line in text.splitlines() if line.startswith("crawlmesh_event_streams ")]
    return int(float(line.split()[1]))


def _parts(heard: bytes) -> list[bytes]:
    return [part for part in heard.split(b"\n\n") if part]


def _event(part: bytes) -> dict[str, Any]:
    fields = dict(line.split(b": ", 1) for line in part.strip().splitlines())
    return {
        "id": fields[b"id"],
        "event": fields[b"event"].decode(),
        "data": msgspec.json.decode(fields[b"data"]),
    }
