"""What the live stream carries."""

from collections.abc import Sequence
from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, UnsetType

from crawlmesh.api.shapes.events import EventShape
from crawlmesh.api.shapes.series import ClusterPoint
from crawlmesh.api.shapes.system import OverviewShape


class LiveSnapshot(msgspec.Struct, frozen=True):
    """The cluster now, and the newest point of its series; null where nobody samples it."""

    overview: OverviewShape
    point: ClusterPoint | None


class LiveEvents(msgspec.Struct, frozen=True):
    """What happened since the message before, oldest first. `skipped`: how many older ones are left out."""

    items: Sequence[EventShape]
    skipped: int
    last_id: int


class LiveMessage(msgspec.Struct, frozen=True):
    """A message of the live stream. `data` is the JSON of a `LiveSnapshot` or of `LiveEvents`.

    `id` is the `last_id` of events; a snapshot has none.
    """

    event: Literal["snapshot", "events"]
    data: Annotated[
        str,
        Meta(
            extra_json_schema={
                "contentMediaType": "application/json",
                "contentSchema": {
                    "anyOf": [
                        {"$ref": "#/components/schemas/LiveSnapshot"},
                        {"$ref": "#/components/schemas/LiveEvents"},
                    ]
                },
            }
        ),
    ]
    id: str | UnsetType = UNSET
