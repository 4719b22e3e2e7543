"""Nodes with their indexes, and the history of their heartbeats."""

import heapq
from bisect import bisect_left, insort
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import islice, takewhile

import msgspec

from crawlmesh.adapters.memory.ordered_keys import OrderedKeys
from crawlmesh.model.node import HealthStatus, Heartbeat, Node, NodeHealth, NodeStatus
from crawlmesh.model.query import NodeGroup, NodePage, NodeQuery

_NEVER = float("-inf")


class NodeTable:
    """All nodes."""

    def __init__(self) -> None:
        self.rows: dict[str, Node] = {}
        self._by_identity: dict[str, str] = {}
        self._ids: OrderedKeys[str] = OrderedKeys()
        self._changed: OrderedKeys[tuple[float, str]] = OrderedKeys()
        self._heard: dict[NodeStatus, OrderedKeys[tuple[float, str]]] = {
            status: OrderedKeys() for status in NodeStatus
        }
        self._in_cluster: Counter[str] = Counter()
        self._history: dict[str, list[Heartbeat]] = {}  # by moment

    def change(self, node: Node) -> bool:
        """Add or replace a node; False where its fence does not follow, or another has its identity."""
        old = self.rows.get(node.id)
        if node.fence != (1 if old is None else old.fence + 1):
            return False
        if self._by_identity.get(node.identity, node.id) != node.id:
            return False
        if old is not None:
            if node.session == old.session:
                node = msgspec.structs.replace(
                    node,
                    last_heartbeat=old.last_heartbeat,
                    load=old.load,
                    usage=old.usage,
                    active_tasks=old.active_tasks,
                )
            del self._by_identity[old.identity]
        self._by_identity[node.identity] = node.id
        self._put(node)
        return True

    def remove(self, node_id: str) -> bool:
        """Forget a node and its heartbeats; False where it is unknown."""
        node = self.rows.pop(node_id, None)
        if node is None:
            return False
        self._unlist(node)
        self._ids.remove(node_id)
        del self._by_identity[node.identity]
        self._history.pop(node_id, None)
        return True

    def by_identity(self, identity: str) -> Node | None:
        """The node with this identity."""
        node_id = self._by_identity.get(identity)
        return None if node_id is None else self.rows[node_id]

    def page(self, query: NodeQuery) -> NodePage:
        """A page of nodes."""
        ids = iter(self._ids) if query.cursor is None else self._ids.above(query.cursor)
        matching = (self.rows[node_id] for node_id in ids if matches(self.rows[node_id], query))
        nodes = tuple(islice(matching, query.limit + 1))
        if len(nodes) <= query.limit:
            return NodePage(nodes)
        return NodePage(nodes[: query.limit], nodes[query.limit - 1].id)

    def groups(self) -> list[NodeGroup]:
        """All nodes, summed up by cluster, status and health."""
        found: dict[tuple[str, NodeStatus, HealthStatus], list[Node]] = {}
        for node in self.rows.values():
            found.setdefault((node.cluster_id, node.status, node.health.status), []).append(node)
        return [_group(*key, nodes) for key, nodes in found.items()]

    def changed_since(self, moment: float) -> list[Node]:
        """Nodes that changed at or after a moment."""
        return [self.rows[node_id] for _, node_id in self._changed.above((moment, ""))]

    def silent(self, statuses: Sequence[NodeStatus], before: float, limit: int) -> list[Node]:
        """Nodes that were last heard of before a moment, longest silent first."""
        orders = [_below(self._heard[status], before) for status in set(statuses)]
        return [self.rows[node_id] for _, node_id in islice(heapq.merge(*orders), limit)]

    def hear(self, heartbeat: Heartbeat, *, history: bool = True) -> bool:
        """Keep a heartbeat; False where the node is unknown. One that comes late is not the latest."""
        node = self.rows.get(heartbeat.node_id)
        if node is None:
            return False
        if history:
            insort(self._history.setdefault(node.id, []), heartbeat, key=_moment)
        if node.last_heartbeat is None or node.last_heartbeat <= heartbeat.at:
            self._put(
                msgspec.structs.replace(
                    node,
                    last_heartbeat=heartbeat.at,
                    load=heartbeat.load,
                    usage=heartbeat.usage,
                    active_tasks=len(heartbeat.active_tasks),
                )
            )
        return True

    def record_health(self, node_id: str, health: NodeHealth) -> None:
        """Keep what a health check found; an unknown node is left out."""
        node = self.rows.get(node_id)
        if node is not None:
            self._put(msgspec.structs.replace(node, health=health))

    def history(self, node_id: str, since: float, limit: int) -> list[Heartbeat]:
        """Heartbeats from a moment on, oldest first."""
        return self.since(node_id, since)[:limit]

    def since(self, node_id: str, moment: float) -> list[Heartbeat]:
        """All heartbeats from a moment on, oldest first."""
        heartbeats = self._history.get(node_id, [])
        return heartbeats[bisect_left(heartbeats, moment, key=_moment) :]

    def prune_history(self, moment: float, limit: int) -> int:
        """Forget heartbeats before a moment; returns how many."""
        left = limit
        for heartbeats in self._history.values():
            old = min(left, bisect_left(heartbeats, moment, key=_moment))
            del heartbeats[:old]
            left -= old
        return limit - left

    def in_cluster(self, cluster_id: str) -> int:
        """How many nodes belong to a cluster."""
        return self._in_cluster[cluster_id]

    def _put(self, node: Node) -> None:
        old = self.rows.get(node.id)
        if old is None:
            self._ids.add(node.id)
        else:
            self._unlist(old)
        self.rows[node.id] = node
        self._changed.add((_changed_at(node), node.id))
        self._heard[node.status].add((_heard_at(node), node.id))
        self._in_cluster[node.cluster_id] += 1

    def _unlist(self, node: Node) -> None:
        self._changed.remove((_changed_at(node), node.id))
        self._heard[node.status].remove((_heard_at(node), node.id))
        self._in_cluster[node.cluster_id] -= 1


