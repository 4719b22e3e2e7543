"""How fast a crawl asks its hosts, and as whom."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

import msgspec

from crawlmesh.model.lease import HostBatch

if TYPE_CHECKING:
    from crawlmesh.crawl.engine_options import EngineOptions
    from crawlmesh.crawl.plan import CrawlPlan


class CrawlPace(msgspec.Struct, frozen=True, kw_only=True):
    """What one crawl wants; None stands for what the engine does by itself."""

    delay: float | None = None  # seconds between two requests to one host
    per_host: int | None = None  # requests at once to one host
    headers: tuple[tuple[str, str], ...] = ()  # of every page request; one may be the User-Agent
    robots_agent: str | None = None  # whom robots.txt is asked about


class HostPace(msgspec.Struct, frozen=True):
    """What the crawls behind a lease want of its host."""

    delay: float  # seconds
    per_host: int

    def and_also(self, other: "HostPace") -> "HostPace":
        """The gentler of both."""
        return HostPace(max(self.delay, other.delay), min(self.per_host, other.per_host))


def host_pace(
    plans: Mapping[str, "CrawlPlan"], options: "EngineOptions", crawl_ids: frozenset[str]
) -> HostPace:
    """The gentlest pace that one of the crawls wants."""
    found: HostPace | None = None
    for crawl_id in crawl_ids:
        plan = plans.get(crawl_id)
        wanted = CrawlPace() if plan is None else plan.pace
        delay = options.delay if wanted.delay is None else wanted.delay
        pace = HostPace(delay, options.per_host if wanted.per_host is None else wanted.per_host)
        found = pace if found is None else found.and_also(pace)
    return found or HostPace(options.delay, options.per_host)


def crawls_of(batch: HostBatch) -> frozenset[str]:
    """The crawls whose links are in a batch."""
    return frozenset({link.crawl_id for link in batch.links})
