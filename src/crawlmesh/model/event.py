"""Events: what happened in the cluster, in order (A3)."""

from enum import StrEnum
from typing import Any

import msgspec


class EventType(StrEnum):
    """Everything that is told to listeners."""

    NODE_REGISTERED = "node.registered"
    NODE_UNREGISTERED = "node.unregistered"
    NODE_HEARTBEAT = "node.heartbeat"
    NODE_TIMEOUT = "node.timeout"
    NODE_HEALTH_CHANGED = "node.health_changed"
    NODE_STATUS_CHANGED = "node.status_changed"
    NODE_UNAVAILABLE = "scheduler.node_unavailable"
    TASK_CREATED = "task.created"
    TASK_ASSIGNED = "task.assigned"
    TASK_REASSIGN = "task.reassign"
    TASK_STATUS_CHANGED = "task.status_changed"  # paused, resumed, cancelled, retried
    TASK_COMPLETED = "task.completed"
    TASK_FAILED = "task.failed"
    TASK_TIMEOUT = "task.timeout"
    TASK_FILTER_NEARLY_FULL = "task.filter_nearly_full"
    HOST_LIMITS_CHANGED = "host.limits_changed"
    LEADER_CHANGED = "leader.changed"


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One event. The store gives the `id`; ids only grow, so that a listener can go on where it was."""

    type: EventType
    at: float
    data: dict[str, Any] = {}
    task_id: str | None = None
    node_id: str | None = None
    id: int = 0
