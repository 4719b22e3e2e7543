"""Finds out which elements of a page lie in which others."""

from collections.abc import Container
from typing import Any

from selectolax.lexbor import LexborNode


class Place:
    """One element that may be a container, and the object that it gives."""

    __slots__ = ("kind", "owner", "record")

    owner: "Place | None"  # the next place around it; set where places turn out to be no containers
    record: dict[str, Any]  # set where it turns out to be a container

    def __init__(self, kind: int) -> None:
        self.kind = kind  # which field's element it is


class PlaceMap:
    """Tells for any element the innermost place around it.

    It remembers every way up that it walked, so that a page of n elements takes n steps at most,
    however deep it is. Selecting inside each container instead costs a query for each of them.
    """

    __slots__ = ("_by_address",)

    def __init__(self) -> None:
        self._by_address: dict[int, Place | None] = {}  # the innermost place at or around the element

    def add(self, kind: int, nodes: list[LexborNode]) -> list[Place | None]:
        """Make the elements places; None for one that is the place of another field already."""
        places: list[Place | None] = []
        for node in nodes:
            place = Place(kind)
            known = self._by_address.setdefault(node.mem_id, place)
            places.append(place if known is place else None)
        return places

    def owners(self, nodes: list[LexborNode]) -> list[Place | None]:
        """The innermost place around each element. All places must have been added before."""
        if not nodes:
            return []
        # An element always has a parent: the root's is the document.
        addresses = [node.parent.mem_id for node in nodes]  # type: ignore[union-attr]
        by_address = self._by_address
        if addresses[0] not in by_address:
            self._walk(nodes[0].parent)
        try:
            return [by_address[address] for address in addresses]
        except KeyError:
            for node, address in zip(nodes, addresses, strict=True):
                if address not in by_address:
                    self._walk(node.parent)
        return [by_address[address] for address in addresses]

    def _walk(self, node: LexborNode | None) -> None:
        """Learn what is around an element and around all elements on the way up from it."""
        by_address = self._by_address
        trail = []
        place = None
        while node is not None:
            address = node.mem_id
            if address in by_address:
                place = by_address[address]
                break
            trail.append(address)
            node = node.parent
        for address in trail:
            by_address[address] = place


def container_around(place: Place | None, kinds: Container[int]) -> Place | None:
    """The place itself, or the first one around it that is of one of the kinds."""
    while place is not None and place.kind not in kinds:
        place = place.owner
    return place
