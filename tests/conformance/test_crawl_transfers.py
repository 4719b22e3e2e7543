from pathlib import Path

import asyncpg
import pytest
import pytest_asyncio

from crawlmesh.adapters.postgres.crawl_store import PostgresCrawlStore
from crawlmesh.adapters.postgres.crawl_transfer import PostgresCrawlTransfer
from crawlmesh.adapters.redis.crawl_store import RedisCrawlStore
from crawlmesh.adapters.redis.crawl_transfer import RedisCrawlTransfer
from crawlmesh.adapters.sqlite import SqliteCrawlStore
from crawlmesh.adapters.sqlite.transfer import SqliteCrawlTransfer
from crawlmesh.testing.conformance.crawl_transfer import CrawlTransferSuite, StoreKind
from crawlmesh.testing.manual_clock import ManualClock
from crawlmesh.testing.servers.fixtures import Databases


async def lay_tables(dsn: str) -> None:
    await (await PostgresCrawlStore.open(dsn)).aclose()


async def drop_own_tables(dsn: str) -> None:
    connection = await asyncpg.connect(dsn)
    tables = await connection.fetch("SELECT tablename FROM pg_tables WHERE tablename ~ '_[0-9]+$'")
    if tables:
        await connection.execute(f"DROP TABLE {', '.join(f'crawl_store.{name}' for (name,) in tables)}")
    await connection.close()


class SqliteSource(CrawlTransferSuite):
    @pytest.fixture
    def source(self, clock: ManualClock, tmp_path: Path) -> StoreKind:
        return sqlite(tmp_path / "source.db", clock)


class SqliteTarget(CrawlTransferSuite):
    @pytest.fixture
    def target(self, clock: ManualClock, tmp_path: Path) -> StoreKind:
        return sqlite(tmp_path / "target.db", clock)


class PostgresSource(CrawlTransferSuite):
    @pytest_asyncio.fixture
    async def source(self, clock: ManualClock, postgres_databases: Databases) -> StoreKind:
        return await postgres("transfer source", clock, postgres_databases)


class PostgresTarget(CrawlTransferSuite):
    @pytest_asyncio.fixture
    async def target(self, clock: ManualClock, postgres_databases: Databases) -> StoreKind:
        return await postgres("transfer target", clock, postgres_databases)


class RedisSource(CrawlTransferSuite):
    @pytest.fixture
    def source(self, clock: ManualClock, redis_address: str) -> StoreKind:
        return redis(redis_address, clock)


class RedisTarget(CrawlTransferSuite):
    @pytest.fixture
    def target(self, clock: ManualClock, redis_address: str) -> StoreKind:
        return redis(redis_address.removesuffix("/0") + "/1", clock)


class TestSqliteToSqlite(SqliteSource, SqliteTarget):
    filters = True


class TestSqliteToPostgres(SqliteSource, PostgresTarget):
    pass


class TestPostgresToSqlite(PostgresSource, SqliteTarget):
    pass


class TestPostgresToPostgres(PostgresSource, PostgresTarget):
    pass


class TestSqliteToRedis(SqliteSource, RedisTarget):
    remembers = False


class TestRedisToSqlite(RedisSource, SqliteTarget):
    remembers = False


class TestPostgresToRedis(PostgresSource, RedisTarget):
    remembers = False


class TestRedisToPostgres(RedisSource, PostgresTarget):
    remembers = False


class TestRedisToRedis(RedisSource, RedisTarget):
    pass


def sqlite(path: Path, clock: ManualClock) -> StoreKind:
    return StoreKind(
        lambda: SqliteCrawlStore.open(path, clock),
        lambda: SqliteCrawlTransfer.open(path, clock),
    )


async def postgres(name: str, clock: ManualClock, databases: Databases) -> StoreKind:
    dsn = await databases.emptied(name, lay_tables, keep=["about"])
    await drop_own_tables(dsn)
    return StoreKind(
        lambda: PostgresCrawlStore.open(dsn, clock, own_tables_from=2_000),
        lambda: PostgresCrawlTransfer.open(dsn, clock, own_tables_from=2_000),
    )


def redis(address: str, clock: ManualClock) -> StoreKind:
    return StoreKind(
        lambda: RedisCrawlStore.open(address, clock),
        lambda: RedisCrawlTransfer.open(address, clock),
    )
