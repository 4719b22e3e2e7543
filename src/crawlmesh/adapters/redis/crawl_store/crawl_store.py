"""The crawl store on Redis."""

import heapq
import math
from collections.abc import Sequence
from typing import Self

import msgspec

from crawlmesh.adapters.redis.bloom import new_filter_fields
from crawlmesh.adapters.redis.crawl_store.address import parse_address
from crawlmesh.adapters.redis.crawl_store.ledger import Ledger
from crawlmesh.adapters.redis.crawl_store.links import clean, load_of, packed
from crawlmesh.adapters.redis.crawl_store.partitions import partition_of_host
from crawlmesh.adapters.redis.crawl_store.reading import host_statuses, pairs_of, progress_from, record_from
from crawlmesh.adapters.redis.crawl_store.server import Server
from crawlmesh.adapters.redis.crawl_store.settlements import (
    grant_from,
    leasing_argument,
    limits_blob,
    renewing_arguments,
    settling_arguments,
)
from crawlmesh.adapters.redis.crawl_store.spreading import Spreading
from crawlmesh.errors import UnknownCrawlError, UsageError
from crawlmesh.model.crawl import Crawl, CrawlProgress, Dedup, HostProgress
from crawlmesh.model.host import HostLimits, HostStatus
from crawlmesh.model.lease import LeaseGrant, LeaseRequest, Renewal, Settlement
from crawlmesh.model.link import NewLink, SkippedLink
from crawlmesh.model.record import DeadLink, LedgerEntry, Record
from crawlmesh.ports.clock import Clock

_MOST_LINKS = 20_000  # that one script adds: others wait for it
_REQUEUED_LISTS = 32  # of links, that one script queues again

_encode = msgspec.json.Encoder().encode
_decode_crawl = msgspec.json.Decoder(Crawl).decode
_LOOKED_THROUGH = 1000  # hosts at once, for a search


