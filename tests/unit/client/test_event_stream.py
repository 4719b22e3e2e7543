import pytest

from crawlmesh import Client
from crawlmesh.errors import ForbiddenError, MasterUnreachableError
from tests.unit.client.scripted_server import hangs_up, says, scripted_server, streams


def _event(number: int) -> str:
    data = f'{{"id": {number}, "type": "task.created", "at": "2026-11-15T12:00:00Z", "data": {{}}}}'
    return f": heartbeat\n\nid: {number}\nevent: task.created\ndata: {data}\n\n"


async def _take(client: Client, number: int, after: int | None = None) -> list[int]:
    ids = []
    async for event in client.events(after=after):
        ids.append(event.id)
        if len(ids) == number:
            break
    return ids


async def test_events_go_on_where_they_were_over_broken_connections() -> None:
    handlers = (streams("retry: 10\n\n" + _event(3) + _event(4)), hangs_up, streams(_event(5)))
    async with scripted_server(*handlers) as server, Client(server.url) as client:
        assert await _take(client, 3) == [3, 4, 5]
    told = [request.headers.get("Last-Event-ID") for request in server.requests]
    assert told == [None, "4", "4"]


async def test_events_begin_after_the_one_that_was_named() -> None:
    async with scripted_server(streams(_event(8))) as server, Client(server.url) as client:
        assert await _take(client, 1, after=7) == [8]
    assert server.requests[0].headers["Last-Event-ID"] == "7"


async def test_an_event_that_was_cut_in_two_is_not_told() -> None:
    handlers = (streams(_event(1)[:-10]), streams(_event(1)))
    async with scripted_server(*handlers) as server, Client(server.url) as client:
        assert await _take(client, 1) == [1]
    assert len(server.requests) == 2


async def test_without_following_all_is_told_that_is_stored_and_then_it_ends() -> None:
    handlers = (streams(_event(1) + _event(2)), says("", 200))
    async with scripted_server(*handlers) as server, Client(server.url) as client:
        assert [event.id async for event in client.events(follow=False)] == [1, 2]
    assert [request.query.get("follow") for request in server.requests] == ["false"]


async def test_without_following_a_broken_connection_is_taken_up_again() -> None:
    async with scripted_server(hangs_up, streams(_event(5))) as server, Client(server.url) as client:
        assert [event.id async for event in client.events(after=4, follow=False)] == [5]
    assert [request.headers["Last-Event-ID"] for request in server.requests] == ["4", "4"]


async def test_patience_ends_when_no_master_answers() -> None:
    async with Client("http://127.0.0.1:9") as client:
        with pytest.raises(MasterUnreachableError):
            async for _ in client.events(patience=0.1):
                pass


async def test_a_key_that_may_not_is_refused_at_once() -> None:
    fault = '{"error": {"code": "forbidden", "message": "No."}}'
    async with scripted_server(says(fault, 403)) as server, Client(server.url) as client:
        with pytest.raises(ForbiddenError):
            await _take(client, 1)
