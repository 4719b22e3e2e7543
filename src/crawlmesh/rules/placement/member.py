"""A node in the fleet, and when it may get work."""

from typing import Final

from crawlmesh.model.node import HealthStatus, Node, NodeStatus
from crawlmesh.rules.compatibility import Obstacle
from crawlmesh.rules.node_health import is_only_overloaded
from crawlmesh.rules.placement.base import Candidate, Order

FULL: Final = Obstacle("is full", "are full")
OVERLOADED: Final = Obstacle("is overloaded", "are overloaded")
INACTIVE_CLUSTER: Final = Obstacle(
    "is in a cluster that is not active", "are in a cluster that is not active"
)

_BY_STATUS: Final = {
    NodeStatus.PENDING: Obstacle("has not spoken yet", "have not spoken yet"),
    NodeStatus.DRAINING: Obstacle("is draining", "are draining"),
    NodeStatus.MAINTENANCE: Obstacle("is in maintenance", "are in maintenance"),
    NodeStatus.UNRESPONSIVE: Obstacle("is unresponsive", "are unresponsive"),
    NodeStatus.OFFLINE: Obstacle("is offline", "are offline"),
}
_BY_HEALTH: Final = {
    HealthStatus.UNHEALTHY: Obstacle("is unhealthy", "are unhealthy"),
    HealthStatus.UNREACHABLE: Obstacle("is unreachable", "are unreachable"),
}

Key = tuple[float, float, str]


def unready(node: Node) -> Obstacle | None:
    """Why the node gets no work at the moment, whatever the task; None where it may, if as a last resort."""
    return _BY_STATUS.get(node.status) or (
        None if is_only_overloaded(node) else _BY_HEALTH.get(node.health.status)
    )


def is_last_resort(node: Node) -> bool:
    """Whether the node gets work only where all that fit are like it: online, but overloaded."""
    return node.status is NodeStatus.ONLINE and is_only_overloaded(node)


class Member:
    """A node with what the fleet knows of it. `stamp` changes whenever its place in an order may.

    `free` is how many executions it may still get.
    """

    __slots__ = ("free", "node", "obstacle", "running", "stamp", "turn")

    def __init__(self, node: Node, running: int) -> None:
        self.turn = 0
        self.stamp = 0
        self.renew(node, running)

    def renew(self, node: Node, running: int) -> None:
        """What is known now."""
        self.node = node
        self.obstacle = unready(node)
        self.count(running)

    def count(self, running: int) -> None:
        """It has so many executions now."""
        self.running = running
        self.free = 0 if self.obstacle else max(0, self.node.slots - running)

    def candidate(self) -> Candidate:
        """As strategies see it."""
        return Candidate(self.node, self.running)

    def key(self, order: Order) -> Key:
        """Where it stands in an order; smaller comes first, and no two are the same."""
        node = self.node
        if order is Order.LOAD:
            return (self.running / max(node.slots, 1), node.load, node.id)
        if order is Order.SHARE:
            return (self.running / node.weight if node.weight > 0 else float("inf"), -node.weight, node.id)
        return (float(self.turn), 0.0, node.id)
