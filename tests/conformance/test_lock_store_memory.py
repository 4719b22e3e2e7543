from crawlmesh.adapters.memory.lock_store import MemoryLockStore
from crawlmesh.ports.lock_store import LockStore
from crawlmesh.testing.conformance.lock_store import LockStoreSuite
from crawlmesh.testing.manual_clock import ManualClock


class TestMemoryLockStore(LockStoreSuite):
    shared = False

    async def open_store(self) -> LockStore:
        self.clock = ManualClock()
        return MemoryLockStore(self.clock)

    async def let_locks_end(self, name: str) -> None:
        self.clock.advance(1.0)
