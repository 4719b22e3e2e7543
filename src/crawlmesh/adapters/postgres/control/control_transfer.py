"""The rows of a control store on PostgreSQL."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, Self

import asyncpg
import msgspec

from crawlmesh.adapters.postgres.control.database import store_errors
from crawlmesh.adapters.postgres.control.tables import KEEP_TEXTS
from crawlmesh.ports.control_transfer import ControlRow

_BATCH = 2_000  # rows
_PATIENCE = 10.0  # seconds for a connection
_LONG_PATIENCE = 3600.0  # seconds for a statement over all tasks

_COLUMNS = """
SELECT columns.table_name, column_name, data_type = 'ARRAY' AS is_list
FROM information_schema.columns JOIN information_schema.tables USING (table_schema, table_name)
WHERE table_schema = current_schema() AND table_type = 'BASE TABLE' AND is_generated = 'NEVER'
    AND columns.table_name NOT IN ('alembic_version', 'task_texts')
ORDER BY columns.table_name, ordinal_position
"""


class PostgresControlTransfer:
    """A `ControlTransfer` of a database that no master works on."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection
        self._lists: set[tuple[str, str]] = set()  # columns that are arrays

    @classmethod
    async def open(cls, dsn: str) -> Self:
        """Connect to a database that has its tables. Raises StoreError."""
        with store_errors():
            return cls(await asyncpg.connect(dsn, timeout=_PATIENCE))

    async def tables(self) -> dict[str, list[str]]:
        """See ControlTransfer.tables."""
        found: dict[str, list[str]] = {}
        with store_errors():
            for table, column, is_list in await self._connection.fetch(_COLUMNS):
                found.setdefault(table, []).append(column)
                if is_list:
                    self._lists.add((table, column))
        return found

    async def rows(self, table: str, columns: Sequence[str]) -> AsyncIterator[list[ControlRow]]:
        """See ControlTransfer.rows."""
        lists = [place for place, column in enumerate(columns) if (table, column) in self._lists]
        statement = f"SELECT {', '.join(columns)} FROM {table}"  # noqa: S608
        with store_errors():
            async with self._connection.transaction(isolation="repeatable_read", readonly=True):
                cursor = await self._connection.cursor(statement)
                while batch := await cursor.fetch(_BATCH):
                    yield [_plain(tuple(row), lists) for row in batch]

    async def is_empty(self) -> bool:
        """See ControlTransfer.is_empty."""
        found = " OR ".join(
            f"EXISTS (SELECT FROM {table})" for table in ("crawler_tasks", "crawler_nodes", "api_keys")
        )
        with store_errors():
            return not await self._connection.fetchval(f"SELECT {found}")

    async def clear(self) -> None:
        """See ControlTransfer.clear."""
        tables = await self.tables()
        with store_errors():
            await self._connection.execute(f"TRUNCATE task_texts, {', '.join(tables)}")

    async def put_rows(self, table: str, columns: Sequence[str], rows: Sequence[ControlRow]) -> None:
        """See ControlTransfer.put_rows."""
        lists = [place for place, column in enumerate(columns) if (table, column) in self._lists]
        with store_errors():
            await self._connection.copy_records_to_table(
                table, records=[_typed(row, lists) for row in rows], columns=list(columns)
            )

    async def finish(self) -> None:
        """See ControlTransfer.finish. Texts to search in are made anew: other databases have none."""
        with store_errors():
            await self._connection.execute(f"{KEEP_TEXTS} FROM crawler_tasks", timeout=_LONG_PATIENCE)

    async def aclose(self) -> None:
        """See ControlTransfer.aclose."""
        with store_errors():
            await self._connection.close(timeout=_PATIENCE)


def _plain(row: tuple[Any, ...], lists: Sequence[int]) -> ControlRow:
    if not lists:
        return row
    return tuple(
        msgspec.json.encode(value).decode() if place in lists and value is not None else value
        for place, value in enumerate(row)
    )


def _typed(row: ControlRow, lists: Sequence[int]) -> ControlRow:
    """As the server takes it: lists as lists, and texts without zero characters."""
    return tuple(
        msgspec.json.decode(value)
        if place in lists and value is not None
        else value.replace("\0", "\N{REPLACEMENT CHARACTER}")
        if isinstance(value, str) and "\0" in value
        else value
        for place, value in enumerate(row)
    )
