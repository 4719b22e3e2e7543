"""Events and lines of logs in answers."""

from collections.abc import Sequence
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from crawlmesh.api.shapes.moments import if_any, moment
from crawlmesh.model.event import Event, EventType
from crawlmesh.model.log_line import LogLine

_MOMENTS = frozenset({"created_at", "last_heartbeat", "timestamp"})
_WITH_MOMENTS = frozenset({"result", "task_info"})


class EventShape(msgspec.Struct, frozen=True, kw_only=True):
    """What happened. Ids only grow."""

    id: int
    type: EventType
    at: str
    task_id: str | UnsetType = UNSET
    node_id: str | UnsetType = UNSET
    data: dict[str, Any]


class EventsAnswer(msgspec.Struct, frozen=True):
    """Events in the order that was asked for. Ask with `after` = `last_id`, the highest, for what follows."""

    items: Sequence[EventShape]
    last_id: int


class StreamedEvent(msgspec.Struct, frozen=True):
    """An event in a stream of server-sent events. `data` is the JSON of an `EventShape`."""

    id: str
    event: EventType
    data: Annotated[
        str,
        Meta(
            extra_json_schema={
                "contentMediaType": "application/json",
                "contentSchema": {"$ref": "#/components/schemas/EventShape"},
            }
        ),
    ]


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
        data=_with_moments(event.data),
    )


def _with_moments(data: dict[str, Any]) -> dict[str, Any]:
    """The data with its moments as they stand elsewhere; a heartbeat has its own in Unix seconds (S2)."""
    return {name: _shown(name, value) for name, value in data.items()}


def _shown(name: str, value: Any) -> Any:
    if name in _MOMENTS and isinstance(value, int | float):
        return moment(value)
    return _with_moments(value) if name in _WITH_MOMENTS and isinstance(value, dict) else value


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
