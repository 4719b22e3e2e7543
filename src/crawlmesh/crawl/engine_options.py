"""How an engine works."""

import msgspec

from crawlmesh.crawl.page_visit import VisitLimits
from crawlmesh.rules.politeness import PolitenessLimits


class EngineOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How one process works; durations in seconds."""

    node_id: str = "local"
    concurrency: int = 64  # requests at once, over all hosts
    per_host: int = 4  # requests at once to one host
    batch_slots: int = 2  # of them under one lease
    delay: float = 0.0  # between two requests to one host
    requests_per_second: float | None = None
    lease_duration: float = 60.0
    settle_after: float = 2.0  # what is finished waits no longer than this
    stop_patience: float = 10.0  # for requests under way when it is told to stop
    robots_agent: str = "crawlmesh"
    visit: VisitLimits = VisitLimits()
    politeness: PolitenessLimits = PolitenessLimits()
