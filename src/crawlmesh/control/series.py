"""Series for charts: the cluster, a crawl, a node (M1)."""

from collections.abc import Sequence

import msgspec

from crawlmesh.control.changing import known_node, known_task
from crawlmesh.control.context import ControlContext
from crawlmesh.model import sample as series_names
from crawlmesh.model.sample import CLUSTER_SERIES, Sample, Span
from crawlmesh.rules import series as rules

_FRESH = 3  # steps; the newest point of the cluster is no older


class Series(msgspec.Struct, frozen=True, kw_only=True):
    """Points from `begin` to `end`, one for each step."""

    span: Span
    begin: float
    end: float
    points: Sequence[Sample]


async def cluster_series(context: ControlContext, span: Span) -> Series:
    """The cluster, as the leader sampled it."""
    return await _sampled(context, CLUSTER_SERIES, span)


async def task_series(context: ControlContext, task_id: str, span: Span) -> Series:
    """A crawl, as the leader sampled it. Raises NotFoundError."""
    await known_task(context, task_id)
    return await _sampled(context, series_names.task_series(task_id), span)


async def node_series(context: ControlContext, node_id: str, span: Span) -> Series:
    """A node, as its heartbeats told. Raises NotFoundError.

    A heartbeat tells of the time since the one before. Silence shorter than the time-out is no gap.
    """
    await known_node(context, node_id)
    begin, end = _frame(context, span)
    longest = max(context.options.heartbeat_timeout, float(span.step))
    found = await context.store.heartbeat_means(node_id, span.step, begin, span.points + 1)
    return _series(span, begin, end, _looking_back(found, longest), longest)


async def newest_point(context: ControlContext) -> Sample | None:
    """The cluster during the last five seconds that were sampled; None where nobody samples it."""
    step = Span.MINUTES.step
    since = rules.step_of(context.clock.now(), step) - _FRESH * step
    found = await context.store.samples(CLUSTER_SERIES, step, since, _FRESH + 1)
    return found[-1] if found else None


async def _sampled(context: ControlContext, series: str, span: Span) -> Series:
    begin, end = _frame(context, span)
    found = await context.store.samples(series, span.step, begin, span.points + 1)
    return _series(span, begin, end, found)


def _frame(context: ControlContext, span: Span) -> tuple[float, float]:
    """When the first and the last point begin."""
    end = rules.step_of(context.clock.now(), span.step)
    return end - (span.points - 1) * span.step, end


def _series(span: Span, begin: float, end: float, found: Sequence[Sample], rest: float = 0.0) -> Series:
    points = rules.points(found, span.step, begin, end, rest)
    return Series(span=span, begin=begin, end=end, points=points)


def _looking_back(found: Sequence[Sample], longest: float) -> list[Sample]:
    before = float("-inf")
    samples: list[Sample] = []
    for sample in found:
        distance = sample.at - before
        seconds = distance if distance <= longest else float(sample.step)
        samples.append(msgspec.structs.replace(sample, seconds=seconds))
        before = sample.at
    return samples
