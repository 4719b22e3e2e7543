"""Nodes, clusters and keys in answers. Hashes of tokens and keys never leave the master."""

from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from crawlmesh.api.shapes.moments import if_any, moment, moment_if_any, plain_numbers
from crawlmesh.control.node_stats import NodeStats
from crawlmesh.model.access import ApiKey, Role
from crawlmesh.model.cluster import Cluster, ClusterStatus
from crawlmesh.model.node import HealthStatus, Heartbeat, Node, NodeStatus


class HealthShape(msgspec.Struct, frozen=True, kw_only=True):
    """What the health checks found, and the readings it rests on."""

    status: HealthStatus
    details: dict[str, Any]
    timestamp: str | UnsetType = UNSET


class NodeShape(msgspec.Struct, frozen=True, kw_only=True):
    """A node, with the columns of S2 8.5.1 first."""

    id: str
    cluster_id: str
    name: str
    description: str
    ip_address: str
    port: int
    node_type: str
    capabilities: dict[str, Any]
    resources: dict[str, float]
    status: NodeStatus
    last_heartbeat: str | UnsetType = UNSET
    health: HealthShape
    created_at: str
    updated_at: str
    region: str
    slots: int
    weight: float
    task_types: Sequence[str]
    reason: str | UnsetType = UNSET
    load: float
    usage: dict[str, float]
    active_tasks: int
    session: int


class HeartbeatShape(msgspec.Struct, frozen=True, kw_only=True):
    """What a node said of itself."""

    node_id: str
    at: str
    usage: dict[str, float]
    load: float
    active_tasks: Sequence[str]
    task_errors: int
    task_latency: float


class NewToken(msgspec.Struct, frozen=True):
    """The new token of a node. It is told only here; the one before is no longer good."""

    node_id: str
    token: str


class ClusterShape(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster, with the columns of S2 8.5.4 first."""

    id: str
    project_id: str
    name: str
    description: str
    configuration: dict[str, Any]
    status: ClusterStatus
    created_at: str
    updated_at: str
    nodes: int | UnsetType = UNSET
    online: int | UnsetType = UNSET


class KeyShape(msgspec.Struct, frozen=True, kw_only=True):
    """A key. `key`, the secret itself, is told once: when it is made."""

    id: str
    name: str
    role: Role
    created_at: str
    expires_at: str | UnsetType = UNSET
    last_used_at: str | UnsetType = UNSET
    key: str | UnsetType = UNSET


def node_shape(node: Node) -> NodeShape:
    """A node."""
    return NodeShape(
        id=node.id,
        cluster_id=node.cluster_id,
        name=node.name,
        description=node.description,
        ip_address=node.ip_address,
        port=node.port,
        node_type=node.node_type,
        capabilities=node.capabilities,
        resources=plain_numbers(node.resources),
        status=node.status,
        last_heartbeat=moment_if_any(node.last_heartbeat),
        health=HealthShape(
            status=node.health.status,
            details=node.health.details,
            timestamp=moment_if_any(node.health.timestamp),
        ),
        created_at=moment(node.created_at),
        updated_at=moment(node.updated_at),
        region=node.region,
        slots=node.slots,
        weight=node.weight,
        task_types=node.task_types,
        reason=if_any(node.reason),
        load=node.load,
        usage=node.usage,
        active_tasks=node.active_tasks,
        session=node.session,
    )


def heartbeat_shape(heartbeat: Heartbeat) -> HeartbeatShape:
    """A heartbeat."""
    return HeartbeatShape(
        node_id=heartbeat.node_id,
        at=moment(heartbeat.at),
        usage=heartbeat.usage,
        load=heartbeat.load,
        active_tasks=heartbeat.active_tasks,
        task_errors=heartbeat.task_errors,
        task_latency=heartbeat.task_latency,
    )


def cluster_shape(
    cluster: Cluster, nodes: int | UnsetType = UNSET, online: int | UnsetType = UNSET
) -> ClusterShape:
    """A cluster, with how many nodes it has where that was counted."""
    return ClusterShape(
        id=cluster.id,
        project_id=cluster.project_id,
        name=cluster.name,
        description=cluster.description,
        configuration=cluster.configuration,
        status=cluster.status,
        created_at=moment(cluster.created_at),
        updated_at=moment(cluster.updated_at),
        nodes=nodes,
        online=online,
    )


def key_shape(key: ApiKey, secret: str | UnsetType = UNSET) -> KeyShape:
    """A key, or the one that a session hangs on; its secret only where it was just made."""
    return KeyShape(
        id=key.session_of or key.id,
        name=key.name,
        role=key.role,
        created_at=moment(key.created_at),
        expires_at=moment_if_any(key.expires_at),
        last_used_at=moment_if_any(key.last_used_at),
        key=secret,
    )


class NodeStatsShape(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers over the latest thousand executions of a node; durations in seconds, sizes in bytes."""

    node_id: str
    status: NodeStatus
    running: int
    slots: int
    completed: int
    failed: int
    by_end: dict[str, int]
    success_rate: float | None
    mean_duration: float | None
    pages_crawled: int
    data_size: int
    load: float
    usage: dict[str, float]


def node_stats_shape(stats: NodeStats) -> NodeStatsShape:
    """How a node fares."""
    return NodeStatsShape(
        node_id=stats.node.id,
        status=stats.node.status,
        running=stats.running,
        slots=stats.slots,
        completed=stats.completed,
        failed=stats.failed,
        by_end=stats.by_end,
        success_rate=stats.success_rate,
        mean_duration=stats.mean_duration,
        pages_crawled=stats.pages_crawled,
        data_size=stats.data_size,
        load=stats.node.load,
        usage=stats.node.usage,
    )
