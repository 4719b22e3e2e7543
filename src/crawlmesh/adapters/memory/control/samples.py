"""Samples, and means over heartbeats."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

from crawlmesh.model.node import Heartbeat
from crawlmesh.model.sample import READINGS, Sample, node_sample, task_series


class SampleTable:
    """All samples, by series and step."""

    def __init__(self) -> None:
        self._rows: dict[str, dict[int, list[Sample]]] = {}  # by moment

    def keep(self, samples: Iterable[Sample]) -> None:
        """Add or replace samples."""
        for sample in samples:
            rows = self._rows.setdefault(sample.series, {}).setdefault(sample.step, [])
            place = bisect_left(rows, sample.at, key=_moment)
            known = place < len(rows) and rows[place].at == sample.at
            rows[place : place + known] = [sample]

    def read(self, series: str, step: int, since: float, limit: int) -> list[Sample]:
        """Samples from a moment on, oldest first."""
        rows = self._rows.get(series, {}).get(step, [])
        start = bisect_left(rows, since, key=_moment)
        return rows[start : start + limit]

    def prune(self, step: int, moment: float, limit: int) -> int:
        """Forget the samples of a step before a moment; returns how many."""
        left = limit
        for steps in list(self._rows.values()):
            rows = steps.get(step, [])
            old = min(left, bisect_left(rows, moment, key=_moment))
            del rows[:old]
            left -= old
        self._rows = {series: steps for series, steps in self._rows.items() if any(steps.values())}
        return limit - left

    def remove_of_task(self, task_id: str) -> None:
        """Forget the samples of a task."""
        self._rows.pop(task_series(task_id), None)


def heartbeat_means(node_id: str, heartbeats: Sequence[Heartbeat], step: int) -> list[Sample]:
    """Means of what a node told, for each step in which it told something."""
    steps = groupby(heartbeats, key=lambda each: each.at // step * step)
    return [node_sample(node_id, step, float(at), _means(list(told))) for at, told in steps]


def _means(told: list[Heartbeat]) -> Iterator[float | None]:
    for reading in READINGS.values():
        values = [each.usage[reading] for each in told if reading in each.usage]
        yield sum(values) / len(values) if values else None
    yield sum(each.load for each in told) / len(told)
    yield sum(len(each.active_tasks) for each in told) / len(told)


def _moment(sample: Sample) -> float:
    return sample.at
