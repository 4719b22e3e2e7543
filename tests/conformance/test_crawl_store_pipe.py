import asyncio
import socket
from pathlib import Path

from crawlmesh.adapters.memory import MemoryCrawlStore
from crawlmesh.adapters.pipe import PipeCrawlStore, StoreServer
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.conformance.crawl_store import CrawlStoreSuite
from crawlmesh.testing.manual_clock import ManualClock


class ServedCrawlStore(PipeCrawlStore):
    """The crawl process's end, which also takes the other end down when it closes."""

    serving: asyncio.Task[None]

    async def aclose(self) -> None:
        await super().aclose()
        await self.serving


class TestPipeCrawlStore(CrawlStoreSuite):
    durable = False

    async def open_store(self, clock: ManualClock, folder: Path) -> CrawlStore:
        ours, theirs = socket.socketpair()
        serving = asyncio.create_task(StoreServer(MemoryCrawlStore(clock)).serve(ours))
        store = await ServedCrawlStore.open(theirs)
        store.serving = serving
        return store
