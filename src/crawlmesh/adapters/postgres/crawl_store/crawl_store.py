"""The crawl store on PostgreSQL."""

from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, Self, TypeVar

import msgspec

from crawlmesh.adapters.postgres.crawl_store import adding, again, leasing, ledger, limiting, settling
from crawlmesh.adapters.postgres.crawl_store.database import Database
from crawlmesh.adapters.postgres.crawl_store.due_links import queue_due_links
from crawlmesh.adapters.postgres.crawl_store.own_tables import Growth, give_own_tables
from crawlmesh.adapters.postgres.crawl_store.session import Session, unknown_crawl
from crawlmesh.errors import StoreError
from crawlmesh.model.crawl import Crawl, CrawlProgress, HostProgress
from crawlmesh.model.host import HostLimits, HostStatus
from crawlmesh.model.lease import LeaseGrant, LeaseRequest, Renewal, Settlement
from crawlmesh.model.link import NewLink, SkippedLink
from crawlmesh.model.record import DeadLink, LedgerEntry, Record
from crawlmesh.ports.clock import Clock
from crawlmesh.rules.dedup import refuse_filter

Result = TypeVar("Result")

_COLUMNS = "crawl, created_at, max_pages, max_pages_per_template, default_delay, default_slots"

_CREATE = f"""
INSERT INTO crawls (id, {_COLUMNS}) VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (id) DO NOTHING RETURNING number
"""  # noqa: S608

_UPDATE = f"""
UPDATE crawls SET ({_COLUMNS}) = ($2, $3, $4, $5, $6, $7) WHERE id = $1 RETURNING number
"""  # noqa: S608

_OWN_TABLES_FROM = 20_000  # links

_encode = msgspec.json.Encoder().encode
_decode_crawl = msgspec.json.Decoder(Crawl).decode


