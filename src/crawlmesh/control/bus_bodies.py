"""What messages of the event bus look like: as the HTTP interface answers, which the wiring brings in."""

from collections.abc import Callable
from typing import NamedTuple

import msgspec

from crawlmesh.model.event import Event
from crawlmesh.model.record import Record


def _plain_record(task_id: str, record: Record) -> bytes:
    return msgspec.json.encode({"task_id": task_id, "url": record.url, "data": msgspec.Raw(record.data)})


class BusBodies(NamedTuple):
    """Encode events, and records with the id of their task."""

    event: Callable[[Event], bytes] = msgspec.json.encode
    record: Callable[[str, Record], bytes] = _plain_record


PLAIN_BODIES = BusBodies()