def matches(node: Node, query: NodeQuery) -> bool:
    """Whether all conditions of a query hold."""
    wanted = (
        (query.cluster_id, node.cluster_id),
        (query.node_type, node.node_type),
        (query.region, node.region),
    )
    return (
        all(value is None or value == found for value, found in wanted)
        and (not query.statuses or node.status in query.statuses)
        and (not query.health or node.health.status in query.health)
        and (query.search is None or _contains(node, query.search.lower()))
    )


def _contains(node: Node, search: str) -> bool:
    return search in node.id.lower() or search in node.name.lower()


def _group(cluster_id: str, status: NodeStatus, health: HealthStatus, nodes: list[Node]) -> NodeGroup:
    cpu = [node.usage["cpu_usage"] for node in nodes if "cpu_usage" in node.usage]
    memory = [node.usage["memory_usage"] for node in nodes if "memory_usage" in node.usage]
    return NodeGroup(
        cluster_id=cluster_id,
        status=status,
        health=health,
        nodes=len(nodes),
        slots=sum(node.slots for node in nodes),
        load=sum(node.load for node in nodes),
        cpu=sum(cpu),
        cpu_told=len(cpu),
        memory=sum(memory),
        memory_told=len(memory),
    )


def _moment(heartbeat: Heartbeat) -> float:
    return heartbeat.at


def _heard_at(node: Node) -> float:
    return _NEVER if node.last_heartbeat is None else node.last_heartbeat


def _changed_at(node: Node) -> float:
    return max(node.updated_at, node.last_heartbeat or 0.0, node.health.timestamp or 0.0)


def _below(keys: OrderedKeys[tuple[float, str]], moment: float) -> Iterator[tuple[float, str]]:
    return takewhile(lambda key: key[0] < moment, keys)
