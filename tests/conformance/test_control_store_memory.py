from pathlib import Path

from crawlmesh.adapters.memory import MemoryControlStore
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.testing.conformance.control_store import ControlStoreSuite


class TestMemoryControlStore(ControlStoreSuite):
    durable = False

    async def open_store(self, folder: Path) -> ControlStore:
        return MemoryControlStore()

    def reference(self) -> ControlStore:
        return MemoryControlStore()
