"""What is measured. Whoever measures knows these names and nothing of Prometheus."""

from enum import StrEnum
from typing import Protocol

import msgspec


class MetricKind(StrEnum):
    """How the values of a metric belong together."""

    COUNTER = "counter"  # only grows
    GAUGE = "gauge"  # goes up and down
    HISTOGRAM = "histogram"  # how many values lie below each bound


class Metric(msgspec.Struct, frozen=True):
    """One thing that is measured. Names end with their unit, those of counters with `_total`."""

    name: str
    kind: MetricKind
    help: str
    labels: tuple[str, ...] = ()
    bounds: tuple[float, ...] = ()  # of a histogram; in its unit


_REQUEST_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
_ROUND_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0)

TASKS = Metric("crawlmesh_tasks", MetricKind.GAUGE, "Tasks in each status.", ("status",))
NODES = Metric("crawlmesh_nodes", MetricKind.GAUGE, "Nodes in each status.", ("status",))
RUNNING = Metric("crawlmesh_running_executions", MetricKind.GAUGE, "Executions that run, over all nodes.")
QUEUE_DEPTH = Metric("crawlmesh_queue_depth", MetricKind.GAUGE, "Tasks that wait for a node.")
QUEUES = Metric("crawlmesh_queues", MetricKind.GAUGE, "Different requirements among the tasks that wait.")
LEADER = Metric("crawlmesh_leader", MetricKind.GAUGE, "1 where this master leads, else 0.")
ROUNDS = Metric("crawlmesh_scheduling_rounds_total", MetricKind.COUNTER, "Scheduling rounds of this master.")
PLACED = Metric("crawlmesh_tasks_placed_total", MetricKind.COUNTER, "Placements on nodes by this master.")
ROUND_SECONDS = Metric(
    "crawlmesh_scheduling_round_seconds",
    MetricKind.HISTOGRAM,
    "Duration of a scheduling round.",
    bounds=_ROUND_SECONDS,
)
CREATED = Metric("crawlmesh_tasks_created_total", MetricKind.COUNTER, "Tasks that this master took in.")
ENDED = Metric(
    "crawlmesh_executions_ended_total",
    MetricKind.COUNTER,
    "Ends of executions that nodes reported to this master.",
    ("outcome",),
)
PAGES = Metric(
    "crawlmesh_crawl_pages_total",
    MetricKind.COUNTER,
    "Pages of executions whose end was reported to this master.",
)
REQUESTS = Metric(
    "crawlmesh_api_requests_total",
    MetricKind.COUNTER,
    "Requests that this master answered.",
    ("method", "route", "status"),
)
REQUEST_SECONDS = Metric(
    "crawlmesh_api_request_seconds",
    MetricKind.HISTOGRAM,
    "Time to the end of the answer, long polls and streams left out.",
    ("method", "route"),
    _REQUEST_SECONDS,
)
STREAMS = Metric("crawlmesh_event_streams", MetricKind.GAUGE, "Listeners to the stream of events.")

FILTERS = Metric("crawlmesh_filters", MetricKind.GAUGE, "Bloom filters of the crawls that are worked on.")
FILTER_FILL = Metric(
    "crawlmesh_filter_fill",
    MetricKind.GAUGE,
    "Fill of the fullest of these filters, from 0 to 1; from 0.9 on it will soon grow.",
)
FILTER_LINKS = Metric("crawlmesh_filter_links", MetricKind.GAUGE, "Links in these filters.")
FILTER_BYTES = Metric("crawlmesh_filter_bytes", MetricKind.GAUGE, "Memory of these filters.")
KEPT_LINKS = Metric(
    "crawlmesh_known_links_kept_total",
    MetricKind.COUNTER,
    "Links on pages that nodes knew themselves and did not send to the store, as far as executions ended.",
)

BROKER_CONNECTED = Metric(
    "crawlmesh_broker_connected",
    MetricKind.GAUGE,
    "1 where this master is connected to the message broker, else 0; the leader always tries to be.",
    ("use",),
)
MESSAGES_TAKEN = Metric(
    "crawlmesh_messages_taken_total",
    MetricKind.COUNTER,
    "Messages of the task channel that this master made tasks of.",
)
MESSAGES_REFUSED = Metric(
    "crawlmesh_messages_refused_total",
    MetricKind.COUNTER,
    "Messages of the task channel that this master moved to the dead letters.",
)
MESSAGES_PUBLISHED = Metric(
    "crawlmesh_messages_published_total",
    MetricKind.COUNTER,
    "Messages that this master published: assignments, events, results.",
    ("kind",),
)

METRICS: tuple[Metric, ...] = (
    TASKS,
    NODES,
    RUNNING,
    QUEUE_DEPTH,
    QUEUES,
    LEADER,
    ROUNDS,
    PLACED,
    ROUND_SECONDS,
    CREATED,
    ENDED,
    PAGES,
    REQUESTS,
    REQUEST_SECONDS,
    STREAMS,
    FILTERS,
    FILTER_FILL,
    FILTER_LINKS,
    FILTER_BYTES,
    KEPT_LINKS,
    BROKER_CONNECTED,
    MESSAGES_TAKEN,
    MESSAGES_REFUSED,
    MESSAGES_PUBLISHED,
)


class Measurements(Protocol):
    """Takes what was measured. Labels are given in the order of `Metric.labels`."""

    def add(self, metric: Metric, amount: float = 1.0, *labels: str) -> None:
        """Let a counter grow."""
        ...

    def set(self, metric: Metric, value: float, *labels: str) -> None:
        """Tell the value of a gauge."""
        ...

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        """Put a value into a histogram."""
        ...


class NoMeasurements:
    """Implements `Measurements` where nobody asks for them."""

    def add(self, metric: Metric, amount: float = 1.0, *labels: str) -> None:
        """Let it pass."""

    def set(self, metric: Metric, value: float, *labels: str) -> None:
        """Let it pass."""

    def observe(self, metric: Metric, value: float, *labels: str) -> None:
        """Let it pass."""
