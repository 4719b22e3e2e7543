"""A thread of its own that answers questions while the writer writes."""

import asyncio
import sqlite3
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from crawlmesh.adapters.sqlite.connection import store_errors
from crawlmesh.errors import StoreError

Parameters = Sequence[Any] | Mapping[str, Any]


class Reader:
    """Asks one question after another, each a single statement that sees all that was committed before it."""

    def __init__(self, connection: sqlite3.Connection, path: Path) -> None:
        self._connection = connection
        self._path = path
        self._closed = False
        self._thread = ThreadPoolExecutor(1, "crawlmesh-sqlite-reader")

    async def row(self, sql: str, parameters: Parameters = ()) -> tuple[Any, ...] | None:
        """The first row of the answer."""
        if self._closed:
            raise StoreError(f"The store {self._path} is closed.")
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._thread, self._row, sql, parameters)

    async def text(self, sql: str, parameters: Parameters = ()) -> str:
        """The one text that is the answer."""
        row = await self.row(sql, parameters)
        return "" if row is None else str(row[0])

    async def aclose(self) -> None:
        """Finish what was asked, and let go of the file. Twice is fine."""
        self._closed = True
        await asyncio.to_thread(self._thread.shutdown)
        self._connection.close()

    def _row(self, sql: str, parameters: Parameters) -> tuple[Any, ...] | None:
        with store_errors(self._path):
            row: tuple[Any, ...] | None = self._connection.execute(sql, parameters).fetchone()
            return row
