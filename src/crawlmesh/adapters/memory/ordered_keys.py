"""Keys that are always in order: an index in memory."""

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterable, Iterator
from typing import Any, Generic, TypeVar

Key = TypeVar("Key", bound=Any)

_LARGEST_CHUNK = 1024


class OrderedKeys(Generic[Key]):
    """Distinct keys in ascending order, in chunks of bounded length.

    Adding and removing one key touches one chunk, whatever the number of keys: nothing is ever
    sorted again or rebuilt. Adding at the end is cheapest.
    """

    __slots__ = ("_chunks", "_lasts", "_size")

    def __init__(self, keys: Iterable[Key] = ()) -> None:
        self._chunks: list[list[Key]] = []
        self._lasts: list[Key] = []  # of each chunk
        self._size = 0
        for key in sorted(keys):
            self.add(key)

    def __len__(self) -> int:
        return self._size

    def __iter__(self) -> Iterator[Key]:
        for chunk in self._chunks:
            yield from chunk

    def add(self, key: Key) -> None:
        """Add a key that is not there."""
        self._size += 1
        if not self._lasts:
            self._chunks.append([key])
            self._lasts.append(key)
            return
        if key > self._lasts[-1]:
            place = len(self._lasts) - 1
            self._chunks[place].append(key)
            self._lasts[place] = key
        else:
            place = bisect_left(self._lasts, key)
            insort(self._chunks[place], key)
        if len(self._chunks[place]) > _LARGEST_CHUNK:
            self._split(place)

    def remove(self, key: Key) -> None:
        """Remove a key that is there."""
        place = bisect_left(self._lasts, key)
        chunk = self._chunks[place]
        index = bisect_left(chunk, key)
        assert chunk[index] == key, f"{key!r} is not in the index"
        del chunk[index]
        self._size -= 1
        if not chunk:
            del self._chunks[place], self._lasts[place]
        elif index == len(chunk):
            self._lasts[place] = chunk[-1]

    def first(self) -> Key:
        """The lowest key; there must be one."""
        return self._chunks[0][0]

    def above(self, key: Key) -> Iterator[Key]:
        """The keys above this one, ascending."""
        start = bisect_right(self._lasts, key)
        for place in range(start, len(self._chunks)):
            chunk = self._chunks[place]
            yield from chunk[bisect_right(chunk, key) :] if place == start else chunk

    def below(self, key: Key | None = None) -> Iterator[Key]:
        """The keys below this one, or all, descending."""
        start = len(self._chunks) - 1 if key is None else bisect_left(self._lasts, key)
        for place in range(min(start, len(self._chunks) - 1), -1, -1):
            chunk = self._chunks[place]
            cut = len(chunk) if key is None or place != start else bisect_left(chunk, key)
            yield from reversed(chunk[:cut])

    def _split(self, place: int) -> None:
        chunk = self._chunks[place]
        half = len(chunk) // 2
        self._chunks[place : place + 1] = [chunk[:half], chunk[half:]]
        self._lasts[place : place + 1] = [chunk[half - 1], chunk[-1]]
