"""Bodies of the messages on the event bus: what the HTTP interface would answer."""

import msgspec

from crawlmesh.api.shapes.crawls import RecordShape, record_shape
from crawlmesh.api.shapes.events import event_shape
from crawlmesh.model.event import Event
from crawlmesh.model.record import Record


class _PublishedRecord(RecordShape, frozen=True, kw_only=True):
    task_id: str


def event_body(event: Event) -> bytes:
    """An event as JSON."""
    return msgspec.json.encode(event_shape(event))


def record_body(task_id: str, record: Record) -> bytes:
    """A record as JSON, with its task."""
    fields = msgspec.structs.asdict(record_shape(record))
    return msgspec.json.encode(_PublishedRecord(**fields, task_id=task_id))
