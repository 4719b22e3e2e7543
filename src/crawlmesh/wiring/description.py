"""The HTTP interfaces as they are described, without a master behind them."""

from crawlmesh.adapters.memory import MemoryControlStore, MemoryCrawlStore
from crawlmesh.api.app import make_app
from crawlmesh.api.reference import describe_api, describe_events, describe_metrics
from crawlmesh.control.context import ControlContext
from crawlmesh.control.options import ControlOptions
from crawlmesh.wiring.crawl import system_clock


def describe(page: str) -> str:
    """A page of the reference as Markdown: api, events or metrics."""
    if page == "events":
        return describe_events()
    if page == "metrics":
        return describe_metrics()
    clock = system_clock()
    stores = (MemoryControlStore(), MemoryCrawlStore(clock))
    return describe_api(make_app(ControlContext(*stores, clock, ControlOptions(), strategies={})))
