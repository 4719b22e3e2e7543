"""How far and how fast a crawl goes."""

import msgspec

from crawlmesh.crawl.pace import CrawlPace
from crawlmesh.model.crawl import DEFAULT_FILTER_CAPACITY, DEFAULT_FILTER_ERROR_RATE, Dedup


class CrawlLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How far a crawl goes this time, how fast, and as whom."""

    max_pages: int | None = None
    delay: float = 0.0  # seconds
    per_host: int = 4
    headers: tuple[tuple[str, str], ...] = ()  # beside those of the worker's settings
    user_agent: str | None = None  # None: that of the worker's settings
    dedup: Dedup | None = None  # how links are recognised; None: exactly, or as the crawl was begun
    dedup_capacity: int = DEFAULT_FILTER_CAPACITY  # links that a filter is made for at first
    dedup_error_rate: float = DEFAULT_FILTER_ERROR_RATE

    def pace(self) -> CrawlPace:
        """The part of it that the engine keeps to."""
        agent = self.user_agent
        own = () if agent is None else (("User-Agent", agent),)
        return CrawlPace(
            delay=self.delay,
            per_host=self.per_host,
            headers=own + self.headers,
            robots_agent=None if agent is None else agent.split("/")[0].split()[0],
        )
