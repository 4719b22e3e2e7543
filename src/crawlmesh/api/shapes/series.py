"""Series in answers: the points of charts. Null stands for what is not known."""

from collections.abc import Callable, Sequence
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from crawlmesh.api.shapes.moments import moment
from crawlmesh.control.series import Series
from crawlmesh.model.node import NodeStatus
from crawlmesh.model.sample import NODE_COUNT, Sample, Span

Seconds = Annotated[int, Meta(description="From one point to the next: 5, 120 or 3600.")]
Point = TypeVar("Point")


class ClusterPoint(msgspec.Struct, frozen=True, kw_only=True):
    """The cluster during one step. `pages`, `bytes` and `errors` (failed requests) are means per second.

    `queued`: links that wait in the crawls that are worked on; `running`: executions; `pending`: tasks
    that wait for a node.
    """

    at: str
    pages: float | None
    bytes: float | None
    errors: float | None
    queued: float | None
    running: float | None
    pending: float | None
    nodes: dict[str, float] | None


class TaskPoint(msgspec.Struct, frozen=True, kw_only=True):
    """A crawl during one step. `pages`, `bytes` and `errors` are means per second, the others counts."""

    at: str
    pages: float | None
    bytes: float | None
    errors: float | None
    queued: float | None
    done: float | None
    dead: float | None
    records: float | None


class NodePoint(msgspec.Struct, frozen=True, kw_only=True):
    """A node during one step. Fractions are 0 … 1, `received` and `sent` bytes per second."""

    at: str
    cpu: float | None
    memory: float | None
    load: float | None
    received: float | None
    sent: float | None
    disk: float | None
    pages: float | None
    active_tasks: float | None


class ClusterSeriesShape(msgspec.Struct, frozen=True, kw_only=True):
    """The cluster over time, oldest point first."""

    span: Span
    step: Seconds
    begin: str = msgspec.field(name="from")
    end: str = msgspec.field(name="to")
    points: Sequence[ClusterPoint]


class TaskSeriesShape(msgspec.Struct, frozen=True, kw_only=True):
    """A crawl over time, oldest point first."""

    span: Span
    step: Seconds
    begin: str = msgspec.field(name="from")
    end: str = msgspec.field(name="to")
    points: Sequence[TaskPoint]


class NodeSeriesShape(msgspec.Struct, frozen=True, kw_only=True):
    """A node over time, oldest point first."""

    span: Span
    step: Seconds
    begin: str = msgspec.field(name="from")
    end: str = msgspec.field(name="to")
    points: Sequence[NodePoint]


def cluster_series_shape(series: Series) -> ClusterSeriesShape:
    """The cluster over time."""
    return ClusterSeriesShape(**_frame(series), points=[cluster_point(each) for each in series.points])


def task_series_shape(series: Series) -> TaskSeriesShape:
    """A crawl over time."""
    return TaskSeriesShape(**_frame(series), points=[_point(TaskPoint, each) for each in series.points])


def node_series_shape(series: Series) -> NodeSeriesShape:
    """A node over time."""
    return NodeSeriesShape(**_frame(series), points=[_point(NodePoint, each) for each in series.points])


def cluster_point(sample: Sample) -> ClusterPoint:
    """One point of the cluster."""
    counts = {status.value: sample.means.get(f"{NODE_COUNT}{status}") for status in NodeStatus}
    known = {status: _rounded(count) for status, count in counts.items() if count is not None}
    return _point(ClusterPoint, sample, nodes=known if sample.means else None)


def _frame(series: Series) -> dict[str, Any]:
    return {
        "span": series.span,
        "step": series.span.step,
        "begin": moment(series.begin),
        "end": moment(series.end),
    }


def _point(kind: Callable[..., Point], sample: Sample, **others: Any) -> Point:
    names: tuple[str, ...] = kind.__struct_fields__  # type: ignore[attr-defined]
    means = {name: _rounded(sample.means.get(name)) for name in names}
    return kind(**{**means, "at": moment(sample.at), **others})


def _rounded(value: float | None) -> float | None:
    """Short enough for a chart."""
    return None if value is None else float(f"{value:.6g}") if value < 1000 else round(value)
