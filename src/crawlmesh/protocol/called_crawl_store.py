"""A crawl store whose every method is a call to somewhere else."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from crawlmesh.model.crawl import Crawl, CrawlProgress, HostProgress
from crawlmesh.model.host import HostLimits, HostStatus
from crawlmesh.model.lease import LeaseGrant, LeaseRequest, Renewal, Settlement
from crawlmesh.model.link import NewLink, SkippedLink
from crawlmesh.model.record import DeadLink, LedgerEntry, Record


class CalledCrawlStore:
    """The methods of `crawlmesh.ports.crawl_store.CrawlStore`; how a call travels is up to the adapter."""

    @abstractmethod
    async def _call(self, method: str, *arguments: Any) -> Any:
        """What the method returned at the other end. Raises what it raised there."""

    async def create_crawl(self, crawl: Crawl) -> bool:
        """See CrawlStore.create_crawl."""
        return bool(await self._call("create_crawl", crawl))

    async def update_crawl(self, crawl: Crawl) -> None:
        """See CrawlStore.update_crawl."""
        await self._call("update_crawl", crawl)

    async def crawls(self) -> list[Crawl]:
        """See CrawlStore.crawls."""
        crawls: list[Crawl] = await self._call("crawls")
        return crawls

    async def delete_crawl(self, crawl_id: str) -> None:
        """See CrawlStore.delete_crawl."""
        await self._call("delete_crawl", crawl_id)

    async def add(self, links: Sequence[NewLink], skipped: Sequence[SkippedLink] = ()) -> int:
        """See CrawlStore.add."""
        return int(await self._call("add", links, skipped))

    async def lease(self, request: LeaseRequest) -> LeaseGrant:
        """See CrawlStore.lease."""
        grant: LeaseGrant = await self._call("lease", request)
        return grant

    async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        """See CrawlStore.settle."""
        taken: list[bool] = await self._call("settle", settlements)
        return taken

    async def renew(self, renewals: Sequence[Renewal]) -> list[bool]:
        """See CrawlStore.renew."""
        kept: list[bool] = await self._call("renew", renewals)
        return kept

    async def expire(self, *, node_id: str | None = None, everything: bool = False) -> int:
        """See CrawlStore.expire."""
        return int(await self._call("expire", node_id, everything))

    async def dead_links(
        self, crawl_id: str, reason: str | None = None, after: int = 0, limit: int = 100
    ) -> list[DeadLink]:
        """See CrawlStore.dead_links."""
        links: list[DeadLink] = await self._call("dead_links", crawl_id, reason, after, limit)
        return links

    async def retry_dead(
        self, crawl_id: str, reason: str | None = None, fingerprints: Sequence[bytes] | None = None
    ) -> int:
        """See CrawlStore.retry_dead."""
        return int(await self._call("retry_dead", crawl_id, reason, fingerprints))

    async def recrawl(self, crawl_id: str) -> int:
        """See CrawlStore.recrawl."""
        return int(await self._call("recrawl", crawl_id))

    async def progress(self, crawl_id: str) -> CrawlProgress:
        """See CrawlStore.progress."""
        progress: CrawlProgress = await self._call("progress", crawl_id)
        return progress

    async def hosts(self, crawl_id: str, limit: int = 100) -> list[HostProgress]:
        """See CrawlStore.hosts."""
        hosts: list[HostProgress] = await self._call("hosts", crawl_id, limit)
        return hosts

    async def limit_host(self, host: str, limits: HostLimits) -> None:
        """See CrawlStore.limit_host."""
        await self._call("limit_host", host, limits)

    async def host_status(self, host: str) -> HostStatus | None:
        """See CrawlStore.host_status."""
        status: HostStatus | None = await self._call("host_status", host)
        return status

    async def all_hosts(self, after: str = "", limit: int = 100, search: str = "") -> list[HostStatus]:
        """See CrawlStore.all_hosts."""
        hosts: list[HostStatus] = await self._call("all_hosts", after, limit, search)
        return hosts

    async def records(self, crawl_id: str, after: int = 0, limit: int = 1000) -> list[Record]:
        """See CrawlStore.records."""
        records: list[Record] = await self._call("records", crawl_id, after, limit)
        return records

    async def explain(self, crawl_id: str, fingerprint: bytes) -> LedgerEntry | None:
        """See CrawlStore.explain."""
        entry: LedgerEntry | None = await self._call("explain", crawl_id, fingerprint)
        return entry
