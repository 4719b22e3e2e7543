"""Locks in memory, for tests and for one process."""

from crawlmesh.ports.clock import Clock


class MemoryLockStore:
    """A `LockStore` of one process. See LockStore for what each call does."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._held: dict[str, tuple[str, float]] = {}  # owner and end, by name
        self._fence = 0

    async def take(self, name: str, owner: str, duration: float) -> int | None:
        """See LockStore.take."""
        if self._owner_of(name) is not None:
            return None
        self._held[name] = owner, self._clock.now() + duration
        self._fence += 1
        return self._fence

    async def extend(self, name: str, owner: str, duration: float) -> bool:
        """See LockStore.extend."""
        if self._owner_of(name) != owner:
            return False
        self._held[name] = owner, self._clock.now() + duration
        return True

    async def release(self, name: str, owner: str) -> bool:
        """See LockStore.release."""
        if self._owner_of(name) != owner:
            return False
        del self._held[name]
        return True

    async def aclose(self) -> None:
        """See LockStore.aclose."""

    def _owner_of(self, name: str) -> str | None:
        owner, end = self._held.get(name, (None, 0.0))
        return owner if end > self._clock.now() else None
