from pathlib import Path

from crawlmesh import migrations
from crawlmesh.adapters.memory import MemoryControlStore
from crawlmesh.adapters.sqlite.control_store import SqliteControlStore
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.testing.conformance.control_store import ControlStoreSuite


class TestSqliteControlStore(ControlStoreSuite):
    durable = True
    _empty = b""  # a file with its tables, copied for each test

    async def open_store(self, folder: Path) -> ControlStore:
        path = folder / "control.db"
        if not path.exists():
            await self._lay_tables(path)
        return await SqliteControlStore.open(path)

    def reference(self) -> ControlStore:
        return MemoryControlStore()

    async def _lay_tables(self, path: Path) -> None:
        cls = type(self)
        if cls._empty:
            path.write_bytes(cls._empty)  # noqa: ASYNC240
        else:
            await migrations.upgrade(f"sqlite:///{path}")
            cls._empty = path.read_bytes()  # noqa: ASYNC240
