import asyncio
from collections.abc import AsyncIterator

import msgspec
import pytest
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.adapters.http import HttpCrawlStore, MasterAddresses, NodeCredentials, crawl_store
from crawlmesh.adapters.memory import MemoryCrawlStore
from crawlmesh.errors import ForbiddenError, StoreError
from crawlmesh.protocol.crawl_call_answers import AnsweredCalls, answer_calls
from crawlmesh.protocol.crawl_calls import REQUEST_DECODER, make_call
from crawlmesh.testing.builders import crawl, lease_request, new_links
from crawlmesh.testing.manual_clock import ManualClock
from tests.unit.adapters.http.master_server import master_server


class FakeMaster:
    """Answers with a store in memory, but may be made to fail first."""

    def __init__(self) -> None:
        self.store = MemoryCrawlStore(ManualClock())
        self.remembered = AnsweredCalls()
        self.requests: list[list[str]] = []  # methods, by request
        self.failures: list[Response] = []
        self.lose_answers = 0
        self.hold: asyncio.Event | None = None
        self.sessions: list[str] = []

    async def answer(self, request: Request) -> Response:
        body = await request.body()
        self.requests.append([call.method for call in REQUEST_DECODER.decode(body).calls])
        self.sessions.append(request.headers["x-node-session"])
        if self.hold is not None:
            await self.hold.wait()
        if self.failures:
            return self.failures.pop(0)
        told = await answer_calls(self.store, body, "node-1", self.remembered)
        if self.lose_answers:
            self.lose_answers -= 1
            return Response(status_code=503)
        return Response(told)


def _error(status: int, code: str) -> Response:
    body = msgspec.json.encode({"error": {"code": code, "message": "no"}})
    return Response(body, status_code=status)


@pytest.fixture
def master() -> FakeMaster:
    return FakeMaster()


@pytest.fixture
def credentials() -> NodeCredentials:
    credentials = NodeCredentials()
    credentials.set("node-1", "token", 1)
    return credentials


@pytest.fixture(autouse=True)
def _hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(crawl_store, "_FIRST_PAUSE", 0.001)


@pytest.fixture
async def store(master: FakeMaster, credentials: NodeCredentials) -> AsyncIterator[HttpCrawlStore]:
    async with master_server(master.answer) as port:
        masters = MasterAddresses([f"http://127.0.0.1:{port}"])
        store = HttpCrawlStore(masters, credentials)
        await store.create_crawl(crawl())
        await store.add(new_links(4))
        yield store
        await store.aclose()
        await masters.aclose()


async def test_calls_of_one_turn_go_together(store: HttpCrawlStore, master: FakeMaster) -> None:
    master.requests.clear()
    await asyncio.gather(*(store.progress("crawl") for _ in range(5)))
    assert master.requests == [["progress"] * 5]


async def test_calls_that_wait_anyway_go_together(store: HttpCrawlStore, master: FakeMaster) -> None:
    master.requests.clear()
    master.hold = asyncio.Event()
    calls = []
    for _ in range(6):
        calls.append(asyncio.ensure_future(store.progress("crawl")))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    while len(master.requests) < 2:
        await asyncio.sleep(0)
    master.hold.set()
    await asyncio.gather(*calls)
    assert len(master.requests) <= 3
    assert sum(len(methods) for methods in master.requests) == 6


async def test_a_lease_whose_answer_got_lost_is_not_made_twice(
    store: HttpCrawlStore, master: FakeMaster
) -> None:
    master.lose_answers = 2
    grant = await store.lease(lease_request(node_id="node-1/1"))
    assert sum(len(batch.links) for batch in grant.batches) == 4
    assert master.requests[-3:] == [["lease"]] * 3


async def test_a_master_that_is_away_only_takes_longer(store: HttpCrawlStore, master: FakeMaster) -> None:
    master.failures = [Response(status_code=502), Response(status_code=500), _error(503, "unavailable")]
    assert (await store.progress("crawl")).pending == 4


async def test_a_stale_session_waits_for_the_new_one(
    store: HttpCrawlStore, master: FakeMaster, credentials: NodeCredentials
) -> None:
    master.failures = [_error(409, "stale_session")]
    call = asyncio.ensure_future(store.progress("crawl"))
    await credentials.wait_refused()
    assert not call.done()
    credentials.set("node-1", "another", 2)
    assert (await call).pending == 4
    assert master.sessions[-1] == "2"


async def test_what_nodes_may_not_do_arrives_as_an_error(store: HttpCrawlStore) -> None:
    with pytest.raises(ForbiddenError, match="may not call 'delete_crawl'"):
        await store.delete_crawl("crawl")


async def test_a_request_that_is_too_large_is_sent_in_parts(
    store: HttpCrawlStore, master: FakeMaster
) -> None:
    master.failures = [_error(413, "too_large")]
    found = await asyncio.gather(store.progress("crawl"), store.progress("crawl"))
    assert [progress.pending for progress in found] == [4, 4]
    master.failures = [_error(413, "too_large")]
    with pytest.raises(StoreError):
        await store.progress("crawl")


async def test_closing_ends_the_waiting(store: HttpCrawlStore, master: FakeMaster) -> None:
    master.hold = asyncio.Event()
    call = asyncio.ensure_future(store.progress("crawl"))
    count = len(master.requests)
    while len(master.requests) == count:
        await asyncio.sleep(0)
    await store.aclose()
    with pytest.raises(StoreError, match="was closed"):
        await call
    with pytest.raises(StoreError, match="was closed"):
        await store.progress("crawl")
    master.hold.set()


async def test_calls_of_others_are_passed_on_unread(store: HttpCrawlStore) -> None:
    answer = await store.forward(make_call(77, "progress", ("crawl",)))
    assert answer.number == 77
    assert not answer.error


async def test_another_master_is_asked_when_one_is_gone(
    master: FakeMaster, credentials: NodeCredentials
) -> None:
    async with master_server(master.answer) as port:
        masters = MasterAddresses(["http://127.0.0.1:9", f"127.0.0.1:{port}"])
        store = HttpCrawlStore(masters, credentials)
        assert await store.create_crawl(crawl())
        assert masters.current.endswith(str(port))
        await store.aclose()
        await masters.aclose()