class RedisCrawlStore:
    """A `CrawlStore` that any number of processes on any number of machines share.

    Its time is the server's, so that the clocks of those machines do not matter.
    """

    def __init__(self, server: Server) -> None:
        self._server = server
        self._ledger = Ledger(server)
        self._spreading = Spreading(server) if server.partitions > 1 else None

    @classmethod
    async def open(
        cls, address: str, clock: Clock | None = None, *, connections: int = 8, patience: float = 10.0
    ) -> Self:
        """Connect to a server or a cluster. Raises StoreError, or SettingError about the address.

        `clock` stands in for the server's time, in tests. `patience`: seconds for a new connection.
        """
        store = cls(await Server.open(parse_address(address), clock, patience, connections))
        await store._clean()
        return store

    @property
    def warnings(self) -> tuple[str, ...]:
        """What the operator of the server should know, such as that it keeps nothing on disk."""
        return self._server.warnings

    async def create_crawl(self, crawl: Crawl) -> bool:
        """See CrawlStore.create_crawl."""
        filtering = new_filter_fields(
            math.ceil(crawl.filter_capacity / self._server.partitions), crawl.filter_error_rate
        )
        created = await self._server.run_everywhere("create", 0, crawl_row(crawl), _encode(crawl), *filtering)
        return bool(created[0])

    async def update_crawl(self, crawl: Crawl) -> None:
        """See CrawlStore.update_crawl. What it is known by stays as it was."""
        old = await self._crawl(crawl.id)
        crawl = msgspec.structs.replace(
            crawl,
            dedup=old.dedup,
            filter_capacity=old.filter_capacity,
            filter_error_rate=old.filter_error_rate,
        )
        updated = await self._server.run_everywhere("create", 1, crawl_row(crawl), _encode(crawl))
        if not updated[0]:
            raise _unknown_crawl(crawl.id)
        if self._spreading is not None:
            await self._spreading.take_budgets_back(crawl.id)

    async def crawls(self) -> list[Crawl]:
        """See CrawlStore.crawls."""
        rows = await self._server.command(0, "HGETALL", "definitions")
        numbered = sorted((int(number), _decode_crawl(blob)) for number, blob in pairs_of(rows))
        return sorted((crawl for _, crawl in numbered), key=lambda crawl: crawl.created_at)

    async def delete_crawl(self, crawl_id: str) -> None:
        """See CrawlStore.delete_crawl."""
        await self._server.run_everywhere("delete", clean(crawl_id))
        await self._clean()

    async def add(self, links: Sequence[NewLink], skipped: Sequence[SkippedLink] = ()) -> int:
        """See CrawlStore.add."""
        added = 0
        for start in range(0, max(len(links), len(skipped), 1), _MOST_LINKS):
            piece = slice(start, start + _MOST_LINKS)
            added += await self._add(links[piece], skipped[piece])
        return added

    async def _add(self, links: Sequence[NewLink], skipped: Sequence[SkippedLink]) -> int:
        if not links and not skipped:
            return 0
        if self._spreading is not None:
            await self._check_crawls(links, skipped)
            added = await self._spreading.add(links, skipped, strict=True)
        else:
            added = [int(await self._server.run("add", 0, 1, *load_of(links, skipped)))]
        if min(added) < 0:
            await self._check_crawls(links, skipped)
        return sum(max(0, number) for number in added)

    async def lease(self, request: LeaseRequest) -> LeaseGrant:
        """See CrawlStore.lease."""
        if self._spreading is not None:
            grant, unfinished = await self._spreading.lease(request)
        else:
            granted = grant_from(
                request, await self._server.run("lease", 0, leasing_argument(request), "", 0)
            )
            grant = LeaseGrant(granted.batches, granted.retry_in)
            unfinished = [(0, number) for number in granted.unfinished]
        for partition, number in unfinished:  # whoever began another round did not get to its end
            await self._server.run("requeue", partition, number, _REQUEUED_LISTS)
        return LeaseGrant(grant.batches, 0.0) if unfinished else grant

    async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        """See CrawlStore.settle."""
        if not settlements:
            return []
        if self._spreading is not None:
            return await self._spreading.settle(settlements)
        answers = await self._server.run("settle", 0, *settling_arguments(settlements))
        return [bool(answer) for answer in answers]

    async def renew(self, renewals: Sequence[Renewal]) -> list[bool]:
        """See CrawlStore.renew."""
        if not renewals:
            return []
        if self._spreading is not None:
            return await self._spreading.renew(renewals)
        answers = await self._server.run("renew", 0, *renewing_arguments(renewals))
        return [bool(answer) for answer in answers]

    async def expire(self, *, node_id: str | None = None, everything: bool = False) -> int:
        """See CrawlStore.expire."""
        return sum(await self._server.run_everywhere("expire", clean(node_id or ""), int(everything)))

    async def dead_links(
        self, crawl_id: str, reason: str | None = None, after: int = 0, limit: int = 100
    ) -> list[DeadLink]:
        """See CrawlStore.dead_links."""
        return await self._ledger.dead_links(clean(crawl_id), clean(reason or ""), after, limit)

    async def retry_dead(
        self, crawl_id: str, reason: str | None = None, fingerprints: Sequence[bytes] | None = None
    ) -> int:
        """See CrawlStore.retry_dead."""
        named = (0,) if fingerprints is None else (1, *fingerprints)
        revived = await self._server.run_everywhere(
            "retry_dead", clean(crawl_id), clean(reason or ""), *named
        )
        if revived[0] < 0:
            raise _unknown_crawl(crawl_id)
        return sum(revived)

    async def recrawl(self, crawl_id: str) -> int:
        """See CrawlStore.recrawl. Links are queued piece by piece, so that others can work meanwhile."""
        begun = await self._server.run_everywhere("recrawl", clean(crawl_id))
        if not begun[0]:
            raise _unknown_crawl(crawl_id)
        if len(begun[0]) == 1:
            raise UsageError(
                f'The crawl {crawl_id!r} has dedup = "bloom": Redis forgets its links once they are done, so '
                'they cannot be visited again. Start it anew, or use dedup = "exact".'
            )
        for partition, (number, _) in enumerate(begun):
            await self._repeat("requeue", partition, number, _REQUEUED_LISTS)
        return sum(pending for _, pending in begun)

    async def progress(self, crawl_id: str) -> CrawlProgress:
        """See CrawlStore.progress."""
        answers = await self._server.run_everywhere("progress", clean(crawl_id))
        if answers[0] is None:
            raise _unknown_crawl(crawl_id)
        return progress_from(answers)

    async def hosts(self, crawl_id: str, limit: int = 100) -> list[HostProgress]:
        """See CrawlStore.hosts."""
        return await self._ledger.hosts(clean(crawl_id), limit)

    async def limit_host(self, host: str, limits: HostLimits) -> None:
        """See CrawlStore.limit_host."""
        await self._server.run("limit_host", self._partition(host), clean(host), limits_blob(limits))

    async def host_status(self, host: str) -> HostStatus | None:
        """See CrawlStore.host_status."""
        answer = await self._server.run("hosts", self._partition(host), clean(host), "", 1) if host else []
        return next(iter(host_statuses(answer)), None)

    async def all_hosts(self, after: str = "", limit: int = 100, search: str = "") -> list[HostStatus]:
        """See CrawlStore.all_hosts."""
        if not search:
            return await self._next_hosts(after, limit)
        fitting: list[HostStatus] = []
        while len(fitting) < limit:
            looked_through = await self._next_hosts(after, _LOOKED_THROUGH)
            fitting += [status for status in looked_through if search in status.host]
            if len(looked_through) < _LOOKED_THROUGH:
                break
            after = looked_through[-1].host
        return fitting[:limit]

    async def _next_hosts(self, after: str, limit: int) -> list[HostStatus]:
        answers = await self._server.run_everywhere("hosts", "", clean(after), limit)
        found = [status for answer in answers for status in host_statuses(answer)]
        return heapq.nsmallest(limit, found, key=lambda status: status.host)

    async def records(self, crawl_id: str, after: int = 0, limit: int = 1000) -> list[Record]:
        """See CrawlStore.records."""
        answers = await self._server.run_everywhere("records", clean(crawl_id), after, limit)
        found = [record_from(blob) for answer in answers for blob in answer]
        return heapq.nsmallest(limit, found, key=lambda record: record.link_id)

    async def explain(self, crawl_id: str, fingerprint: bytes) -> LedgerEntry | None:
        """See CrawlStore.explain."""
        return await self._ledger.explain(clean(crawl_id), fingerprint)

    async def aclose(self) -> None:
        """See CrawlStore.aclose."""
        await self._server.aclose()

    async def _crawl(self, crawl_id: str) -> Crawl:
        number = await self._server.command(0, "HGET", "numbers", clean(crawl_id))
        blob = await self._server.command(0, "HGET", "definitions", number) if number else None
        if blob is None:
            raise _unknown_crawl(crawl_id)
        return _decode_crawl(blob)

    async def _check_crawls(self, *added: Sequence[NewLink] | Sequence[SkippedLink]) -> None:
        """Raise UnknownCrawlError where links are of a crawl that nobody made known."""
        for crawl_id in {item.crawl_id for items in added for item in items}:
            if await self._server.command(0, "HGET", "numbers", clean(crawl_id)) is None:
                raise _unknown_crawl(crawl_id)

    def _partition(self, host: str) -> int:
        return partition_of_host(host, self._server.partitions)

    async def _clean(self) -> None:
        """Take away what deleted crawls left behind, piece by piece."""
        for partition in range(self._server.partitions):
            await self._repeat("clean", partition)

    async def _repeat(self, name: str, partition: int, *arguments: int) -> None:
        """Run a script that does a piece of its work each time, until nothing is left."""
        while await self._server.run(name, partition, *arguments):
            pass


def crawl_row(crawl: Crawl) -> bytes:
    """What the scripts need to know of a crawl; what they add themselves begins with 0 and false."""
    return packed(
        (
            crawl.id,
            False if crawl.max_pages is None else crawl.max_pages,
            False if crawl.max_pages_per_template is None else crawl.max_pages_per_template,
            crawl.default_delay,
            crawl.default_slots,
            0,
            0,
            crawl.dedup is Dedup.BLOOM,
            False,
        )
    )


def _unknown_crawl(crawl_id: str) -> UnknownCrawlError:
    return UnknownCrawlError(f"No crawl has the id {crawl_id!r}.")
