import asyncio
import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec
import pytest

from crawlmesh.adapters.memory import MemoryCrawlStore
from crawlmesh.adapters.pipe import StoreServer
from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.crawl.limits import CrawlLimits
from crawlmesh.engine_process import EngineJob
from crawlmesh.errors import StoreError
from crawlmesh.testing.invariants import assert_crawl_invariants
from crawlmesh.wiring import EngineOptions, FetchOptions, system_clock
from crawlmesh.worker.crawl_engines import PlanOrder
from crawlmesh.worker.engine_pool import EnginePool
from crawlmesh.worker.preparation import crawl_of


class Site:
    """Pages 0 … n, each with a link to the next two; page 3 is held back until it may answer."""

    def __init__(self, pages: int) -> None:
        self.pages = pages
        self.asked = asyncio.Event()
        self.answer = asyncio.Event()
        self.port = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await reader.readuntil(b"\r\n\r\n")
            path = head.split()[1].decode()
            if path == "/3":
                self.asked.set()
                await self.answer.wait()
            writer.write(self._page(path))
            await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    def _page(self, path: str) -> bytes:
        if path == "/robots.txt":
            return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        number = int(path[1:])
        links = "".join(
            f'<a href="/{next_one}">x</a>' for next_one in (number + 1, number + 2) if next_one < self.pages
        )
        body = f"<html><title>{number}</title>{links}</html>".encode()
        head = f"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {len(body)}\r\n"
        return f"{head}Connection: close\r\n\r\n".encode() + body

    def order(self, crawl_id: str) -> PlanOrder:
        definition = CrawlDefinition(seeds=(f"http://127.0.0.1:{self.port}/0",))
        return PlanOrder(crawl_id=crawl_id, definition=definition)


@asynccontextmanager
async def served(site: Site) -> AsyncIterator[Site]:
    server = await asyncio.start_server(site.serve, "127.0.0.1", 0)
    site.port = server.sockets[0].getsockname()[1]
    yield site
    site.answer.set()
    server.close()
    await server.wait_closed()


@pytest.fixture
async def site() -> AsyncIterator[Site]:
    async with served(Site(8)) as site:
        yield site


async def _make(store: MemoryCrawlStore, order: PlanOrder) -> None:
    await store.create_crawl(crawl_of(order.crawl_id, system_clock(), order.definition, CrawlLimits()))
    await store.add(order.plan().seed_links())


def _pool(store: MemoryCrawlStore, processes: int, command: list[str] | None = None) -> EnginePool:
    engine = EngineOptions(concurrency=4, robots_agent="bot", settle_after=0.2)
    job = EngineJob(engine, FetchOptions(allow_private_networks=True))
    return EnginePool(
        StoreServer(store).serve,
        lambda name: store.expire(node_id=name),
        command or ["-m", "crawlmesh.engine_process"],
        msgspec.json.encode(job),
        processes,
    )


async def test_processes_crawl_together_and_a_dead_one_is_replaced(site: Site) -> None:
    store = MemoryCrawlStore(system_clock())
    pool = _pool(store, 2)
    await pool.start("node-1")
    await pool.start("node-1")
    order = site.order("crawl")
    await _make(store, order)
    crawl = await pool.add(order)
    await site.asked.wait()
    for child in list(pool._children.values()):  # one of them waits for page 3
        assert child._process is not None
        child._process.send_signal(signal.SIGKILL)
    site.answer.set()
    progress = await crawl.ended
    assert progress is not None
    assert progress.records == 8
    await pool.remove("crawl")
    await pool.stop()
    await pool.stop()
    await assert_crawl_invariants(store, "crawl")


async def test_a_crawl_is_given_back_while_another_goes_on(site: Site) -> None:
    store = MemoryCrawlStore(system_clock())
    pool = _pool(store, 1)
    await pool.start("node-1")
    order = site.order("crawl")
    await _make(store, order)
    await pool.add(order)
    await site.asked.wait()
    tally = await pool.remove("crawl")
    progress = await store.progress("crawl")
    assert progress.leased == 0
    assert progress.pages == tally.pages >= 1
    assert progress.pending >= 1
    site.answer.set()
    crawl = await pool.add(order)
    done = await crawl.ended
    assert done is not None
    assert done.records == 8
    await pool.abort()


async def test_processes_that_always_die_fail_their_crawls(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crawlmesh.worker.engine_pool._MOST_DEATHS", 1)
    store = MemoryCrawlStore(system_clock())
    pool = _pool(store, 1, ["-c", "raise SystemExit(7)"])
    await pool.start("node-1")
    crawl = await pool.add(site.order("crawl"))
    with pytest.raises(StoreError, match="code 7"):
        await crawl.ended
    await pool.remove("crawl")
    await pool.abort()


async def test_processes_that_cannot_be_started_fail_their_crawls(
    site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def refuse(*_: object, **__: object) -> None:
        raise OSError("no more processes")

    monkeypatch.setattr("crawlmesh.worker.engine_pool._MOST_DEATHS", 1)
    monkeypatch.setattr("asyncio.create_subprocess_exec", refuse)
    pool = _pool(MemoryCrawlStore(system_clock()), 1)
    await pool.start("node-1")
    crawl = await pool.add(site.order("crawl"))
    with pytest.raises(StoreError, match="cannot be started: no more processes"):
        await crawl.ended
    await pool.remove("crawl")
    await pool.abort()
