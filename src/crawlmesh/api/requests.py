"""What clients may send, with bounds. Unknown fields are refused: a misspelt one must be noticed."""

from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import UNSET, Meta, UnsetType

from crawlmesh.api.shapes.moments import LAST_MOMENT
from crawlmesh.model.access import Role
from crawlmesh.model.cluster import ClusterStatus
from crawlmesh.protocol.crawl_parameters import LONGEST_URL
from crawlmesh.protocol.task_messages import NewTask
from crawlmesh.protocol.texts import NO_NUL, Name, NameOrEmpty

Text = Annotated[str, Meta(max_length=10_000, pattern=NO_NUL)]
_MOST_FIELDS = 500  # of a page that is looked at
_MOST_ENTRIES = 64  # of capabilities, resources, features, categories

Priority = Annotated[int, Meta(ge=1, le=10, description="10 is done first.")]


class TaskRequest(NewTask, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A task. What is left out comes from the settings of the master."""

    task_type: Name = "web_crawl"
    project_id: Name = "default"
    workflow_id: NameOrEmpty | None = None
    cluster_id: NameOrEmpty | None = None
    priority: Priority = 5
    min_resources: Annotated[
        dict[NameOrEmpty, Annotated[int, Meta(ge=0, le=10**15)] | Annotated[float, Meta(ge=0, le=1e15)]],
        Meta(max_length=_MOST_ENTRIES),
    ] = {}
    # No pattern within this union: msgspec 0.22 takes such a type apart wrongly, and the process crashes.
    capabilities: Annotated[
        dict[NameOrEmpty, int | float | bool | str | list[str]], Meta(max_length=_MOST_ENTRIES)
    ] = {}
    content_features: Annotated[dict[NameOrEmpty, Any], Meta(max_length=_MOST_ENTRIES)] = {}
    target_region: NameOrEmpty | None = None
    node_type: NameOrEmpty | None = None
    categories: Annotated[tuple[NameOrEmpty, ...], Meta(max_length=_MOST_ENTRIES)] = ()
    max_retries: Annotated[int, Meta(ge=0, le=1000)] | None = None
    timeout: Annotated[float, Meta(gt=0, le=366 * 86_400, description="Seconds for one go.")] | None = None
    max_nodes: Annotated[int, Meta(ge=1, le=10_000)] | None = None


class TasksRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Many tasks, 10,000 at the most; all are taken, or none."""

    tasks: Annotated[tuple[TaskRequest, ...], Meta(min_length=1)]


class TaskUpdate(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What may be changed in a task."""

    priority: Priority


class TaskIds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which tasks are meant."""

    ids: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=1000)]


class TaskPriorities(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which tasks get which priority."""

    ids: Annotated[tuple[Name, ...], Meta(min_length=1, max_length=1000)]
    priority: Priority


class FailedUrls(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Which of the URLs that were given up are meant; all conditions must hold, and none means all."""

    reason: Annotated[Name, Meta(description="Only those given up for this reason.")] | None = None
    urls: (
        Annotated[
            tuple[Annotated[str, Meta(max_length=LONGEST_URL, pattern=NO_NUL)], ...],
            Meta(min_length=1, max_length=1000, description="Only these."),
        ]
        | None
    ) = None


class PreviewRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A page to look at, and what to take from it, under all names of `selectors` and of `extraction`."""

    url: Annotated[
        str,
        Meta(
            max_length=LONGEST_URL,
            description="The address, such as https://example.com/products.",
            extra_json_schema={"format": "crawl-url"},
        ),
    ]
    selectors: Annotated[
        dict[NameOrEmpty, Annotated[str, Meta(max_length=10_000)]],
        Meta(max_length=_MOST_FIELDS, description="Names, and the selector of each."),
    ] = {}
    extraction: Annotated[
        dict[str, Any],
        Meta(max_length=_MOST_FIELDS, description="A specification as tasks take it under `selectors`."),
    ] = {}
    metadata: Annotated[bool, Meta(description="Whether to take the metadata of the page, too.")] = False
    refresh: Annotated[bool, Meta(description="Fetch the page, also where it is still remembered.")] = False


class ClusterRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new cluster."""

    name: Name
    project_id: Name = "default"
    description: Text = ""
    configuration: dict[str, Any] = {}
    status: ClusterStatus = ClusterStatus.ACTIVE


class ClusterUpdate(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What may be changed in a cluster; what is left out stays."""

    name: Name | UnsetType = UNSET
    description: Text | UnsetType = UNSET
    configuration: dict[str, Any] | UnsetType = UNSET
    status: ClusterStatus | UnsetType = UNSET


class HostLimitsRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The limits of a host, all of them: what is left out does not limit it."""

    delay: (
        Annotated[float, Meta(ge=0, le=86_400, description="Seconds between two requests at least.")] | None
    ) = None
    slots: Annotated[int, Meta(ge=1, le=10_000, description="Requests at once at most.")] | None = None
    blocked: Annotated[bool, Meta(description="Nothing is asked of it; its links wait.")] = False


class KeyRequest(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A new key. Without `expires_at` (Unix seconds, or ISO 8601) it is good until it is deleted."""

    name: Name
    role: Role
    expires_at: Annotated[float, Meta(gt=0, le=LAST_MOMENT)] | Annotated[datetime, Meta(tz=True)] | None = (
        None
    )


class SessionRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The key to sign in with."""

    key: Annotated[str, Meta(min_length=1, max_length=1000)]
