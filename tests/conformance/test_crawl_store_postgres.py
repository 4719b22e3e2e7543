from pathlib import Path

import pytest_asyncio

from crawlmesh.adapters.postgres.crawl_store import PostgresCrawlStore
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.conformance.crawl_store import CrawlStoreSuite
from crawlmesh.testing.servers.fixtures import Databases


async def lay_tables(dsn: str) -> None:
    await (await PostgresCrawlStore.open(dsn)).aclose()


class TestPostgresCrawlStore(CrawlStoreSuite):
    durable = True
    shared = True
    filters = False  # dedup is an index of its own

    @pytest_asyncio.fixture(autouse=True)
    async def database(self, postgres_databases: Databases) -> None:
        self.dsn = await postgres_databases.emptied("crawl store", lay_tables, keep=["about"])

    async def open_store(self, clock: Clock, folder: Path) -> CrawlStore:
        return await PostgresCrawlStore.open(self.dsn, clock)
