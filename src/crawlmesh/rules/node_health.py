"""How a node is doing, from whether it answers and from what its heartbeats say (N5)."""

from collections.abc import Sequence

import msgspec

from crawlmesh.model.event import Event, EventType
from crawlmesh.model.node import HealthStatus, Heartbeat, Node, NodeHealth
from crawlmesh.rules.node_lifecycle import unavailable_event

HIGH_USAGE = "High resource usage"  # the reason of a node that is well but for its processors or memory
WITHOUT_WORK = frozenset({HealthStatus.UNHEALTHY, HealthStatus.UNREACHABLE})  # such nodes get none


class HealthThresholds(msgspec.Struct, frozen=True, kw_only=True):
    """What is too much: each is compared with "above"."""

    cpu: float = 0.90  # share of all cores
    memory: float = 0.95  # share
    task_errors: int = 0  # in the window
    task_latency: float = 5.0  # seconds that tasks wait on the node for their start
    readings: int = 3  # heartbeats whose mean counts for processors and memory


class HeartbeatSummary(msgspec.Struct, frozen=True, kw_only=True):
    """What the heartbeats of the window say together. `heard` is False where there were none."""

    heard: bool = False
    cpu_usage: float = 0.0  # the mean of the latest ones, 0 … 1
    memory_usage: float = 0.0  # the same
    task_count: int = 0  # the latest
    task_errors: int = 0  # all of them
    task_latency: float = 0.0  # seconds, the mean of those that had any


def summarize(heartbeats: Sequence[Heartbeat], readings: int = 3, since: float = 0.0) -> HeartbeatSummary:
    """Heartbeats, oldest first, in one: errors and latencies of those since a moment, and the last readings.

    The mean of some readings counts, because one moment of hard work says little about a node.
    """
    if not heartbeats:
        return HeartbeatSummary()
    window = [one for one in heartbeats if one.at >= since]
    latencies = [one.task_latency for one in window if one.task_latency > 0]
    return HeartbeatSummary(
        heard=True,
        cpu_usage=_mean(heartbeats[-readings:], "cpu_usage"),
        memory_usage=_mean(heartbeats[-readings:], "memory_usage"),
        task_count=len(heartbeats[-1].active_tasks),
        task_errors=sum(one.task_errors for one in window),
        task_latency=sum(latencies) / len(latencies) if latencies else 0.0,
    )


def _mean(heartbeats: Sequence[Heartbeat], reading: str) -> float:
    return sum(one.usage.get(reading, 0.0) for one in heartbeats) / len(heartbeats)


def summary_of_node(node: Node) -> HeartbeatSummary:
    """What the latest heartbeat left on the node's row, where its history is not at hand."""
    return HeartbeatSummary(
        heard=node.last_heartbeat is not None,
        cpu_usage=node.usage.get("cpu_usage", 0.0),
        memory_usage=node.usage.get("memory_usage", 0.0),
        task_count=node.active_tasks,
    )


def judge(
    reachable: bool | None, node: Node, recent: HeartbeatSummary, thresholds: HealthThresholds, now: float
) -> NodeHealth:
    """How the node is doing. `reachable` is None where it has no address to be reached at.

    Without heartbeats in the window, the readings are those that the node's row still has.
    """
    if reachable is False:
        return NodeHealth(HealthStatus.UNREACHABLE, {"error": "Node is unreachable"}, now)
    readings = recent if recent.heard else summary_of_node(node)
    if not readings.heard and reachable is None:
        return NodeHealth(HealthStatus.UNKNOWN, {"reason": "No heartbeat yet"}, now)
    cpu, memory = readings.cpu_usage, readings.memory_usage
    if cpu > thresholds.cpu or memory > thresholds.memory:
        details = {"reason": HIGH_USAGE, "cpu": cpu, "memory": memory}
        return NodeHealth(HealthStatus.UNHEALTHY, details, now)
    if readings.task_errors > thresholds.task_errors:
        details = {"reason": "Task errors detected", "error_count": readings.task_errors}
        return NodeHealth(HealthStatus.DEGRADED, details, now)
    if readings.task_latency > thresholds.task_latency:
        details = {"reason": "High task latency", "latency": readings.task_latency}
        return NodeHealth(HealthStatus.DEGRADED, details, now)
    details = {"cpu_usage": cpu, "memory_usage": memory, "task_count": readings.task_count}
    return NodeHealth(HealthStatus.HEALTHY, details, now)


def is_only_overloaded(node: Node) -> bool:
    """Whether nothing is wrong with the node but how much it has to do."""
    return node.health.status is HealthStatus.UNHEALTHY and node.health.details.get("reason") == HIGH_USAGE


def health_events(node: Node, found: NodeHealth, now: float) -> list[Event]:
    """What to tell when a check found this; nothing where the status is as before."""
    if found.status is node.health.status:
        return []
    data = {
        "node_id": node.id,
        "old_status": node.health.status,
        "new_status": found.status,
        "details": found.details,
    }
    events = [Event(type=EventType.NODE_HEALTH_CHANGED, at=now, node_id=node.id, data=data)]
    if found.status in WITHOUT_WORK and node.health.status not in WITHOUT_WORK:
        events.append(unavailable_event(node, now))
    return events
