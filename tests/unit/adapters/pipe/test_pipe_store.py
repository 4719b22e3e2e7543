import asyncio
import gc
import socket
from collections.abc import AsyncIterator

import msgspec
import pytest

from crawlmesh.adapters.memory import MemoryCrawlStore
from crawlmesh.adapters.pipe import PipeCrawlStore, StoreServer, messages
from crawlmesh.errors import StoreError, StoreFullError, UnknownCrawlError
from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.protocol import crawl_calls
from crawlmesh.testing.builders import crawl, new_links
from crawlmesh.testing.manual_clock import ManualClock


class Ends:
    """Both ends of a pipe, and the store behind it."""

    def __init__(
        self, pipe: PipeCrawlStore, serving: "asyncio.Future[None]", store: MemoryCrawlStore
    ) -> None:
        self.pipe = pipe
        self.serving = serving
        self.store = store


@pytest.fixture
async def ends() -> AsyncIterator[Ends]:
    store = MemoryCrawlStore(ManualClock())
    ours, theirs = socket.socketpair()
    serving = asyncio.ensure_future(StoreServer(store).serve(ours))
    ends = Ends(await PipeCrawlStore.open(theirs), serving, store)
    yield ends
    await ends.pipe.aclose()
    serving.cancel()
    await asyncio.gather(serving, return_exceptions=True)
    await asyncio.sleep(0)
    gc.collect()


async def test_errors_arrive_as_what_they_are(ends: Ends) -> None:
    with pytest.raises(UnknownCrawlError, match="'nobody'"):
        await ends.pipe.progress("nobody")
    assert await ends.pipe.create_crawl(crawl())


async def test_an_error_that_this_version_does_not_know_is_a_store_error() -> None:
    error = crawl_calls.error_from(crawl_calls.Answer(1, msgspec.Raw(b""), "NewError", "text"))
    assert type(error) is StoreError


async def test_calls_overtake_each_other(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    await ends.pipe.create_crawl(crawl())
    released = asyncio.Event()
    progress = ends.store.progress

    async def slow_progress(crawl_id: str) -> CrawlProgress:
        await released.wait()
        return await progress(crawl_id)

    monkeypatch.setattr(ends.store, "progress", slow_progress)
    slow = asyncio.ensure_future(ends.pipe.progress("crawl"))
    assert await ends.pipe.add(new_links(5)) == 5
    assert not slow.done()
    released.set()
    assert (await slow).pending == 5


async def test_a_store_whose_owner_is_gone_says_so(ends: Ends) -> None:
    ends.serving.cancel()
    await asyncio.gather(ends.serving, return_exceptions=True)
    with pytest.raises(StoreError, match="The process that owns the store is gone"):
        await ends.pipe.crawls()
    with pytest.raises(StoreError, match="is gone"):
        await ends.pipe.crawls()


async def test_calls_under_way_fail_when_the_owner_goes(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    called = asyncio.Event()

    async def never(*_: object) -> CrawlProgress:
        called.set()
        await asyncio.get_running_loop().create_future()
        raise AssertionError

    monkeypatch.setattr(ends.store, "progress", never)
    call = asyncio.ensure_future(ends.pipe.progress("crawl"))
    await called.wait()
    ends.serving.cancel()
    with pytest.raises(StoreError, match="is gone"):
        await call


async def test_the_server_ends_when_the_other_end_is_closed(ends: Ends) -> None:
    await ends.pipe.aclose()
    await ends.serving
    assert await ends.store.crawls() == []


async def test_calls_after_the_close_are_refused(ends: Ends) -> None:
    await ends.pipe.aclose()
    await ends.pipe.aclose()
    with pytest.raises(StoreError, match="is gone"):
        await ends.pipe.crawls()


async def test_a_full_disk_arrives_as_such(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    async def full(*_: object) -> int:
        raise StoreFullError("The disk is full.")

    monkeypatch.setattr(ends.store, "add", full)
    with pytest.raises(StoreFullError, match=r"The disk is full\."):
        await ends.pipe.add(new_links(1))


async def test_a_message_that_is_too_large_is_refused(ends: Ends, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(messages, "LARGEST_FRAME", 1_000)
    with pytest.raises(StoreError, match="too large for the pipe"):
        await ends.pipe.add(new_links(100))
    assert await ends.pipe.crawls() == []


async def test_an_answer_that_is_too_large_is_an_error_of_its_call_alone(
    ends: Ends, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(20):
        await ends.pipe.create_crawl(crawl(f"crawl {number}"))
    monkeypatch.setattr(messages, "LARGEST_FRAME", 300)
    with pytest.raises(StoreError, match="too large for the pipe"):
        await ends.pipe.crawls()
    assert await ends.pipe.create_crawl(crawl("another"))


async def test_an_unknown_method_is_refused(ends: Ends) -> None:
    with pytest.raises(StoreError, match="no method 'drop_everything'"):
        await ends.pipe._call("drop_everything")
