"""The crawl store on PostgreSQL."""

from collections.abc import Sequence
from typing import Self

import msgspec

from crawlmesh.adapters.postgres.crawl_store import adding, again, leasing, ledger, settling
from crawlmesh.adapters.postgres.crawl_store.database import Database
from crawlmesh.adapters.postgres.crawl_store.due_links import ANY_DUE, queue_due_links
from crawlmesh.adapters.postgres.crawl_store.session import Session, unknown_crawl
from crawlmesh.model.crawl import Crawl, CrawlProgress, HostProgress
from crawlmesh.model.lease import LeaseGrant, LeaseRequest, Renewal, Settlement
from crawlmesh.model.link import NewLink, SkippedLink
from crawlmesh.model.record import LedgerEntry, Record
from crawlmesh.ports.clock import Clock
from crawlmesh.rules.dedup import refuse_filter

_CREATE = """
INSERT INTO crawls (id, created_at, crawl) VALUES ($1, $2, $3) ON CONFLICT (id) DO NOTHING RETURNING number
"""

_UPDATE = "UPDATE crawls SET created_at = $2, crawl = $3 WHERE id = $1 RETURNING number"

_encode = msgspec.json.Encoder().encode
_decode_crawl = msgspec.json.Decoder(Crawl).decode


class PostgresCrawlStore:
    """A `CrawlStore` that any number of processes on any number of machines share.

    Its time is the server's, so that the clocks of those machines do not matter.
    """

    def __init__(self, database: Database, clock: Clock | None) -> None:
        self._database = database
        self._clock = clock

    @classmethod
    async def open(
        cls, dsn: str, clock: Clock | None = None, *, connections: int = 5, patience: float = 10.0
    ) -> Self:
        """Connect to a server, and lay the tables where they are missing. Raises StoreError.

        `clock` stands in for the server's time, in tests. `patience`: seconds for a new connection.
        """
        return cls(await Database.open(dsn, clock, connections, patience), clock)

    async def create_crawl(self, crawl: Crawl) -> bool:
        """See CrawlStore.create_crawl."""
        refuse_filter(crawl, "the crawl store on PostgreSQL")

        async def create(session: Session) -> bool:
            number = await session.one(_CREATE, crawl.id, crawl.created_at, _encode(crawl))
            return number is not None

        return await self._database.transact(create)

    async def update_crawl(self, crawl: Crawl) -> None:
        """See CrawlStore.update_crawl."""

        async def update(session: Session) -> None:
            number = await session.one(_UPDATE, crawl.id, crawl.created_at, _encode(crawl))
            if number is None:
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
        return await self._database.transact(lambda session: adding.add(session, links, skipped))

    async def lease(self, request: LeaseRequest) -> LeaseGrant:
        """See CrawlStore.lease."""
        now = self._clock.now() if self._clock else None
        if await self._database.read(lambda session: session.fetch(ANY_DUE, request.crawl_ids, now)):
            await self._database.transact(lambda session: queue_due_links(session, request.crawl_ids))
        return await self._database.transact(lambda session: leasing.lease(session, request))

    async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        """See CrawlStore.settle."""
        if not settlements:
            return []
        return await self._database.transact(lambda session: settling.settle(session, settlements))

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

    async def retry_dead(self, crawl_id: str) -> int:
        """See CrawlStore.retry_dead."""
        return await self._database.transact(lambda session: again.retry_dead(session, crawl_id))

    async def recrawl(self, crawl_id: str) -> int:
        """See CrawlStore.recrawl."""
        return await self._database.transact(lambda session: again.recrawl(session, crawl_id))

    async def progress(self, crawl_id: str) -> CrawlProgress:
        """See CrawlStore.progress."""
        return await self._database.read(lambda session: ledger.progress(session, crawl_id))

    async def hosts(self, crawl_id: str, limit: int = 100) -> list[HostProgress]:
        """See CrawlStore.hosts."""
        return await self._database.read(lambda session: ledger.hosts(session, crawl_id, limit))

    async def records(self, crawl_id: str, after: int = 0, limit: int = 1000) -> list[Record]:
        """See CrawlStore.records."""
        return await self._database.read(lambda session: ledger.records(session, crawl_id, after, limit))

    async def explain(self, crawl_id: str, fingerprint: bytes) -> LedgerEntry | None:
        """See CrawlStore.explain."""
        return await self._database.read(lambda session: ledger.explain(session, crawl_id, fingerprint))

    async def aclose(self) -> None:
        """See CrawlStore.aclose."""
        await self._database.aclose()
