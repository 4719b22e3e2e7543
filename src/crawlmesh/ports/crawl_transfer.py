"""Taking everything out of a crawl store, and putting it into another one."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

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


class CrawlTransfer(Protocol):
    """The content of a crawl store as copies, batch by batch, so that memory does not grow with it.

    Nobody else may work on the store meanwhile. Reading changes nothing: leases that are under way are told
    as ended, which gives their links back and lets their hosts rest for their delay.

    Into an empty store, all is put in this order: hosts, crawls, then links, skips, templates and shares, and
    `finish` at last. Before that the store must not be used. What was put can be read again.
    """

    async def now(self) -> float:
        """The time of the store: moments of copies are by this clock."""
        ...

    async def crawls(self) -> list[CrawlCopy]:
        """All crawls, oldest first."""
        ...

    def hosts(self) -> AsyncIterator[list[HostCopy]]:
        """All hosts that were met or have limits."""
        ...

    def links(self) -> AsyncIterator[list[LinkCopy]]:
        """All links. Those of one crawl come in the order of their ids."""
        ...

    def skips(self) -> AsyncIterator[list[SkipCopy]]:
        """All URLs that rules kept out, but for those that became links later."""
        ...

    def templates(self) -> AsyncIterator[list[TemplateCopy]]:
        """All URL templates that have links."""
        ...

    def shares(self) -> AsyncIterator[list[ShareCopy]]:
        """All hosts of all crawls."""
        ...

    async def sequences(self) -> Sequences:
        """The highest numbers that were given away."""
        ...

    async def leased_for(self) -> float:
        """Seconds until the last lease runs out; 0 where none is alive. Who works there renews leases."""
        ...

    async def is_empty(self) -> bool:
        """Whether there are neither crawls nor limits of hosts."""
        ...

    async def clear(self) -> None:
        """Forget everything but the numbers that were given away."""
        ...

    def refuse(self, crawl: Crawl) -> None:
        """Raise UsageError where this store cannot have a crawl, or not as it is elsewhere."""
        ...

    async def put_hosts(self, hosts: Sequence[HostCopy]) -> None:
        """Put hosts."""
        ...

    async def put_crawls(self, crawls: Sequence[CrawlCopy]) -> None:
        """Put crawls; their counters count what is put later."""
        ...

    async def put_links(self, links: Sequence[LinkCopy]) -> None:
        """Put links."""
        ...

    async def put_skips(self, skips: Sequence[SkipCopy]) -> None:
        """Put skips."""
        ...

    async def put_templates(self, templates: Sequence[TemplateCopy]) -> None:
        """Put templates."""
        ...

    async def put_shares(self, shares: Sequence[ShareCopy]) -> None:
        """Put shares."""
        ...

    async def finish(self, sequences: Sequences) -> None:
        """Make the store ready for use; its next numbers are above its own and above these."""
        ...

    async def aclose(self) -> None:
        """Let go of everything. Twice is fine."""
        ...
