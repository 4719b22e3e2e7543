"""The marks of stores in a database of PostgreSQL: a table in a schema of its own."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import asyncpg

from crawlmesh.adapters.postgres.crawl_store.failures import FAILURES, address_of, translated
from crawlmesh.ports.move_marks import MoveMark, MoveRole

_PATIENCE = 10.0  # seconds for a connection
_TABLE = "crawlmesh_moves.marks"
_MAKE = f"""
CREATE SCHEMA IF NOT EXISTS crawlmesh_moves;
CREATE TABLE IF NOT EXISTS {_TABLE} (
    store text PRIMARY KEY, role text NOT NULL, other text NOT NULL, at double precision NOT NULL
)
"""
_WRITE = f"""
INSERT INTO {_TABLE} (store, role, other, at) VALUES ($1, $2, $3, $4)
ON CONFLICT (store) DO UPDATE SET role = excluded.role, other = excluded.other, at = excluded.at
"""  # noqa: S608


class PostgresMoveMarks:
    """Implements `crawlmesh.ports.move_marks.MoveMarks`; `store` is "control" or "crawl"."""

    def __init__(self, dsn: str, store: str) -> None:
        self._dsn = dsn
        self._store = store

    async def read(self) -> MoveMark | None:
        """See MoveMarks.read."""
        async with self._connection() as connection:
            if await connection.fetchval("SELECT to_regclass($1)", _TABLE) is None:
                return None
            row = await connection.fetchrow(
                f"SELECT role, other, at FROM {_TABLE} WHERE store = $1",  # noqa: S608
                self._store,
            )
        return None if row is None else MoveMark(MoveRole(row[0]), row[1], row[2])

    async def write(self, mark: MoveMark) -> None:
        """See MoveMarks.write."""
        async with self._connection() as connection:
            await connection.execute(_MAKE)
            await connection.execute(_WRITE, self._store, mark.role.value, mark.other, mark.at)

    async def clear(self) -> None:
        """See MoveMarks.clear."""
        async with self._connection() as connection:
            if await connection.fetchval("SELECT to_regclass($1)", _TABLE) is not None:
                await connection.execute(f"DELETE FROM {_TABLE} WHERE store = $1", self._store)  # noqa: S608

    @asynccontextmanager
    async def _connection(self) -> AsyncIterator[asyncpg.Connection]:
        try:
            connection = await asyncpg.connect(self._dsn, timeout=_PATIENCE)
            try:
                yield connection
            finally:
                await connection.close(timeout=_PATIENCE)
        except (*FAILURES, ValueError) as error:
            raise translated(error, address_of(self._dsn)) from error
