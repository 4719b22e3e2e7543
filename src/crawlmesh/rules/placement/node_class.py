"""Nodes that are the same to every task: of one cluster, type and region, with the same abilities."""

import heapq
from collections import Counter
from collections.abc import Hashable

import msgspec

from crawlmesh.model.node import Node
from crawlmesh.rules.compatibility import Obstacle
from crawlmesh.rules.placement.base import Order
from crawlmesh.rules.placement.member import Key, Member, is_last_resort
from crawlmesh.rules.placement.pick_list import PickList

Entry = tuple[Key, int, Member]  # the key, the stamp it was made under, and whose it is

_SPARE_ENTRIES = 64


def class_key(node: Node) -> Hashable:
    """Nodes with the same key are in the same class."""
    return msgspec.json.encode(
        (
            node.cluster_id,
            node.node_type,
            node.region,
            node.capabilities,
            node.resources,
            sorted(node.task_types),
            is_last_resort(node),
        ),
        order="sorted",
    )


def same_class(one: Node, other: Node) -> bool:
    """Whether two states of a node are of the same class; cheaper than comparing keys."""
    return (
        one.cluster_id == other.cluster_id
        and one.node_type == other.node_type
        and one.region == other.region
        and one.capabilities == other.capabilities
        and one.resources == other.resources
        and one.task_types == other.task_types
        and is_last_resort(one) is is_last_resort(other)
    )


class NodeClass:
    """The nodes of a class, and those with a free place in every order that was ever asked for.

    The orders are heaps whose entries are never taken out of the middle: an entry whose stamp is not
    that of its member any more is skipped when it comes up.
    """

    def __init__(self, number: int, specimen: Node, active: bool) -> None:
        self.number = number
        self.specimen = specimen
        self.active = active  # its cluster
        self.last_resort = is_last_resort(specimen)
        self.members: dict[str, Member] = {}
        self.open: PickList[Member] = PickList()  # with a free place
        self.free_places = 0
        self.unready: Counter[Obstacle] = Counter()
        self._heaps: dict[Order, list[Entry]] = {}

    @property
    def ready(self) -> int:
        """How many nodes could work, those without a free place included."""
        return len(self.members) - self.unready.total()

    @property
    def full(self) -> int:
        """How many nodes could work but have no free place."""
        return self.ready - len(self.open)

    def add(self, member: Member, stamp: int) -> None:
        """A node is, or is again, what it says now."""
        self.members[member.node.id] = member
        self.free_places += member.free
        if member.obstacle:
            self.unready[member.obstacle] += 1
        self._place(member, stamp)

    def count(self, member: Member, running: int, stamp: int) -> None:
        """A node has another number of executions, and is otherwise as before."""
        self.free_places -= member.free
        member.count(running)
        self.free_places += member.free
        self._place(member, stamp)

    def discard(self, member: Member) -> None:
        """A node goes, or is about to change."""
        del self.members[member.node.id]
        self.free_places -= member.free
        if member.obstacle:
            self.unready[member.obstacle] -= 1
        self.open.discard(member)

    def _place(self, member: Member, stamp: int) -> None:
        """Put it where it belongs in every order."""
        member.stamp = stamp
        if not member.free:
            self.open.discard(member)
            return
        self.open.add(member)
        most = 2 * len(self.open) + _SPARE_ENTRIES
        for order, heap in self._heaps.items():
            if len(heap) > most:
                self._rebuilt(order)
            else:
                heapq.heappush(heap, (member.key(order), stamp, member))

    def first(self, order: Order) -> Entry | None:
        """The first node with a free place; None where there is none or the cluster is not active."""
        if not self.active or not self.open:
            return None
        heap = self._heap(order)
        while heap and not self._is_valid(heap[0]):
            heapq.heappop(heap)
        return heap[0] if heap else None

    def hide(self, order: Order) -> None:
        """Take the first one out of the order, until it is shown again."""
        heapq.heappop(self._heap(order))

    def show(self, order: Order, entry: Entry) -> None:
        """Put back what was hidden."""
        heapq.heappush(self._heap(order), entry)

    def _is_valid(self, entry: Entry) -> bool:
        return entry[2].stamp == entry[1] and entry[2] in self.open

    def _heap(self, order: Order) -> list[Entry]:
        heap = self._heaps.get(order)
        return self._rebuilt(order) if heap is None else heap

    def _rebuilt(self, order: Order) -> list[Entry]:
        heap = [(member.key(order), member.stamp, member) for member in self.open]
        heapq.heapify(heap)
        self._heaps[order] = heap
        return heap
