from pathlib import Path

from crawlmesh.adapters.sqlite import SqliteCrawlStore
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.conformance.crawl_store import CrawlStoreSuite


class TestSqliteCrawlStore(CrawlStoreSuite):
    durable = True

    async def open_store(self, clock: Clock, folder: Path) -> CrawlStore:
        return await SqliteCrawlStore.open(folder / "crawl.db", clock)
