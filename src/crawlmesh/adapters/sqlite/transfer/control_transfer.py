"""The rows of a control store that is a file."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any, Self, TypeVar

from crawlmesh.adapters.sqlite.connection import open_database, open_to_read, store_errors
from crawlmesh.ports.control_transfer import ControlRow

Result = TypeVar("Result")

_BATCH = 2_000  # rows
_NOT_OURS = ("alembic_version",)
_COMPUTED = "touched_at"  # PostgreSQL computes it by itself

_TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%' ORDER BY name"

_TOUCH = """
UPDATE crawler_nodes
SET touched_at = max(updated_at, coalesce(last_heartbeat, 0.0), coalesce(health_timestamp, 0.0))
"""


class SqliteControlTransfer:
    """A `ControlTransfer` of a file that no other process has open."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path

    @classmethod
    async def open(cls, path: Path) -> Self:
        """Open a file that has its tables, to put rows into them."""
        return cls(await asyncio.to_thread(open_database, path, _has_tables), path)

    @classmethod
    async def open_to_read(cls, path: Path) -> Self:
        """Open a file that has its tables, to take rows out of them."""
        return cls(await asyncio.to_thread(open_to_read, path), path)

    async def tables(self) -> dict[str, list[str]]:
        """See ControlTransfer.tables."""

        def read() -> dict[str, list[str]]:
            names = [row[0] for row in self._connection.execute(_TABLES) if row[0] not in _NOT_OURS]
            return {name: self._columns(name) for name in names}

        return await self._run(read)

    async def rows(self, table: str, columns: Sequence[str]) -> AsyncIterator[list[ControlRow]]:
        """See ControlTransfer.rows."""
        statement = f"SELECT {', '.join(columns)} FROM {table}"  # noqa: S608
        found = await self._run(lambda: self._connection.execute(statement))
        while batch := await self._run(lambda: found.fetchmany(_BATCH)):
            yield batch

    async def is_empty(self) -> bool:
        """See ControlTransfer.is_empty."""
        found = " OR ".join(
            f"EXISTS (SELECT 1 FROM {table})"  # noqa: S608
            for table in ("crawler_tasks", "crawler_nodes", "api_keys")
        )
        return not (await self._run(lambda: self._connection.execute(f"SELECT {found}").fetchone()))[0]

    async def clear(self) -> None:
        """See ControlTransfer.clear."""
        tables = await self.tables()
        await self._write([(f"DELETE FROM {table}", [()]) for table in tables])  # noqa: S608

    async def put_rows(self, table: str, columns: Sequence[str], rows: Sequence[ControlRow]) -> None:
        """See ControlTransfer.put_rows."""
        extra = [_COMPUTED] if table == "crawler_nodes" and _COMPUTED not in columns else []
        values = ", ".join(["?"] * len(columns) + ["0.0"] * len(extra))
        statement = f"INSERT INTO {table} ({', '.join([*columns, *extra])}) VALUES ({values})"  # noqa: S608
        await self._write([(statement, rows)])

    async def finish(self) -> None:
        """See ControlTransfer.finish."""
        await self._write([(_TOUCH, [()])])

    async def aclose(self) -> None:
        """See ControlTransfer.aclose."""
        self._connection.close()

    def _columns(self, table: str) -> list[str]:
        return [row[1] for row in self._connection.execute(f"PRAGMA table_info({table})")]

    async def _write(self, statements: Sequence[tuple[str, Sequence[Any]]]) -> None:
        def write() -> None:
            with self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                for statement, rows in statements:
                    self._connection.executemany(statement, rows)

        await self._run(write)

    async def _run(self, function: Callable[[], Result]) -> Result:
        def run() -> Result:
            with store_errors(self._path):
                return function()

        return await asyncio.to_thread(run)


def _has_tables(_connection: sqlite3.Connection, _path: Path) -> None:
    """They were laid by the migrations."""
