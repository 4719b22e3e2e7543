"""The HTTP interfaces as they are described, without a master behind them."""

from crawlmesh.adapters.memory import MemoryControlStore, MemoryCrawlStore
from crawlmesh.api.app import make_app
from crawlmesh.api.reference import describe_api, describe_events, describe_metrics, openapi_text
from crawlmesh.control.context import ControlContext
from crawlmesh.control.options import ControlOptions
from crawlmesh.rules.placement import builtin_strategies
from crawlmesh.wiring.crawl import system_clock


def describe(page: str) -> str:
    """A page of the reference: api, events or metrics as Markdown, openapi as JSON."""
    if page == "events":
        return describe_events()
    if page == "metrics":
        return describe_metrics()
    clock = system_clock()
    stores = (MemoryControlStore(), MemoryCrawlStore(clock))
    app = make_app(ControlContext(*stores, clock, ControlOptions(), strategies=builtin_strategies()))
    return openapi_text(app) if page == "openapi" else describe_api(app)
