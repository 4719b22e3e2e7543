import asyncio

import pytest

from crawlmesh.adapters.memory.lock_store import MemoryLockStore
from crawlmesh.errors import LockLostError, LockTakenError, StoreUnavailableError, UsageError
from crawlmesh.locking import DistributedLock
from crawlmesh.testing.manual_clock import ManualClock


class NotingStore(MemoryLockStore):
    """Says when a lock was extended, and fails on request."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(clock)
        self.extended = asyncio.Event()
        self.away = False

    async def extend(self, name: str, owner: str, duration: float) -> bool:
        self.extended.set()
        if self.away:
            raise StoreUnavailableError("The store does not answer.")
        return await super().extend(name, owner, duration)

    async def release(self, name: str, owner: str) -> bool:
        if self.away:
            raise StoreUnavailableError("The store does not answer.")
        return await super().release(name, owner)


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock()


@pytest.fixture
def store(clock: ManualClock) -> NotingStore:
    return NotingStore(clock)


async def test_acquire_release_and_extend(store: NotingStore) -> None:
    locks = DistributedLock(store)
    first = await locks.acquire("page")
    assert first is not None
    assert await locks.acquire("page", max_retries=2, retry_interval=0.0) is None
    assert await locks.extend(first)
    assert await locks.release(first)
    assert not await locks.release(first)
    second = await locks.acquire("page")
    assert second is not None
    assert second.fence > first.fence


async def test_a_lock_that_becomes_free_is_taken(store: NotingStore, clock: ManualClock) -> None:
    locks = DistributedLock(store)
    await locks.acquire("page", timeout=5)
    waiting = asyncio.ensure_future(locks.acquire("page", retry_interval=0.0, max_retries=1_000_000))
    await asyncio.sleep(0)
    assert not waiting.done()
    clock.advance(6)
    assert await waiting is not None


async def test_the_body_holds_the_lock_however_long_it_takes(store: NotingStore) -> None:
    locks = DistributedLock(store)
    async with locks.lock("page", timeout=0.03):
        await store.extended.wait()
        with pytest.raises(LockTakenError, match="Others hold the lock 'page'; it was tried 1 times"):
            async with locks.lock("page", max_retries=0):
                pytest.fail("two have it")
    assert await locks.acquire("page", max_retries=0) is not None


async def test_a_lost_lock_ends_the_body(store: NotingStore, clock: ManualClock) -> None:
    async def hold() -> None:
        async with DistributedLock(store).lock("page", timeout=0.03):
            clock.advance(1.0)
            await asyncio.Event().wait()

    with pytest.raises(LockLostError, match="'page' was lost"):
        await hold()
    assert not asyncio.current_task().cancelling()  # type: ignore[union-attr]


async def test_a_store_that_is_away_for_too_long_ends_the_body(store: NotingStore) -> None:
    async def hold() -> None:
        async with DistributedLock(store).lock("page", timeout=0.03):
            store.away = True
            await asyncio.Event().wait()

    with pytest.raises(LockLostError):
        await hold()


async def test_a_body_that_ends_while_the_store_is_away_is_done(store: NotingStore) -> None:
    async with DistributedLock(store).lock("page"):
        store.away = True


async def test_errors_and_cancellation_of_the_body_come_through(store: NotingStore) -> None:
    locks = DistributedLock(store)
    with pytest.raises(ZeroDivisionError):
        async with locks.lock("page"):
            raise ZeroDivisionError
    entered = asyncio.Event()

    async def hold() -> None:
        async with locks.lock("page"):
            entered.set()
            await asyncio.Event().wait()

    task = asyncio.create_task(hold())
    await entered.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await locks.acquire("page", max_retries=0) is not None
    await locks.aclose()


@pytest.mark.parametrize(
    ("name", "timeout"), [("", 1.0), ("page", 0.0), ("page", -1.0), ("page", float("nan"))]
)
async def test_nonsense_is_refused(store: NotingStore, name: str, timeout: float) -> None:
    with pytest.raises(UsageError, match=r"name|timeout"):
        await DistributedLock(store).acquire(name, timeout)
