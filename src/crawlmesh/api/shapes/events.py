"""Events and lines of logs in answers."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from crawlmesh.api.shapes.moments import if_any, moment
from crawlmesh.model.event import Event, EventType
from crawlmesh.model.log_line import LogLine


class EventShape(msgspec.Struct, frozen=True, kw_only=True):
    """What happened. Ids only grow."""

    id: int
    type: EventType
    at: str
    task_id: str | UnsetType = UNSET
    node_id: str | UnsetType = UNSET
    data: dict[str, Any]


class EventsAnswer(msgspec.Struct, frozen=True):
    """Events, oldest first. Ask with `after` = `last_id` for those that follow."""

    items: Sequence[EventShape]
    last_id: int


class LogLineShape(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the log of an execution. Ids only grow."""

    id: int
    task_id: str
    execution_id: str
    node_id: str
    at: str
    level: str
    message: str


class LogsAnswer(msgspec.Struct, frozen=True):
    """Lines, oldest first. Ask with `after` = `last_id` for those that follow."""

    items: Sequence[LogLineShape]
    last_id: int


def event_shape(event: Event) -> EventShape:
    """An event."""
    return EventShape(
        id=event.id,
        type=event.type,
        at=moment(event.at),
        task_id=if_any(event.task_id),
        node_id=if_any(event.node_id),
        data=event.data,
    )


def log_line_shape(line: LogLine) -> LogLineShape:
    """A line of a log."""
    return LogLineShape(
        id=line.id,
        task_id=line.task_id,
        execution_id=line.execution_id,
        node_id=line.node_id,
        at=moment(line.at),
        level=line.level,
        message=line.message,
    )
