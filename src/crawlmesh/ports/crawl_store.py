"""The crawl store: links, hosts, leases, records and the ledger of crawls."""

from collections.abc import Sequence
from typing import Protocol

from crawlmesh.model.crawl import Crawl, CrawlProgress, HostProgress
from crawlmesh.model.host import HostLimits, HostStatus
from crawlmesh.model.lease import LeaseGrant, LeaseRequest, Renewal, Settlement
from crawlmesh.model.link import NewLink, SkippedLink
from crawlmesh.model.record import DeadLink, LedgerEntry, Record


class CrawlStore(Protocol):
    """Keeps the link graphs of crawls and hands out work on them.

    Every call is atomic: it happens whole or not at all, also when the process is killed inside it.
    Time is the store's own clock; callers give durations only. Calls may come at the same time.

    The rules, each covered by `crawlmesh.testing.conformance`:

    * Dedup is exact: a crawl holds a fingerprint once, whether it comes twice in one call or in two.
      The first one stays as it is. Only a crawl with `dedup` bloom may take a new link for a known one, and
      its store may forget what became of links that are done.
    * A lease owns its links and `slots` requests of its host. The slots of all leases of a host
      never exceed the host's `slots`; an exclusive host has at most one lease.
    * No lease of a host is granted while the host rests: until `delay` or a reported `rest` is over.
    * A user's limits go over what is known of a host: a blocked host is not leased, `limits.slots` stand for
      its slots, and the longer delay holds (see `crawlmesh.rules.host_limits`).
    * Fences only grow, over all leases of the store, also over restarts.
    * A settlement or renewal whose fence is not that of a live lease is refused and changes nothing.
      So a repeated settlement changes nothing.
    * Within a host, links of a higher priority are leased first, then older ones.
    * pending + leased + done + dead = all links ever added, at any time.
    * A record exists only for a link that is done, and at most one for each link.
    """

    async def create_crawl(self, crawl: Crawl) -> bool:
        """Make a crawl known. False, and nothing changes, where the id is known already.

        Raises UsageError where the crawl wants a Bloom filter and the store has none.
        """
        ...

    async def update_crawl(self, crawl: Crawl) -> None:
        """Replace the limits and defaults of a known crawl; its dedup stays. Raises UnknownCrawlError."""
        ...

    async def crawls(self) -> list[Crawl]:
        """All crawls, oldest first."""
        ...

    async def delete_crawl(self, crawl_id: str) -> None:
        """Forget a crawl, its links, leases, records and ledger. Unknown ids are fine."""
        ...

    async def add(self, links: Sequence[NewLink], skipped: Sequence[SkippedLink] = ()) -> int:
        """Add links that no lease stands behind (seeds, sitemaps). Returns how many were new.

        Links over their crawl's `max_pages_per_template` become skips with the rule `template`.
        Raises UnknownCrawlError.
        """
        ...

    async def lease(self, request: LeaseRequest) -> LeaseGrant:
        """Hand out host batches, those hosts first that have been ready the longest.

        A batch has at most `batch_links` links, and on a host with a delay at most as many as fit
        into half of the lease's duration. An exclusive host gives all its slots, another one at
        most `batch_slots`. Links wait while they may not be retried yet.
        """
        ...

    async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        """End host batches, whole or in part. One bool each: taken, or refused for its fence.

        In one transaction for each: outcomes are applied, links without one are returned,
        discovered links are added as in `add`, records are written, the host is released and
        rests as reported, or for its delay where the report leaves that open, counters move.
        While `unfinished` links remain, the lease lives on with these and the host is not released.
        """
        ...

    async def renew(self, renewals: Sequence[Renewal]) -> list[bool]:
        """Give leases more time. One bool each: renewed, or refused for its fence."""
        ...

    async def expire(self, *, node_id: str | None = None, everything: bool = False) -> int:
        """End leases that ran out, and those of a node that is known to be dead (or of all nodes).

        Their links are pending again, their attempt does not count; their hosts rest for their
        delay. Returns how many leases ended.
        """
        ...

    async def dead_links(
        self, crawl_id: str, reason: str | None = None, after: int = 0, limit: int = 100
    ) -> list[DeadLink]:
        """Dead links with an id above `after`, in the order of ids; with a reason, those of that one only.

        A link that died without a reason has the reason "unknown".
        """
        ...

    async def retry_dead(
        self, crawl_id: str, reason: str | None = None, fingerprints: Sequence[bytes] | None = None
    ) -> int:
        """Make dead links pending again with their attempts at zero. Returns how many.

        All of them, or those that fulfil each condition given: that died for this reason, and that are among
        these. Others, and fingerprints of links that are not dead, are left as they are.
        """
        ...

    async def recrawl(self, crawl_id: str) -> int:
        """Make all done and dead links pending again; records stay until they are replaced.

        A later lease carries the stored ETag and Last-Modified. Counters of settled attempts,
        skips and templates start at zero. Returns how many links are pending now.
        """
        ...

    async def progress(self, crawl_id: str) -> CrawlProgress:
        """The counters of a crawl. Raises UnknownCrawlError."""
        ...

    async def hosts(self, crawl_id: str, limit: int = 100) -> list[HostProgress]:
        """The hosts of a crawl, those with most dead links first, then the slowest.

        `ready_in` is what is left of a host's rest by the clock of the store, whoever holds its links.
        """
        ...

    async def limit_host(self, host: str, limits: HostLimits) -> None:
        """Lay limits down for a host, whether it is known or not; they replace the former ones.

        They hold from the next lease on, for all crawls. Default limits take them away.
        """
        ...

    async def host_status(self, host: str) -> HostStatus | None:
        """One host over all crawls, or None where it was never met and has no limits."""
        ...

    async def all_hosts(self, after: str = "", limit: int = 100, search: str = "") -> list[HostStatus]:
        """The hosts that were met or have limits, with names above `after`, in the order of their names.

        `search`: only those with this text in their names.
        """
        ...

    async def records(self, crawl_id: str, after: int = 0, limit: int = 1000) -> list[Record]:
        """Records with a link id above `after`, in the order of link ids."""
        ...

    async def explain(self, crawl_id: str, fingerprint: bytes) -> LedgerEntry | None:
        """What is known about one URL, or None where it was never seen."""
        ...

    async def aclose(self) -> None:
        """Write what is under way and let go of everything. Twice is fine."""
        ...
