"""Every rule of `crawlmesh.ports.lock_store`. An adapter subclasses the suite as `TestItsName`."""

import asyncio
from collections.abc import AsyncIterator
from typing import ClassVar

import pytest
import pytest_asyncio

from crawlmesh.ports.lock_store import LockStore

_LONG = 600.0  # seconds


class LockStoreSuite:
    """An adapter overrides `open_store` and `let_locks_end`."""

    shared: ClassVar[bool] = True  # several clients see the same locks

    async def open_store(self) -> LockStore:
        """Open a store; a second call within one test opens the same locks again, where they are shared."""
        raise NotImplementedError

    async def let_locks_end(self, name: str) -> None:
        """Let the time of a lock pass, by whatever clock the store has."""
        raise NotImplementedError

    @pytest_asyncio.fixture
    async def store(self) -> AsyncIterator[LockStore]:
        """An open store."""
        store = await self.open_store()
        yield store
        await store.aclose()

    async def test_only_one_owner_has_a_lock(self, store: LockStore) -> None:
        """Nobody gets what somebody has, not even the owner again."""
        assert await store.take("page", "anna", _LONG) is not None
        assert await store.take("page", "bert", _LONG) is None
        assert await store.take("page", "anna", _LONG) is None

    async def test_names_are_independent(self, store: LockStore) -> None:
        """Whatever characters they have."""
        names = ["a", "b", "a b", "{a}", "ä:☃", "x" * 500]
        assert None not in [await store.take(name, "anna", _LONG) for name in names]

    async def test_a_released_lock_is_free_and_its_fence_is_exceeded(self, store: LockStore) -> None:
        """Fences grow from owner to owner."""
        fences = []
        for owner in ("anna", "bert", "anna"):
            fences.append(await store.take("page", owner, _LONG))
            assert await store.release("page", owner)
        assert None not in fences
        assert fences == sorted(set(fences), key=lambda fence: fence or 0)

    async def test_only_the_owner_releases_and_extends(self, store: LockStore) -> None:
        """And only while he has it."""
        await store.take("page", "anna", _LONG)
        assert not await store.release("page", "bert")
        assert not await store.extend("page", "bert", _LONG)
        assert await store.extend("page", "anna", _LONG)
        assert await store.release("page", "anna")
        assert not await store.release("page", "anna")
        assert not await store.extend("page", "anna", _LONG)

    async def test_what_nobody_took_is_nobodys(self, store: LockStore) -> None:
        """Unknown names are no error."""
        assert not await store.release("never", "anna")
        assert not await store.extend("never", "anna", _LONG)

    async def test_a_lock_ends_with_its_time(self, store: LockStore) -> None:
        """Then its owner has lost it, and the next one has a higher fence."""
        first = await store.take("page", "anna", 0.05)
        await self.let_locks_end("page")
        assert not await store.extend("page", "anna", _LONG)
        assert not await store.release("page", "anna")
        second = await store.take("page", "bert", _LONG)
        assert first is not None
        assert second is not None
        assert second > first

    async def test_extending_prolongs_and_shortens(self, store: LockStore) -> None:
        """The time counts from the extension on."""
        await store.take("page", "anna", 60.0)
        assert await store.extend("page", "anna", _LONG)
        assert await store.take("page", "bert", _LONG) is None
        assert await store.extend("page", "anna", 0.05)
        await self.let_locks_end("page")
        assert await store.take("page", "bert", _LONG) is not None

    async def test_of_many_at_once_one_gets_it(self, store: LockStore) -> None:
        """However many ask."""
        fences = await asyncio.gather(*(store.take("page", f"owner-{n}", _LONG) for n in range(20)))
        assert sum(fence is not None for fence in fences) == 1

    async def test_another_client_sees_the_lock(self, store: LockStore) -> None:
        """Locks belong to owners, not to connections."""
        if not self.shared:
            pytest.skip("its locks live in one process")
        other = await self.open_store()
        try:
            first = await store.take("page", "anna", _LONG)
            assert await other.take("page", "bert", _LONG) is None
            assert await store.release("page", "anna")
            second = await other.take("page", "bert", _LONG)
        finally:
            await other.aclose()
        assert first is not None
        assert second is not None
        assert second > first
        assert await store.take("page", "anna", _LONG) is None  # also when the other client is gone

    async def test_closing_twice_is_fine(self) -> None:
        """As the port says."""
        store = await self.open_store()
        await store.aclose()
        await store.aclose()
