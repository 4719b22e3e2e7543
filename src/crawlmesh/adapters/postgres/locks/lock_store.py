"""The lock store on PostgreSQL. Time is that of the server."""

from typing import Any, Self

import asyncpg

from crawlmesh.adapters.postgres.crawl_store.failures import FAILURES, address_of, translated

_TABLE = """
CREATE SCHEMA IF NOT EXISTS crawlmesh_locks;
CREATE TABLE IF NOT EXISTS crawlmesh_locks.locks (
    name text PRIMARY KEY,
    owner text NOT NULL,
    fence bigint GENERATED ALWAYS AS IDENTITY,
    ends_at timestamptz NOT NULL
);
"""
_LAYING = 0x63_6D_6C_6B  # the advisory lock under which the table is laid

# Rows stay when their lock is released: they carry the fence that the next one must exceed.
_TAKE = """
INSERT INTO crawlmesh_locks.locks AS held (name, owner, ends_at)
VALUES ($1, $2, clock_timestamp() + make_interval(secs => $3))
ON CONFLICT (name) DO UPDATE SET owner = excluded.owner, fence = DEFAULT, ends_at = excluded.ends_at
WHERE held.ends_at <= clock_timestamp()
RETURNING fence
"""
_EXTEND = """
UPDATE crawlmesh_locks.locks SET ends_at = clock_timestamp() + make_interval(secs => $3)
WHERE name = $1 AND owner = $2 AND ends_at > clock_timestamp()
RETURNING name
"""
_RELEASE = """
UPDATE crawlmesh_locks.locks SET ends_at = '-infinity'
WHERE name = $1 AND owner = $2 AND ends_at > clock_timestamp()
RETURNING name
"""


class PostgresLockStore:
    """A `LockStore` in one table. See LockStore for what each call does."""

    def __init__(self, pool: asyncpg.Pool, address: str) -> None:
        self._pool = pool
        self._address = address

    @classmethod
    async def open(cls, dsn: str, patience: float = 10.0) -> Self:
        """Connect, and lay the table where it is missing. Raises StoreError."""
        address = address_of(dsn)
        pool: asyncpg.Pool | None = None
        try:
            pool = await asyncpg.create_pool(
                dsn, min_size=0, max_size=4, timeout=patience, command_timeout=patience
            )
            async with pool.acquire(timeout=patience) as connection, connection.transaction():
                await connection.execute("SELECT pg_advisory_xact_lock($1)", _LAYING)
                await connection.execute(_TABLE)
        except BaseException as error:
            if pool is not None:
                pool.terminate()
            if isinstance(error, (*FAILURES, ValueError)):
                raise translated(error, address) from error
            raise
        return cls(pool, address)

    async def take(self, name: str, owner: str, duration: float) -> int | None:
        """See LockStore.take."""
        fence: int | None = await self._value(_TAKE, name, owner, duration)
        return fence

    async def extend(self, name: str, owner: str, duration: float) -> bool:
        """See LockStore.extend."""
        return await self._value(_EXTEND, name, owner, duration) is not None

    async def release(self, name: str, owner: str) -> bool:
        """See LockStore.release."""
        return await self._value(_RELEASE, name, owner) is not None

    async def aclose(self) -> None:
        """See LockStore.aclose."""
        await self._pool.close()

    async def _value(self, statement: str, *arguments: Any) -> Any:
        try:
            return await self._pool.fetchval(statement, *arguments)
        except FAILURES as error:
            raise translated(error, self._address) from error
