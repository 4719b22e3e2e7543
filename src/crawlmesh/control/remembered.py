"""What a master keeps in memory to save questions to the store. Nothing depends on its being there."""

import asyncio
from typing import TYPE_CHECKING

from crawlmesh.control.remembered_answer import RememberedAnswer
from crawlmesh.model.access import ApiKey
from crawlmesh.model.attention import AttentionList
from crawlmesh.model.crawl import CrawlFilter
from crawlmesh.model.node import Node, NodeStatus
from crawlmesh.rules.placement.fleet import Fleet

if TYPE_CHECKING:
    from crawlmesh.control.overview import Overview
    from crawlmesh.control.task_stats import TaskStats

_MOST_NODES = 50_000
_MOST_STOP_ORDERS = 100_000


class Remembered:
    """Nodes and keys that proved who they are, and stop orders that were given; moments are monotonic."""

    def __init__(self) -> None:
        self._nodes: dict[str, tuple[float, Node]] = {}
        self._stop_orders: dict[str, float] = {}
        self._statuses_told: dict[str, str] = {}
        self.fleet: Fleet | None = None  # the leader's own, or one that was read just now
        self.fleet_until = float("-inf")
        self.keys: dict[str, ApiKey] = {}  # by hash
        self.keys_read_at = float("-inf")
        self.keys_forgotten = 0  # how often: what was asked for before such a moment is not to be kept
        self.reading_keys = asyncio.Lock()
        self.attention = RememberedAnswer[AttentionList](life=5.0, share_of_time=10.0)
        self.filters = RememberedAnswer[list[CrawlFilter]](life=10.0, share_of_time=20.0)
        self.overview: RememberedAnswer[Overview] = RememberedAnswer(share_of_time=20.0)
        self.task_stats: RememberedAnswer[TaskStats] = RememberedAnswer(share_of_time=20.0)

    def node(self, node_id: str, now: float, life: float) -> Node | None:
        """The node as it was at most `life` seconds ago."""
        found = self._nodes.get(node_id)
        return found[1] if found is not None and found[0] + life > now else None

    @property
    def known_nodes(self) -> int:
        """How many nodes spoke to this master, about."""
        return len(self._nodes)

    def keep_node(self, node: Node, now: float) -> None:
        """Remember a node."""
        if len(self._nodes) >= _MOST_NODES:
            self._nodes.clear()
        self._nodes[node.id] = (now, node)

    def forget_node(self, node_id: str) -> None:
        """Its token or its session changed."""
        self._nodes.pop(node_id, None)

    def stop_ordered(self, execution_id: str) -> float:
        """When the order was last given."""
        return self._stop_orders.get(execution_id, float("-inf"))

    def keep_stop_order(self, execution_id: str, now: float) -> None:
        """Remember that the order was given."""
        if len(self._stop_orders) >= _MOST_STOP_ORDERS:
            self._stop_orders.clear()
        self._stop_orders[execution_id] = now

    def status_told(self, node_id: str) -> str:
        """What the node was last told of its own status; a node believes that it is online."""
        return self._statuses_told.get(node_id, NodeStatus.ONLINE)

    def keep_status_told(self, node_id: str, status: str) -> None:
        """Remember what the node was told."""
        if status == NodeStatus.ONLINE:
            self._statuses_told.pop(node_id, None)
        else:
            self._statuses_told[node_id] = status

    def forget_keys(self) -> None:
        """Read them anew with the next question."""
        self.keys_read_at = float("-inf")
        self.keys_forgotten += 1
