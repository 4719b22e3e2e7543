"""The content of a file of SQLite, as copies."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Self, TypeVar

from crawlmesh.adapters.sqlite.connection import open_database, open_to_read, store_errors
from crawlmesh.adapters.sqlite.transfer import writing
from crawlmesh.adapters.sqlite.transfer.reading import Rows
from crawlmesh.model.copies import (
    CrawlCopy,
    HostCopy,
    LinkCopy,
    Sequences,
    ShareCopy,
    SkipCopy,
    TemplateCopy,
)
from crawlmesh.model.crawl import Crawl
from crawlmesh.ports.clock import Clock

Row = TypeVar("Row")
Result = TypeVar("Result")


class SqliteCrawlTransfer:
    """A `CrawlTransfer` of a file that no other process has open."""

    def __init__(self, connection: sqlite3.Connection, path: Path, clock: Clock) -> None:
        self._connection = connection
        self._path = path
        self._clock = clock

    @classmethod
    async def open(cls, path: Path, clock: Clock) -> Self:
        """Open a file to put copies into it; it is made where there is none."""
        return cls(await asyncio.to_thread(open_database, path), path, clock)

    @classmethod
    async def open_to_read(cls, path: Path, clock: Clock) -> Self:
        """Open a file to take copies out of it."""
        return cls(await asyncio.to_thread(open_to_read, path), path, clock)

    async def now(self) -> float:
        """See CrawlTransfer.now."""
        return self._clock.now()

    async def crawls(self) -> list[CrawlCopy]:
        """See CrawlTransfer.crawls."""
        return await self._read(lambda rows: rows.crawls())

    def hosts(self) -> AsyncIterator[list[HostCopy]]:
        """See CrawlTransfer.hosts."""
        return self._stream(lambda rows: rows.hosts(self._clock.now()))

    def links(self) -> AsyncIterator[list[LinkCopy]]:
        """See CrawlTransfer.links."""
        return self._stream(lambda rows: rows.links())

    def skips(self) -> AsyncIterator[list[SkipCopy]]:
        """See CrawlTransfer.skips."""
        return self._stream(lambda rows: rows.skips())

    def templates(self) -> AsyncIterator[list[TemplateCopy]]:
        """See CrawlTransfer.templates."""
        return self._stream(lambda rows: rows.templates())

    def shares(self) -> AsyncIterator[list[ShareCopy]]:
        """See CrawlTransfer.shares."""
        return self._stream(lambda rows: rows.shares())

    async def sequences(self) -> Sequences:
        """See CrawlTransfer.sequences."""
        return await self._read(lambda rows: rows.sequences())

    async def leased_for(self) -> float:
        """See CrawlTransfer.leased_for."""
        last = await self._read(lambda rows: rows.last_expiry())
        return max(0.0, last - self._clock.now())

    async def is_empty(self) -> bool:
        """See CrawlTransfer.is_empty."""
        return await self._read(lambda rows: rows.is_empty())

    async def clear(self) -> None:
        """See CrawlTransfer.clear."""
        await self._write(writing.clear)

    def refuse(self, crawl: Crawl) -> None:
        """See CrawlTransfer.refuse. A Bloom filter is made again of the links' fingerprints."""

    async def put_hosts(self, hosts: Sequence[HostCopy]) -> None:
        """See CrawlTransfer.put_hosts."""
        await self._write(lambda connection: writing.put_hosts(connection, hosts))

    async def put_crawls(self, crawls: Sequence[CrawlCopy]) -> None:
        """See CrawlTransfer.put_crawls."""
        await self._write(lambda connection: writing.put_crawls(connection, crawls))

    async def put_links(self, links: Sequence[LinkCopy]) -> None:
        """See CrawlTransfer.put_links."""
        await self._write(lambda connection: writing.put_links(connection, links))

    async def put_skips(self, skips: Sequence[SkipCopy]) -> None:
        """See CrawlTransfer.put_skips."""
        await self._write(lambda connection: writing.put_skips(connection, skips))

    async def put_templates(self, templates: Sequence[TemplateCopy]) -> None:
        """See CrawlTransfer.put_templates."""
        await self._write(lambda connection: writing.put_templates(connection, templates))

    async def put_shares(self, shares: Sequence[ShareCopy]) -> None:
        """See CrawlTransfer.put_shares."""
        await self._write(lambda connection: writing.put_shares(connection, shares))

    async def finish(self, sequences: Sequences) -> None:
        """See CrawlTransfer.finish."""
        await self._write(lambda connection: writing.finish(connection, sequences))

    async def aclose(self) -> None:
        """See CrawlTransfer.aclose."""
        self._connection.close()

    async def _read(self, read: Callable[[Rows], Result]) -> Result:
        def run() -> Result:
            with store_errors(self._path):
                return read(Rows(self._connection))

        return await asyncio.to_thread(run)

    async def _write(self, write: Callable[[sqlite3.Connection], None]) -> None:
        def run() -> None:
            with store_errors(self._path), self._connection:
                self._connection.execute("BEGIN IMMEDIATE")
                write(self._connection)

        await asyncio.to_thread(run)

    async def _stream(self, read: Callable[[Rows], Iterator[list[Row]]]) -> AsyncIterator[list[Row]]:
        batches = await self._read(read)

        def next_batch() -> list[Row] | None:
            with store_errors(self._path):
                return next(batches, None)

        while (batch := await asyncio.to_thread(next_batch)) is not None:
            yield batch
