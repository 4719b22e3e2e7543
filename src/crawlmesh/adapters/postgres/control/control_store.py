"""A control store in PostgreSQL."""

import secrets
from typing import Self

from crawlmesh.adapters.postgres.control.database import Database
from crawlmesh.adapters.postgres.control.directory import Directory
from crawlmesh.adapters.postgres.control.executions import Executions
from crawlmesh.adapters.postgres.control.journal import Journal
from crawlmesh.adapters.postgres.control.leading import Leading
from crawlmesh.adapters.postgres.control.listening import Listener
from crawlmesh.adapters.postgres.control.nodes import Nodes
from crawlmesh.adapters.postgres.control.pruning import Pruning
from crawlmesh.adapters.postgres.control.samples import Samples
from crawlmesh.adapters.postgres.control.tasks import Tasks
from crawlmesh.adapters.topics import Topics
from crawlmesh.migrations import upgrade


class PostgresControlStore(Tasks, Executions, Nodes, Directory, Journal, Samples, Leading, Pruning):
    """Implements `crawlmesh.ports.control_store.ControlStore`; each parent has the calls of one subject.

    Calls of one kind that come at the same time share transactions. A lost connection raises
    `StoreError`; the next call makes a new one.
    """

    shared = True

    def __init__(self, database: Database, listener: Listener, topics: Topics) -> None:
        super().__init__(database)
        self._listener = listener
        self._topics = topics

    @classmethod
    async def open(
        cls, dsn: str, *, migrate: bool = True, connections: int = 10, patience: float = 30.0
    ) -> Self:
        """Connect, and lay the tables where they are missing. `patience`: seconds for one statement."""
        if migrate:
            await upgrade(dsn)
        origin, topics = secrets.token_hex(8), Topics()
        listener = Listener(dsn, origin, topics)
        await listener.start()
        try:
            database = await Database.open(
                dsn, connections=connections, patience=patience, origin=origin, topics=topics
            )
        except BaseException:
            await listener.stop()
            raise
        return cls(database, listener, topics)

    def mark(self, topic: str) -> int:
        """How often something was told under a topic as far as this process knows."""
        return self._topics.mark(topic)

    async def wait(self, topic: str, seen: int, timeout: float) -> int:
        """Return as soon as `mark(topic)` is above `seen`, or after the time-out (seconds)."""
        return await self._topics.wait(topic, seen, timeout)

    async def aclose(self) -> None:
        """Let go of everything. Twice is fine."""
        for gathering in (self._submitting, self._changing, self._hearing, self._keeping_logs):
            await gathering.aclose()
        await self._listener.stop()
        await self._database.aclose()
        self._topics.wake_all()