class PostgresCrawlStore:
    """A `CrawlStore` that any number of processes on any number of machines share.

    Its time is the server's, so that the clocks of those machines do not matter.
    """

    def __init__(self, database: Database, growth: Growth) -> None:
        self._database = database
        self._growth = growth

    @classmethod
    async def open(
        cls,
        dsn: str,
        clock: Clock | None = None,
        *,
        connections: int = 5,
        patience: float = 10.0,
        own_tables_from: int = _OWN_TABLES_FROM,
    ) -> Self:
        """Connect to a server, and lay the tables where they are missing. Raises StoreError.

        `clock` stands in for the server's time, in tests. `patience`: seconds for a new connection.
        `own_tables_from`: how many links a crawl has that moves into tables of its own.
        """
        return cls(await Database.open(dsn, clock, connections, patience), Growth(own_tables_from))

    async def create_crawl(self, crawl: Crawl) -> bool:
        """See CrawlStore.create_crawl."""
        refuse_filter(crawl, "the crawl store on PostgreSQL")

        async def create(session: Session) -> bool:
            return await session.one(_CREATE, crawl.id, *_values(crawl)) is not None

        return await self._database.transact(create)

    async def update_crawl(self, crawl: Crawl) -> None:
        """See CrawlStore.update_crawl."""
        refuse_filter(crawl, "the crawl store on PostgreSQL")

        async def update(session: Session) -> None:
            if await session.one(_UPDATE, crawl.id, *_values(crawl)) is None:
                raise unknown_crawl(crawl.id)

        await self._database.transact(update)

    async def crawls(self) -> list[Crawl]:
        """See CrawlStore.crawls."""
        statement = "SELECT crawl FROM crawls ORDER BY created_at, number"
        rows = await self._database.read(lambda session: session.fetch(statement))
        return [_decode_crawl(row[0]) for row in rows]

    async def delete_crawl(self, crawl_id: str) -> None:
        """See CrawlStore.delete_crawl."""
        await self._database.transact(lambda session: again.delete_crawl(session, crawl_id))

    async def add(self, links: Sequence[NewLink], skipped: Sequence[SkippedLink] = ()) -> int:
        """See CrawlStore.add."""
        await self._look_after(self._growth.large(links))
        return await self._transact(lambda session: adding.add(session, links, skipped))

    async def lease(self, request: LeaseRequest) -> LeaseGrant:
        """See CrawlStore.lease."""
        grant = await self._database.transact(lambda session: leasing.lease_unless_due(session, request))
        if grant is None:
            await self._database.transact(lambda session: queue_due_links(session, request.crawl_ids))
            grant = await self._database.transact(lambda session: leasing.lease(session, request))
        return grant

    async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        """See CrawlStore.settle."""
        if not settlements:
            return []
        return await self._transact(lambda session: settling.settle(session, settlements))

    async def renew(self, renewals: Sequence[Renewal]) -> list[bool]:
        """See CrawlStore.renew."""
        if not renewals:
            return []
        return await self._database.transact(lambda session: settling.renew(session, renewals))

    async def expire(self, *, node_id: str | None = None, everything: bool = False) -> int:
        """See CrawlStore.expire."""
        return await self._database.transact(
            lambda session: settling.expire(session, node_id, everything=everything)
        )

    async def dead_links(
        self, crawl_id: str, reason: str | None = None, after: int = 0, limit: int = 100
    ) -> list[DeadLink]:
        """See CrawlStore.dead_links."""
        return await self._database.read_alike(
            lambda session: ledger.dead_links(session, crawl_id, reason, after, limit)
        )

    async def retry_dead(
        self, crawl_id: str, reason: str | None = None, fingerprints: Sequence[bytes] | None = None
    ) -> int:
        """See CrawlStore.retry_dead."""
        return await self._database.transact(
            lambda session: again.retry_dead(session, crawl_id, reason, fingerprints)
        )

    async def recrawl(self, crawl_id: str) -> int:
        """See CrawlStore.recrawl."""
        return await self._database.transact(lambda session: again.recrawl(session, crawl_id))

    async def progress(self, crawl_id: str) -> CrawlProgress:
        """See CrawlStore.progress."""
        return await self._database.read(lambda session: ledger.progress(session, crawl_id))

    async def hosts(self, crawl_id: str, limit: int = 100) -> list[HostProgress]:
        """See CrawlStore.hosts."""
        return await self._database.read(lambda session: ledger.hosts(session, crawl_id, limit))

    async def limit_host(self, host: str, limits: HostLimits) -> None:
        """See CrawlStore.limit_host."""
        await self._database.transact(lambda session: limiting.limit_host(session, host, limits))

    async def host_status(self, host: str) -> HostStatus | None:
        """See CrawlStore.host_status."""
        return await self._database.read(lambda session: limiting.host_status(session, host))

    async def all_hosts(self, after: str = "", limit: int = 100, search: str = "") -> list[HostStatus]:
        """See CrawlStore.all_hosts."""
        return await self._database.read(lambda session: limiting.all_hosts(session, after, limit, search))

    async def records(self, crawl_id: str, after: int = 0, limit: int = 1000) -> list[Record]:
        """See CrawlStore.records."""
        return await self._database.read_alike(
            lambda session: ledger.records(session, crawl_id, after, limit)
        )

    async def explain(self, crawl_id: str, fingerprint: bytes) -> LedgerEntry | None:
        """See CrawlStore.explain."""
        return await self._database.read_alike(lambda session: ledger.explain(session, crawl_id, fingerprint))

    async def aclose(self) -> None:
        """See CrawlStore.aclose."""
        await self._database.aclose()

    async def _transact(self, work: Callable[[Session], Awaitable[Result]]) -> Result:
        """Do a piece of work that adds links, and then look after crawls that it made large."""
        grown: Counter[str] = Counter()

        async def watched(session: Session) -> Result:
            grown.clear()  # of an attempt before this one
            result = await work(session)
            grown.update(session.grown)
            return result

        result = await self._database.transact(watched)
        await self._look_after(dict.fromkeys(self._growth.to_be_looked_at(grown), 0))
        return result

    async def _look_after(self, crawls: Mapping[str, int]) -> None:
        """Give those of these crawls tables of their own that are large with the links that come."""
        with suppress(StoreError):  # that can wait, but the work cannot
            for crawl_id, coming in crawls.items():
                if await self._database.read(partial(self._growth.is_due, crawl_id=crawl_id, coming=coming)):
                    await self._database.transact(partial(give_own_tables, crawl_id=crawl_id))


def _values(crawl: Crawl) -> tuple[Any, ...]:
    limits = (crawl.max_pages, crawl.max_pages_per_template, crawl.default_delay, crawl.default_slots)
    return _encode(crawl), crawl.created_at, *limits
