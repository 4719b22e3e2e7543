import pytest

from crawlmesh import Client
from crawlmesh.errors import (
    ConflictError,
    ForbiddenError,
    InvalidError,
    MasterUnreachableError,
    NotFoundError,
    RequestError,
    StaleSessionError,
    UnauthenticatedError,
    UsageError,
)
from crawlmesh.protocol.task_messages import NewTask
from tests.unit.client.scripted_server import hangs_up, says, scripted_server

NOWHERE = "http://127.0.0.1:9"
TASK = '{"id": "task-1", "status": "pending", "created_at": "2026-11-15T12:00:00Z", "priority": 5}'
WHOLE_TASK = TASK.replace('"priority"', '"task_type": "web_crawl", "priority"')


def _fault(code: str, field: str = "") -> str:
    extra = f', "field": "{field}"' if field else ""
    return f'{{"error": {{"code": "{code}", "message": "So it is."{extra}, "request_id": "r"}}}}'


@pytest.mark.parametrize(
    ("status", "code", "kind"),
    [
        (422, "invalid", InvalidError),
        (404, "not_found", NotFoundError),
        (409, "conflict", ConflictError),
        (409, "stale_session", StaleSessionError),
        (401, "unauthenticated", UnauthenticatedError),
        (403, "forbidden", ForbiddenError),
        (413, "too_large", InvalidError),
        (500, "internal", RequestError),
    ],
)
async def test_an_answer_that_is_an_error_raises_the_class_for_it(
    status: int, code: str, kind: type[RequestError]
) -> None:
    async with (
        scripted_server(says(_fault(code, "parameters.url"), status)) as server,
        Client(server.url) as client,
    ):
        with pytest.raises(kind, match="So it is") as caught:
            await client.tasks.get("task-1")
    assert caught.value.field == "parameters.url"
    assert len(server.requests) == 1


async def test_an_answer_of_something_else_than_a_master_is_said_to_be_so() -> None:
    async with scripted_server(says("<h1>Hello</h1>", 404)) as server, Client(server.url) as client:
        with pytest.raises(NotFoundError, match="not as Crawlmesh does"):
            await client.tasks.get("task-1")


async def test_the_key_goes_with_every_request() -> None:
    async with scripted_server(says(WHOLE_TASK)) as server, Client(server.url, api_key="secret") as client:
        await client.tasks.get("task-1")
    assert server.requests[0].headers["Authorization"] == "Bearer secret"


async def test_where_one_master_is_away_the_next_is_asked_and_stays_the_one() -> None:
    async with scripted_server(says(WHOLE_TASK)) as server, Client([NOWHERE, server.url]) as client:
        await client.tasks.get("task-1")
        assert client.url == server.url
        await client.tasks.get("task-1")
    assert len(server.requests) == 2


async def test_a_master_that_cannot_now_is_asked_again() -> None:
    async with (
        scripted_server(says(_fault("unavailable"), 503), says(WHOLE_TASK)) as server,
        Client(server.url) as client,
    ):
        assert (await client.tasks.get("task-1")).id == "task-1"


async def test_no_master_at_all_is_one_sentence_with_a_remedy() -> None:
    async with Client(NOWHERE) as client:
        with pytest.raises(MasterUnreachableError, match=r"No master answers at http://127.* with --url"):
            await client.health()


async def test_a_submission_is_repeated_under_the_same_key_when_the_connection_breaks() -> None:
    async with scripted_server(hangs_up, says(TASK, 201)) as server, Client(server.url) as client:
        await client.tasks.submit("https://example.com/")
    keys = [request.headers["Idempotency-Key"] for request in server.requests]
    assert len(keys) == 2
    assert keys[0] == keys[1]


async def test_what_may_have_been_done_is_not_repeated() -> None:
    async with scripted_server(hangs_up, says(WHOLE_TASK)) as server, Client(server.url) as client:
        with pytest.raises(MasterUnreachableError):
            await client.tasks.retry("task-1")
    assert len(server.requests) == 1


async def test_a_submission_has_only_what_was_chosen() -> None:
    async with scripted_server(says(TASK, 201)) as server, Client(server.url) as client:
        await client.tasks.submit(NewTask(parameters={"url": "https://example.com/"}, priority=7))
    assert (
        server.bodies[0]
        == b'{"task_type":"web_crawl","parameters":{"url":"https://example.com/"},"priority":7}'
    )


async def test_ids_are_escaped() -> None:
    async with scripted_server(says(WHOLE_TASK)) as server, Client(server.url) as client:
        await client.tasks.get("a b?c")
    assert server.requests[0].raw_path == "/api/v1/tasks/a%20b%3Fc"


async def test_conditions_that_were_not_given_are_left_out_and_lists_are_repeated() -> None:
    async with scripted_server(says('{"items": []}')) as server, Client(server.url) as client:
        assert [task async for task in client.tasks.list(status=("failed", "timeout"), search=None)] == []
    assert server.requests[0].query_string == "status=failed&status=timeout&limit=100"


async def test_all_pages_of_a_list_are_read() -> None:
    pages = [f'{{"items": [{WHOLE_TASK}], "next_cursor": "two"}}', f'{{"items": [{WHOLE_TASK}]}}']
    async with scripted_server(*map(says, pages)) as server, Client(server.url) as client:
        assert len([task async for task in client.tasks.list()]) == 2
    assert server.requests[1].query["cursor"] == "two"


async def test_closing_twice_is_fine() -> None:
    client = Client(NOWHERE)
    await client.aclose()
    await client.aclose()


def test_a_client_needs_an_address() -> None:
    with pytest.raises(UsageError, match="needs the address"):
        Client([])
