"""A cluster: nodes that belong together (N9)."""

from enum import StrEnum
from typing import Any

import msgspec

DEFAULT_CLUSTER = "default"


class ClusterStatus(StrEnum):
    """Whether the nodes of a cluster get work: only those of an active one do."""

    ACTIVE = "active"
    INACTIVE = "inactive"
    MAINTENANCE = "maintenance"


class Cluster(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster. Its name is unique in its project."""

    id: str
    name: str
    project_id: str = "default"
    description: str = ""
    configuration: dict[str, Any] = {}
    status: ClusterStatus = ClusterStatus.ACTIVE
    created_at: float = 0.0
    updated_at: float = 0.0
