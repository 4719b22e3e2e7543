"""The content of a crawl store on PostgreSQL, as copies."""

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Self, TypeVar

import asyncpg

from crawlmesh.adapters.postgres.crawl_store.failures import FAILURES, address_of, translated
from crawlmesh.adapters.postgres.crawl_store.schema import SCHEMA_NAME, lay_tables
from crawlmesh.adapters.postgres.crawl_transfer.reading import Rows
from crawlmesh.adapters.postgres.crawl_transfer.writing import Writer
from crawlmesh.errors import StoreError
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
from crawlmesh.rules.dedup import refuse_filter

Row = TypeVar("Row")

_PATIENCE = 10.0  # seconds for a connection
_SETTINGS = {"application_name": "crawlmesh migrate", "search_path": SCHEMA_NAME, "jit": "off"}
_NOW = "SELECT extract(epoch FROM clock_timestamp())::double precision"


class PostgresCrawlTransfer:
    """A `CrawlTransfer` of a database that nobody else works on."""

    def __init__(
        self, connection: asyncpg.Connection, address: str, clock: Clock | None, writer: Writer
    ) -> None:
        self._connection = connection
        self._address = address
        self._clock = clock
        self._writer = writer

    @classmethod
    async def open(
        cls,
        dsn: str,
        clock: Clock | None = None,
        *,
        make_tables: bool = True,
        own_tables_from: int | None = None,
    ) -> Self:
        """Connect, and lay the tables where they are missing, or raise StoreError.

        `clock` and `own_tables_from` are those of `PostgresCrawlStore.open`.
        """
        address = address_of(dsn)
        try:
            connection = await asyncpg.connect(dsn, timeout=_PATIENCE, server_settings=_SETTINGS)
        except (*FAILURES, ValueError) as error:
            raise translated(error, address) from error
        writer = Writer(connection) if own_tables_from is None else Writer(connection, own_tables_from)
        transfer = cls(connection, address, clock, writer)
        try:
            with transfer._errors():
                if not make_tables and await connection.fetchval("SELECT to_regclass('about')") is None:
                    raise StoreError(f"There is no crawl data in the PostgreSQL database at {address}.")
                await lay_tables(connection, address)
        except BaseException:
            await transfer.aclose()
            raise
        return transfer

    async def now(self) -> float:
        """See CrawlTransfer.now."""
        with self._errors():
            return self._clock.now() if self._clock else float(await self._connection.fetchval(_NOW))

    async def crawls(self) -> list[CrawlCopy]:
        """See CrawlTransfer.crawls."""
        with self._errors():
            return await Rows(self._connection).crawls()

    async def hosts(self) -> AsyncIterator[list[HostCopy]]:
        """See CrawlTransfer.hosts."""
        now = await self.now()
        async for batch in self._stream(lambda rows: rows.hosts(now)):
            yield batch

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
        with self._errors():
            return await Rows(self._connection).sequences()

    async def leased_for(self) -> float:
        """See CrawlTransfer.leased_for."""
        now = await self.now()
        with self._errors():
            last = await self._connection.fetchval("SELECT max(expires_at) FROM leases")
        return max(0.0, (last or 0.0) - now)

    async def is_empty(self) -> bool:
        """See CrawlTransfer.is_empty."""
        with self._errors():
            return await Rows(self._connection).is_empty()

    async def clear(self) -> None:
        """See CrawlTransfer.clear."""
        with self._errors():
            await self._writer.clear()

    def refuse(self, crawl: Crawl) -> None:
        """See CrawlTransfer.refuse. Dedup is exact here."""
        refuse_filter(crawl, "the crawl store on PostgreSQL")

    async def put_hosts(self, hosts: Sequence[HostCopy]) -> None:
        """See CrawlTransfer.put_hosts."""
        with self._errors():
            await self._writer.put_hosts(hosts)

    async def put_crawls(self, crawls: Sequence[CrawlCopy]) -> None:
        """See CrawlTransfer.put_crawls."""
        with self._errors():
            await self._writer.put_crawls(crawls)

    async def put_links(self, links: Sequence[LinkCopy]) -> None:
        """See CrawlTransfer.put_links."""
        with self._errors():
            await self._writer.put_links(links)

    async def put_skips(self, skips: Sequence[SkipCopy]) -> None:
        """See CrawlTransfer.put_skips."""
        with self._errors():
            await self._writer.put_skips(skips)

    async def put_templates(self, templates: Sequence[TemplateCopy]) -> None:
        """See CrawlTransfer.put_templates."""
        with self._errors():
            await self._writer.put_templates(templates)

    async def put_shares(self, shares: Sequence[ShareCopy]) -> None:
        """See CrawlTransfer.put_shares."""
        now = await self.now()
        with self._errors():
            await self._writer.put_shares(shares, now)

    async def finish(self, sequences: Sequences) -> None:
        """See CrawlTransfer.finish."""
        with self._errors():
            await self._writer.finish(sequences)

    async def aclose(self) -> None:
        """See CrawlTransfer.aclose."""
        try:
            await self._connection.close(timeout=_PATIENCE)
        except FAILURES:
            self._connection.terminate()

    async def _stream(self, read: Callable[[Rows], AsyncIterator[list[Row]]]) -> AsyncIterator[list[Row]]:
        with self._errors():
            async with self._connection.transaction(isolation="repeatable_read", readonly=True):
                rows = Rows(self._connection)
                await rows.read_leases()
                async for batch in read(rows):
                    yield batch

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except FAILURES as error:
            raise translated(error, self._address) from error
