"""A crawl store in the process's memory."""

from collections.abc import Sequence

from crawlmesh.adapters.bloom_filter import filter_of
from crawlmesh.adapters.memory.adding import LinkAdder
from crawlmesh.adapters.memory.leasing import LeaseDesk
from crawlmesh.adapters.memory.reading import (
    explain_url,
    read_dead_links,
    read_host,
    read_hosts,
    read_progress,
    read_records,
)
from crawlmesh.adapters.memory.revisiting import revive_dead, start_again
from crawlmesh.adapters.memory.settling import apply_outcome
from crawlmesh.adapters.memory.tables import CrawlRow, HostRow
from crawlmesh.adapters.memory.turns import offer_host
from crawlmesh.errors import UnknownCrawlError
from crawlmesh.model.crawl import Crawl, CrawlProgress, HostProgress
from crawlmesh.model.host import HostLimits, HostReport, HostStatus
from crawlmesh.model.lease import LeaseGrant, LeaseRequest, Renewal, Settlement
from crawlmesh.model.link import NewLink, SkippedLink
from crawlmesh.model.record import DeadLink, LedgerEntry, Record
from crawlmesh.ports.clock import Clock
from crawlmesh.rules.dedup import with_dedup_of


class MemoryCrawlStore:
    """Implements `crawlmesh.ports.crawl_store.CrawlStore`. Calls are atomic because none of them awaits."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._crawls: dict[str, CrawlRow] = {}
        self._hosts: dict[str, HostRow] = {}
        self._limits: dict[str, HostLimits] = {}  # by host, known or not
        self._adder = LinkAdder(self._crawls, self._hosts, self._limits)
        self._leases = LeaseDesk(self._crawls)

    async def create_crawl(self, crawl: Crawl) -> bool:
        """Make a crawl known; False where it is known already."""
        if crawl.id in self._crawls:
            return False
        self._crawls[crawl.id] = CrawlRow(crawl, filter_of(crawl))
        return True

    async def update_crawl(self, crawl: Crawl) -> None:
        """Replace the limits and defaults of a known crawl."""
        row = self._known(crawl.id)
        row.crawl = with_dedup_of(row.crawl, crawl)

    async def crawls(self) -> list[Crawl]:
        """All crawls, oldest first."""
        return sorted((row.crawl for row in self._crawls.values()), key=lambda crawl: crawl.created_at)

    async def delete_crawl(self, crawl_id: str) -> None:
        """Forget a crawl. Leases that hold links of other crawls too stay alive with those."""
        crawl = self._crawls.pop(crawl_id, None)
        if crawl is None:
            return
        for share in crawl.shares.values():
            share.host.waiting.pop(crawl_id, None)
        now = self._clock.now()
        for lease in list(self._leases.live.values()):
            lease.links = {id_: link for id_, link in lease.links.items() if link.share.crawl is not crawl}
            if not lease.links:
                self._leases.release(lease, now, None)

    async def add(self, links: Sequence[NewLink], skipped: Sequence[SkippedLink] = ()) -> int:
        """Add links that no lease stands behind; returns how many were new."""
        for crawl_id in {link.crawl_id for link in links} | {skip.crawl_id for skip in skipped}:
            self._known(crawl_id)
        return self._adder.add(links, skipped, self._clock.now())

    async def lease(self, request: LeaseRequest) -> LeaseGrant:
        """Hand out host batches."""
        return self._leases.lease(request, self._clock.now())

    async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        """End host batches; one bool each."""
        now = self._clock.now()
        return [self._settle(settlement, now) for settlement in settlements]

    async def renew(self, renewals: Sequence[Renewal]) -> list[bool]:
        """Give leases more time; one bool each."""
        now = self._clock.now()
        return [self._renew(renewal, now) for renewal in renewals]

    async def expire(self, *, node_id: str | None = None, everything: bool = False) -> int:
        """End leases that ran out, and those of a dead node or of all nodes."""
        now = self._clock.now()
        over = [
            lease
            for lease in self._leases.live.values()
            if everything or lease.node_id == node_id or lease.expires_at <= now
        ]
        for lease in over:
            self._leases.release(lease, now, None)
        return len(over)

    async def dead_links(
        self, crawl_id: str, reason: str | None = None, after: int = 0, limit: int = 100
    ) -> list[DeadLink]:
        """Links that were given up."""
        crawl = self._crawls.get(crawl_id)
        return [] if crawl is None else read_dead_links(crawl, reason, after, limit)

    async def retry_dead(
        self, crawl_id: str, reason: str | None = None, fingerprints: Sequence[bytes] | None = None
    ) -> int:
        """Make dead links pending again."""
        return revive_dead(self._known(crawl_id), reason, fingerprints, self._clock.now())

    async def recrawl(self, crawl_id: str) -> int:
        """Make all done and dead links pending again."""
        return start_again(self._known(crawl_id), self._clock.now())

    async def progress(self, crawl_id: str) -> CrawlProgress:
        """The counters of a crawl."""
        return read_progress(self._known(crawl_id))

    async def hosts(self, crawl_id: str, limit: int = 100) -> list[HostProgress]:
        """The hosts of a crawl."""
        crawl = self._crawls.get(crawl_id)
        return [] if crawl is None else read_hosts(crawl, limit, self._clock.now())

    async def limit_host(self, host: str, limits: HostLimits) -> None:
        """Lay limits down for a host; default limits take them away."""
        if limits == HostLimits():
            self._limits.pop(host, None)
        else:
            self._limits[host] = limits
        row = self._hosts.get(host)
        if row is not None:
            row.limits = limits
            offer_host(row)

    async def host_status(self, host: str) -> HostStatus | None:
        """One host over all crawls."""
        if host not in self._hosts and host not in self._limits:
            return None
        limits = self._limits.get(host, HostLimits())
        return read_host(host, self._hosts.get(host), limits, self._crawls.values(), self._clock.now())

    async def all_hosts(self, after: str = "", limit: int = 100, search: str = "") -> list[HostStatus]:
        """The hosts that were met or have limits, in the order of their names."""
        known = self._hosts.keys() | self._limits.keys()
        names = sorted(name for name in known if name > after and search in name)
        found = [await self.host_status(name) for name in names[:limit]]
        return [status for status in found if status is not None]

    async def records(self, crawl_id: str, after: int = 0, limit: int = 1000) -> list[Record]:
        """Records in the order of link ids."""
        crawl = self._crawls.get(crawl_id)
        return [] if crawl is None else read_records(crawl, after, limit)

    async def explain(self, crawl_id: str, fingerprint: bytes) -> LedgerEntry | None:
        """What is known about one URL."""
        crawl = self._crawls.get(crawl_id)
        return None if crawl is None else explain_url(crawl, fingerprint)

    async def aclose(self) -> None:
        """Nothing to write and nothing to let go of."""

    def _known(self, crawl_id: str) -> CrawlRow:
        crawl = self._crawls.get(crawl_id)
        if crawl is None:
            raise UnknownCrawlError(f"no crawl has the id {crawl_id!r}; create it first")
        return crawl

    def _settle(self, settlement: Settlement, now: float) -> bool:
        lease = self._leases.live.get(settlement.fence)
        if lease is None:
            return False
        for outcome in settlement.outcomes:
            link = lease.links.pop(outcome.link_id, None)
            if link is not None:
                apply_outcome(link, outcome, now)
        self._adder.add(settlement.discovered, settlement.skipped, now)
        _take_state(lease.host, settlement.report)
        unfinished = [lease.links.pop(link_id) for link_id in settlement.unfinished if link_id in lease.links]
        if not unfinished:
            self._leases.release(lease, now, settlement.report.rest)
            return True
        lease.host.rest(now, settlement.report.rest or 0.0)
        self._leases.give_back(lease, now)
        lease.links.update((link.id, link) for link in unfinished)
        return True

    def _renew(self, renewal: Renewal, now: float) -> bool:
        lease = self._leases.live.get(renewal.fence)
        if lease is None:
            return False
        lease.expires_at = now + renewal.duration
        if renewal.report is not None:
            _take_state(lease.host, renewal.report)
            lease.host.rest(now, renewal.report.rest or 0.0)
            offer_host(lease.host)
        return True


def _take_state(host: HostRow, report: HostReport) -> None:
    if report.state is not None:
        host.state = report.state
