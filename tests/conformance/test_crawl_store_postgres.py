from pathlib import Path

import asyncpg
import pytest_asyncio

from crawlmesh.adapters.postgres.crawl_store import PostgresCrawlStore
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.conformance.crawl_store import CrawlStoreSuite
from crawlmesh.testing.servers.fixtures import Databases


async def lay_tables(dsn: str) -> None:
    await (await PostgresCrawlStore.open(dsn)).aclose()


async def drop_own_tables(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    tables = await connection.fetch("SELECT tablename FROM pg_tables WHERE tablename ~ '_[0-9]+$'")
    if tables:
        await connection.execute(f"DROP TABLE {', '.join(f'crawl_store.{name}' for (name,) in tables)}")
    await connection.close()


class TestPostgresCrawlStore(CrawlStoreSuite):
    durable = True
    shared = True
    filters = False  # dedup is an index of its own

    @pytest_asyncio.fixture(autouse=True)
    async def database(self, postgres_databases: Databases) -> None:
        self.dsn = await postgres_databases.emptied("crawl store", lay_tables, keep=["about"])

    async def open_store(self, clock: Clock, folder: Path) -> CrawlStore:
        return await PostgresCrawlStore.open(self.dsn, clock)


class TestPostgresCrawlStoreWithOwnTables(CrawlStoreSuite):
    """Crawls of a few links are large already, so that they move into tables of their own."""

    durable = True
    shared = True
    filters = False

    @pytest_asyncio.fixture(autouse=True)
    async def database(self, postgres_databases: Databases) -> None:
        self.dsn = await postgres_databases.emptied("own tables", lay_tables, keep=["about"])
        await drop_own_tables(self.dsn)

    async def open_store(self, clock: Clock, folder: Path) -> CrawlStore:
        return await PostgresCrawlStore.open(self.dsn, clock, own_tables_from=3)
