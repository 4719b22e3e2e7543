"""Samples: numbers over time, for charts (M1)."""

from collections.abc import Iterable
from enum import StrEnum
from typing import Literal

import msgspec

STEPS = (5, 120, 3600)  # seconds
KEEP = {5: 1_800.0, 120: 43_200.0, 3600: 1_209_600.0}  # seconds, by the step
CLUSTER_SERIES = "cluster"
NODE_COUNT = "nodes."  # begins the names of how many nodes are in which status

PAGES, BYTES, ERRORS = "pages", "bytes", "errors"  # per second; what heartbeats tell, and samples too
READINGS = {  # of heartbeats that a node's series shows, by the names that they have in it
    "cpu": "cpu_usage",
    "memory": "memory_usage",
    "disk": "disk_usage",
    "received": "network_received",
    "sent": "network_sent",
    "pages": PAGES,
}

_TASK_SERIES = "task:"
_NODE_SERIES = "node:"


class Sample(msgspec.Struct, frozen=True, kw_only=True):
    """Means over one step of a series. None stands for what is not known.

    `seconds` is the time that was looked at: more than the step where the look before was longer ago,
    less where a step is not over, or was seen only in part.
    """

    series: str  # "cluster", or that of a task
    step: int  # seconds
    at: float  # when the step begins: a multiple of the step, in Unix time
    seconds: float
    means: dict[str, float | None] = {}


class Span(StrEnum):
    """How far back a chart looks."""

    MINUTES = "15m"
    HOURS = "6h"
    DAYS = "7d"

    @property
    def step(self) -> Literal[5, 120, 3600]:
        """Seconds from one point to the next."""
        match self:
            case Span.MINUTES:
                return 5
            case Span.HOURS:
                return 120
            case Span.DAYS:
                return 3600

    @property
    def points(self) -> int:
        """How many there are, at most."""
        return {Span.MINUTES: 180, Span.HOURS: 180, Span.DAYS: 168}[self]


def task_series(task_id: str) -> str:
    """The name of a task's series."""
    return f"{_TASK_SERIES}{task_id}"


def node_series(node_id: str) -> str:
    """The name of a node's series."""
    return f"{_NODE_SERIES}{node_id}"


def node_sample(node_id: str, step: int, at: float, means: Iterable[float | None]) -> Sample:
    """A sample of what a node told: the means of `READINGS`, of its load and of its tasks, in this order."""
    told = zip((*READINGS, "load", "active_tasks"), means, strict=True)
    known = {name: mean for name, mean in told if mean is not None}
    return Sample(series=node_series(node_id), step=step, at=at, seconds=float(step), means={**known})
