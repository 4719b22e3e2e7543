"""A set that can be asked for its nth member, for choosing at random."""

from collections.abc import Iterator
from typing import Generic, TypeVar

T = TypeVar("T")


class PickList(Generic[T]):
    """Adding, discarding and picking by number each cost the same at any size. It has no order."""

    def __init__(self) -> None:
        self._items: list[T] = []
        self._where: dict[T, int] = {}

    def __len__(self) -> int:
        return len(self._items)

    def __contains__(self, item: T) -> bool:
        return item in self._where

    def __iter__(self) -> Iterator[T]:
        return iter(self._items)

    def __getitem__(self, number: int) -> T:
        return self._items[number]

    def add(self, item: T) -> None:
        """Put it in; twice is fine."""
        if item not in self._where:
            self._where[item] = len(self._items)
            self._items.append(item)

    def discard(self, item: T) -> None:
        """Take it out; not being in is fine."""
        where = self._where.pop(item, None)
        if where is None:
            return
        last = self._items.pop()
        if where < len(self._items):
            self._items[where] = last
            self._where[last] = where
