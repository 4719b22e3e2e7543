"""A node: a machine with a worker."""

from enum import StrEnum
from typing import Any

import msgspec


class NodeStatus(StrEnum):
    """Where a node stands. `crawlmesh.rules.node_lifecycle` has the table of allowed moves."""

    PENDING = "pending"  # registered, never heard of since
    ONLINE = "online"
    DRAINING = "draining"  # finishes what runs, takes nothing new, then goes offline
    MAINTENANCE = "maintenance"
    UNRESPONSIVE = "unresponsive"  # silent for the heartbeat time-out; its work is released
    OFFLINE = "offline"


class HealthStatus(StrEnum):
    """What the health checks found (N5)."""

    UNKNOWN = "unknown"
    HEALTHY = "healthy"
    DEGRADED = "degraded"
    UNHEALTHY = "unhealthy"
    UNREACHABLE = "unreachable"


class NodeHealth(msgspec.Struct, frozen=True):
    """The latest result of the health checks."""

    status: HealthStatus = HealthStatus.UNKNOWN
    details: dict[str, Any] = {}  # `reason` and the readings it rests on
    timestamp: float | None = None


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """A node as the masters know it. `fence` grows with every change but that of a plain heartbeat.

    `session` grows with every registration: what an earlier process of this node says is refused.
    """

    id: str
    identity: str  # who registers with the same one is the same node
    name: str
    cluster_id: str = "default"
    description: str = ""
    ip_address: str = "127.0.0.1"
    port: int = 0  # where the worker answers health checks; 0: nowhere
    node_type: str = "standard"
    region: str = ""
    capabilities: dict[str, Any] = {}
    resources: dict[str, int | float] = {}  # cpu, memory_mb, gpu, network_bandwidth_mbps
    slots: int = 3  # tasks at once
    weight: float = 1.0  # share of work under the strategy `weighted`
    task_types: tuple[str, ...] = ()  # that it has executors for; empty: not told, so any

    status: NodeStatus = NodeStatus.ONLINE
    reason: str | None = None
    health: NodeHealth = NodeHealth()
    token_hash: str = ""  # SHA-256, hexadecimal
    session: int = 1
    fence: int = 1
    last_heartbeat: float | None = None
    load: float = 0.0  # 0 … 1
    usage: dict[str, float] = {}  # the latest readings: cpu_usage, memory_usage …
    active_tasks: int = 0  # as the node said itself
    created_at: float = 0.0
    updated_at: float = 0.0


class Heartbeat(msgspec.Struct, frozen=True, kw_only=True):
    """What a node reports of itself."""

    node_id: str
    at: float
    usage: dict[str, float] = {}  # cpu_usage, memory_usage, gpu_usage (0 … 1), network and disk (bytes/s) …
    load: float = 0.0
    active_tasks: tuple[str, ...] = ()
    task_errors: int = 0  # since the last one
    task_latency: float = 0.0  # seconds that tasks waited there for their start, mean since the last one
