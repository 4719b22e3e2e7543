"""A bounded memory of links, so that known ones rarely leave the process."""

from typing import Generic, TypeVar

_GENERATION = 500_000  # entries; two generations are kept


Key = TypeVar("Key", str, bytes)


class RecentLinks(Generic[Key]):
    """Remembers at least the last half million keys, and at most twice as many.

    Forgetting is harmless: the store knows all links exactly, this only saves the way to it.
    """

    __slots__ = ("_new", "_old", "_size")

    def __init__(self, generation: int = _GENERATION) -> None:
        self._size = generation
        self._new: set[Key] = set()
        self._old: set[Key] = set()

    def remember(self, key: Key) -> bool:
        """Whether the key was new; it is known from now on."""
        new = self._new
        if key in new or key in self._old:
            return False
        if len(new) >= self._size:
            # Used again, not made anew: see `crawlmesh.worker.garbage`.
            self._old, self._new = new, self._old
            new = self._new
            new.clear()
        new.add(key)
        return True

    def knows(self, key: Key) -> bool:
        """Whether the key was remembered."""
        return key in self._new or key in self._old

    def forget(self, key: Key) -> None:
        """Make a key new again."""
        self._new.discard(key)
        self._old.discard(key)

    def clear(self) -> None:
        """Forget everything."""
        self._new.clear()
        self._old.clear()
