import asyncpg
import pytest_asyncio

from crawlmesh.adapters.postgres.locks import PostgresLockStore
from crawlmesh.ports.lock_store import LockStore
from crawlmesh.testing.conformance.lock_store import LockStoreSuite

_ENDED = "SELECT ends_at <= clock_timestamp() FROM crawlmesh_locks.locks WHERE name = $1"


class TestPostgresLockStore(LockStoreSuite):
    @pytest_asyncio.fixture(autouse=True)
    async def database(self, postgres_dsn: str) -> None:
        self.dsn = postgres_dsn

    async def open_store(self) -> LockStore:
        return await PostgresLockStore.open(self.dsn)

    async def let_locks_end(self, name: str) -> None:
        connection = await asyncpg.connect(self.dsn)
        try:
            while not await connection.fetchval(_ENDED, name):
                await connection.execute("SELECT pg_sleep(0.01)")  # the server's clock is waited for there
        finally:
            await connection.close()
