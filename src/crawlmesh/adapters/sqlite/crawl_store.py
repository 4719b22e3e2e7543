"""The crawl store on SQLite."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self, TypeVar

import msgspec

from crawlmesh.adapters.bloom_filter import status_of
from crawlmesh.adapters.sqlite import adding, again, leasing, ledger, limiting, settling
from crawlmesh.adapters.sqlite.connection import open_database, open_to_read, store_errors
from crawlmesh.adapters.sqlite.counters import Counters
from crawlmesh.adapters.sqlite.group_commit import GroupCommit
from crawlmesh.adapters.sqlite.session import Session
from crawlmesh.model.crawl import Crawl, CrawlProgress, Dedup, HostProgress
from crawlmesh.model.host import HostLimits, HostStatus
from crawlmesh.model.lease import LeaseGrant, LeaseRequest, Renewal, Settlement
from crawlmesh.model.link import NewLink, SkippedLink
from crawlmesh.model.record import DeadLink, LedgerEntry, Record
from crawlmesh.ports.clock import Clock
from crawlmesh.rules.dedup import with_dedup_of

Result = TypeVar("Result")


class SqliteCrawlStore:
    """A `CrawlStore` in one file, owned by one process.

    What is committed survives a kill at any moment. The owner keeps about 110 bytes in memory
    for each known URL: the set of fingerprints that makes dedup exact. With a Bloom filter it is 3 bytes.
    """

    def __init__(self, session: Session, writer: GroupCommit) -> None:
        self._session = session
        self._writer = writer

    @classmethod
    async def open(cls, path: Path, clock: Clock) -> Self:
        """Open a file, or make it. The caller sees to it that no other process has it open."""
        session = await asyncio.to_thread(_open_session, path, clock)
        return cls(session, GroupCommit(session.connection, path))

    @classmethod
    async def open_to_read(cls, path: Path, clock: Clock) -> Self:
        """Open a file beside its owner, as it was when last committed: to read, not to change anything."""
        session = await asyncio.to_thread(_open_to_read, path, clock)
        return cls(session, GroupCommit(session.connection, path, begin="BEGIN"))

    async def create_crawl(self, crawl: Crawl) -> bool:
        """See CrawlStore.create_crawl."""
        return await self._call(lambda: _create_crawl(self._session, crawl))

    async def update_crawl(self, crawl: Crawl) -> None:
        """See CrawlStore.update_crawl."""
        await self._call(lambda: _update_crawl(self._session, crawl))

    async def crawls(self) -> list[Crawl]:
        """See CrawlStore.crawls."""
        return await self._call(lambda: [entry.crawl for entry in self._session.crawls.values()])

    async def delete_crawl(self, crawl_id: str) -> None:
        """See CrawlStore.delete_crawl."""
        await self._call(lambda: again.delete_crawl(self._session, crawl_id))

    async def add(self, links: Sequence[NewLink], skipped: Sequence[SkippedLink] = ()) -> int:
        """See CrawlStore.add."""
        return await self._call(lambda: adding.add(self._session, links, skipped))

    async def lease(self, request: LeaseRequest) -> LeaseGrant:
        """See CrawlStore.lease."""
        return await self._call(lambda: leasing.lease(self._session, request))

    async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        """See CrawlStore.settle."""
        return await self._call(lambda: settling.settle(self._session, settlements))

    async def renew(self, renewals: Sequence[Renewal]) -> list[bool]:
        """See CrawlStore.renew."""
        return await self._call(lambda: settling.renew(self._session, renewals))

    async def expire(self, *, node_id: str | None = None, everything: bool = False) -> int:
        """See CrawlStore.expire."""
        return await self._call(lambda: settling.expire(self._session, node_id, everything=everything))

    async def dead_links(
        self, crawl_id: str, reason: str | None = None, after: int = 0, limit: int = 100
    ) -> list[DeadLink]:
        """See CrawlStore.dead_links."""
        return await self._call(lambda: ledger.dead_links(self._session, crawl_id, reason, after, limit))

    async def retry_dead(
        self, crawl_id: str, reason: str | None = None, fingerprints: Sequence[bytes] | None = None
    ) -> int:
        """See CrawlStore.retry_dead."""
        return await self._call(lambda: again.retry_dead(self._session, crawl_id, reason, fingerprints))

    async def recrawl(self, crawl_id: str) -> int:
        """See CrawlStore.recrawl."""
        return await self._call(lambda: again.recrawl(self._session, crawl_id))

    async def progress(self, crawl_id: str) -> CrawlProgress:
        """See CrawlStore.progress."""
        return await self._call(lambda: _progress(self._session, crawl_id))

    async def hosts(self, crawl_id: str, limit: int = 100) -> list[HostProgress]:
        """See CrawlStore.hosts."""
        return await self._call(lambda: ledger.hosts(self._session, crawl_id, limit))

    async def limit_host(self, host: str, limits: HostLimits) -> None:
        """See CrawlStore.limit_host."""
        await self._call(lambda: limiting.limit_host(self._session, host, limits))

    async def host_status(self, host: str) -> HostStatus | None:
        """See CrawlStore.host_status."""
        return await self._call(lambda: limiting.host_status(self._session, host))

    async def all_hosts(self, after: str = "", limit: int = 100, search: str = "") -> list[HostStatus]:
        """See CrawlStore.all_hosts."""
        return await self._call(lambda: limiting.all_hosts(self._session, after, limit, search))

    async def records(self, crawl_id: str, after: int = 0, limit: int = 1000) -> list[Record]:
        """See CrawlStore.records."""
        return await self._call(lambda: ledger.records(self._session, crawl_id, after, limit))

    async def explain(self, crawl_id: str, fingerprint: bytes) -> LedgerEntry | None:
        """See CrawlStore.explain."""
        return await self._call(lambda: ledger.explain(self._session, crawl_id, fingerprint))

    async def aclose(self) -> None:
        """See CrawlStore.aclose."""
        await self._writer.aclose()
        self._session.connection.close()

    async def _call(self, function: Callable[[], Result]) -> Result:
        return await self._writer.call(function)


def _open_to_read(path: Path, clock: Clock) -> Session:
    connection = open_to_read(path)
    try:
        with store_errors(path):
            return Session(connection, clock, owner=False)
    except BaseException:
        connection.close()
        raise


def _open_session(path: Path, clock: Clock) -> Session:
    connection = open_database(path)
    try:
        with store_errors(path):
            return Session(connection, clock)
    except BaseException:
        connection.close()
        raise


def _progress(session: Session, crawl_id: str) -> CrawlProgress:
    entry = session.entry(crawl_id)
    progress = entry.counters.progress()
    if entry.crawl.dedup is Dedup.EXACT:
        return progress
    return msgspec.structs.replace(progress, filter=status_of(entry.crawl, progress.added))


def _create_crawl(session: Session, crawl: Crawl) -> bool:
    if crawl.id in session.crawls:
        return False
    number = (session.one("SELECT max(number) FROM crawls") or 0) + 1
    session.run(
        "INSERT INTO crawls (number, id, crawl, progress) VALUES (:number, :id, :crawl, :progress)",
        number=number,
        id=crawl.id,
        crawl=msgspec.json.encode(crawl),
        progress=msgspec.json.encode(Counters()),
    )
    session.remember(number, crawl, Counters())
    return True


def _update_crawl(session: Session, crawl: Crawl) -> None:
    entry = session.entry(crawl.id)
    entry.crawl = crawl = with_dedup_of(entry.crawl, crawl)
    session.run(
        "UPDATE crawls SET crawl = :crawl WHERE number = :number",
        crawl=msgspec.json.encode(crawl),
        number=entry.number,
    )
