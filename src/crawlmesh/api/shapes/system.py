"""The whole cluster in one answer."""

from typing import Any

import msgspec

from crawlmesh.api.shapes.crawls import FilterShape, filter_shape
from crawlmesh.api.shapes.moments import moment
from crawlmesh.control.broker import BrokerState
from crawlmesh.control.crawl_store_state import StoreState
from crawlmesh.control.overview import Overview


class CrawlFilterShape(msgspec.Struct, frozen=True, kw_only=True):
    """The Bloom filter of a crawl that is worked on."""

    task_id: str
    filter: FilterShape


class OverviewShape(msgspec.Struct, frozen=True, kw_only=True):
    """Counters of everything, and means over the nodes that are online (0 … 1); the fullest filters."""

    at: str
    tasks: dict[str, int]
    tasks_total: int
    nodes: dict[str, int]
    nodes_total: int
    health: dict[str, int]
    clusters: int
    running: int
    slots: int
    queues: int
    mean_load: float | None
    mean_cpu: float | None
    mean_memory: float | None
    leader: str | None
    last_event_id: int
    filters: list[CrawlFilterShape]
    task_channel: BrokerState | None
    event_bus: BrokerState | None
    crawl_store: StoreState | None


def overview_shape(overview: Overview) -> OverviewShape:
    """The counters, with the moment in ISO 8601."""
    values: dict[str, Any] = msgspec.structs.asdict(overview)
    known = {name: values[name] for name in OverviewShape.__struct_fields__}
    filters = [
        CrawlFilterShape(task_id=each.task_id, filter=filter_shape(each.status)) for each in overview.filters
    ]
    return OverviewShape(**{**known, "at": moment(overview.at), "filters": filters})
