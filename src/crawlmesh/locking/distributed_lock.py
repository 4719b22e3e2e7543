"""Taking, keeping and giving back of locks."""

import asyncio
import uuid
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import msgspec

from crawlmesh.errors import LockLostError, LockTakenError, StoreUnavailableError, UsageError
from crawlmesh.ports.lock_store import LockStore

_EXTENSIONS = 3  # tries within the time of a lock


class HeldLock(msgspec.Struct, frozen=True):
    """A lock that one has, unless its time ran out. Whoever writes under it passes the fence along."""

    name: str
    owner: str
    fence: int


class DistributedLock:
    """Locks by name, in a store that all who need them can reach.

    A lock ends by itself after its `timeout`, so that a process that dies holds nobody up. Only its
    owner can release or extend it.
    """

    def __init__(self, store: LockStore) -> None:
        self._store = store

    async def acquire(
        self, name: str, timeout: float = 10.0, retry_interval: float = 0.1, max_retries: int = 100
    ) -> HeldLock | None:
        """The lock for `timeout` seconds, or None where others had it at every try."""
        _check(name, timeout)
        owner = uuid.uuid4().hex
        for tries_left in range(max_retries, -1, -1):
            fence = await self._store.take(name, owner, timeout)
            if fence is not None:
                return HeldLock(name, owner, fence)
            if tries_left:
                await asyncio.sleep(retry_interval)
        return None

    async def release(self, lock: HeldLock) -> bool:
        """Give the lock back. False where its time had run out."""
        return await self._store.release(lock.name, lock.owner)

    async def extend(self, lock: HeldLock, timeout: float = 10.0) -> bool:
        """Keep the lock for `timeout` seconds from now. False where its time had run out."""
        _check(lock.name, timeout)
        return await self._store.extend(lock.name, lock.owner, timeout)

    @asynccontextmanager
    async def lock(
        self, name: str, timeout: float = 10.0, retry_interval: float = 0.1, max_retries: int = 100
    ) -> AsyncIterator[HeldLock]:
        """Hold the lock while the body runs, however long: it is extended in time.

        Raises LockTakenError where it is not to be had. Where it is lost on the way, because the store was
        away for too long, the body is cancelled and LockLostError raised.
        """
        held = await self.acquire(name, timeout, retry_interval, max_retries)
        if held is None:
            raise LockTakenError(f"Others hold the lock {name!r}; it was tried {max_retries + 1} times.")
        body = asyncio.current_task()
        assert body is not None
        keeper = asyncio.create_task(self._keep(held, timeout))
        lost = False

        def interrupt(task: asyncio.Task[None]) -> None:
            nonlocal lost
            if not task.cancelled():
                lost = True
                body.cancel()

        keeper.add_done_callback(interrupt)
        try:
            yield held
        except asyncio.CancelledError:
            if lost:
                body.uncancel()
                raise LockLostError(f"The lock {name!r} was lost before the work was done.") from None
            raise
        finally:
            keeper.remove_done_callback(interrupt)
            keeper.cancel()
            await asyncio.gather(keeper, return_exceptions=True)
            if not lost:
                with suppress(StoreUnavailableError):  # then it runs out by itself
                    await self.release(held)

    async def _keep(self, held: HeldLock, timeout: float) -> None:
        """Extend the lock again and again; returns when it is lost."""
        now = asyncio.get_running_loop().time
        safe_until = now() + timeout
        while now() < safe_until:
            await asyncio.sleep(timeout / _EXTENSIONS)
            asked_at = now()
            with suppress(StoreUnavailableError):
                if not await self._store.extend(held.name, held.owner, timeout):
                    return
                safe_until = asked_at + timeout

    async def aclose(self) -> None:
        """Let go of the store; locks that are held run out."""
        await self._store.aclose()


def _check(name: str, timeout: float) -> None:
    if not name:
        raise UsageError("A lock needs a name.")
    if not timeout > 0:
        raise UsageError(f"The timeout of the lock {name!r} is {timeout}; give seconds above 0.")
