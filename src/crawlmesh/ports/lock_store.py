"""The lock store: which owner has which lock, until when, and under which fence."""

from typing import Protocol


class LockStore(Protocol):
    """Keeps locks by name. Time is the store's own clock. Each call is atomic.

    Fences of one name only grow, also over the end of locks and of the store's process: a resource that
    remembers the highest fence it has seen can refuse an owner who lost the lock without noticing.
    """

    async def take(self, name: str, owner: str, duration: float) -> int | None:
        """The fence, where nobody has the lock; None where somebody has it, be it the same owner."""
        ...

    async def extend(self, name: str, owner: str, duration: float) -> bool:
        """Let the owner have the lock for `duration` seconds from now. False where he lost it."""
        ...

    async def release(self, name: str, owner: str) -> bool:
        """Let others have the lock. False where the owner had lost it already."""
        ...

    async def aclose(self) -> None:
        """Let go of the connection; locks stay until they run out. Twice is fine."""
        ...
