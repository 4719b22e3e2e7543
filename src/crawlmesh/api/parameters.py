"""Query parameters and headers that several operations have."""

import re
from datetime import UTC, datetime
from typing import Annotated, Any

from fastapi import Header, Query
from pydantic import AwareDatetime, BeforeValidator

from crawlmesh.model.event import EventType
from crawlmesh.model.node import HealthStatus, NodeStatus
from crawlmesh.model.task import TaskStatus
from crawlmesh.protocol.cursors import NUMBER_CURSOR
from crawlmesh.protocol.texts import NO_NUL

_MOMENT = re.compile(r"\d{4}-\d{2}-\d{2}[Tt ]")


def _split(values: Any) -> Any:
    """`a,b` stands for two values, as does `status=a&status=b`."""
    if not isinstance(values, list):
        return values
    return [part for value in values for part in (value.split(",") if isinstance(value, str) else [value])]


def _written_out(value: Any) -> Any:
    """Only `2023-06-15T10:30:45Z` and its like: a bare number may be seconds or milliseconds."""
    if isinstance(value, str) and not _MOMENT.match(value):
        raise ValueError("it must be a moment such as 2023-06-15T10:30:45Z")
    return value


Statuses = Annotated[
    list[TaskStatus],
    BeforeValidator(_split),
    Query(description="Only tasks in one of these statuses; several with commas or repeated."),
]
NodeStatuses = Annotated[
    list[NodeStatus], BeforeValidator(_split), Query(description="Only nodes in one of these statuses.")
]
HealthStatuses = Annotated[
    list[HealthStatus],
    BeforeValidator(_split),
    Query(description="Only nodes in one of these states of health."),
]
EventTypes = Annotated[
    list[EventType], BeforeValidator(_split), Query(description="Only events of these types; none: all.")
]
HIGHEST_ID = 2**63 - 1

After = Annotated[int, Query(ge=0, le=HIGHEST_ID, description="Only what has a higher id than this one.")]

# Where a stream of events goes on: both say the same, the header for browsers that come back.
StreamAfter = Annotated[int | None, Query(ge=0, le=HIGHEST_ID, description="Go on after this id.")]
LastEventId = Annotated[
    str | None,
    Header(
        alias="Last-Event-ID",
        pattern=NUMBER_CURSOR,
        description="Go on after this id; wins over `after`.",
        examples=["4711"],
    ),
]
Moment = Annotated[
    AwareDatetime | None,
    BeforeValidator(_written_out),
    Query(description="A moment as in ISO 8601, with its time zone."),
]
IdempotencyKey = Annotated[
    str | None,
    Header(
        alias="Idempotency-Key",
        min_length=1,
        max_length=255,
        pattern=r"^[\x20-\x7e]+$",
        description="The same request with the same key is done once; kept for a day.",
        examples=["8e03978e-40d5-43e8-bc93-6894a57f9324"],
    ),
]


def text_filter(description: str) -> Any:
    """A condition on a text."""
    return Query(min_length=1, max_length=255, pattern=NO_NUL, description=description)


def unix(moment: datetime | None) -> float | None:
    """Unix seconds."""
    return None if moment is None else moment.astimezone(UTC).timestamp()
