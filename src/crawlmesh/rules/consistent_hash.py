"""Consistent hashing: keys stay where they are when nodes come and go, but for those that must move."""

from bisect import bisect_left, insort
from collections.abc import Iterable
from hashlib import blake2b

VIRTUAL_NODES = 150
_PROBES = 6  # points at which a key looks for a node
_POINT_BYTES = 8
_RING = 1 << (8 * _POINT_BYTES)


class ConsistentHash:
    """Gives each key one of some nodes, the same one in every process.

    Each node stands at many points of a ring. A key looks from a few points of its own, and takes the
    node that stands closest after one of them: so nodes get nearly equal shares, which a single look does not
    give them. A node that joins takes keys from the others, about one of n; one that leaves gives its
    keys to the others; no other key moves.
    """

    def __init__(self, nodes: Iterable[str] = (), virtual_nodes: int = VIRTUAL_NODES) -> None:
        if virtual_nodes < 1:
            raise ValueError(f"virtual_nodes is {virtual_nodes}; give 1 or more.")
        self._virtual_nodes = virtual_nodes
        self._points: list[int] = []
        self._owners: dict[int, list[str]] = {}  # by point; of several the first in the order of names counts
        self._nodes: set[str] = set()
        for node in nodes:
            self.add_node(node)

    @property
    def nodes(self) -> frozenset[str]:
        """The nodes that keys go to."""
        return frozenset(self._nodes)

    def add_node(self, node: str) -> None:
        """Let a node take its share. One that is there already stays as it is."""
        if node in self._nodes:
            return
        self._nodes.add(node)
        for point in self._points_of(node):
            owners = self._owners.setdefault(point, [])
            if not owners:
                insort(self._points, point)
            insort(owners, node)

    def remove_node(self, node: str) -> None:
        """Give a node's keys to the others. Unknown ones are fine."""
        if node not in self._nodes:
            return
        self._nodes.remove(node)
        for point in self._points_of(node):
            owners = self._owners[point]
            owners.remove(node)
            if not owners:
                del self._owners[point]
                del self._points[bisect_left(self._points, point)]

    def get_node(self, key: str) -> str | None:
        """The node of a key, or None where there is no node."""
        if not self._points:
            return None
        digest = blake2b(key.encode(), digest_size=_PROBES * _POINT_BYTES).digest()
        probes = [
            int.from_bytes(digest[at : at + _POINT_BYTES]) for at in range(0, len(digest), _POINT_BYTES)
        ]
        _, point = min(self._closest_after(probe) for probe in probes)
        return self._owners[point][0]

    def _closest_after(self, probe: int) -> tuple[int, int]:
        """How far the next point of a node is, and that point."""
        points = self._points
        index = bisect_left(points, probe)
        point = points[index] if index < len(points) else points[0]
        return (point - probe) % _RING, point

    def _points_of(self, node: str) -> list[int]:
        return [_point(f"{node}:{number}") for number in range(self._virtual_nodes)]


def _point(text: str) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=_POINT_BYTES).digest())
