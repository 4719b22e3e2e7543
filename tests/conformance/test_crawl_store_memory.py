from pathlib import Path

from crawlmesh.adapters.memory import MemoryCrawlStore
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.conformance.crawl_store import CrawlStoreSuite
from crawlmesh.testing.manual_clock import ManualClock


class TestMemoryCrawlStore(CrawlStoreSuite):
    durable = False

    async def open_store(self, clock: ManualClock, folder: Path) -> CrawlStore:
        return MemoryCrawlStore(clock)
