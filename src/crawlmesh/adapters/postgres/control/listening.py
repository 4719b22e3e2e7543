"""Hearing what other processes told."""

import asyncio
import logging
from contextlib import suppress
from typing import Any

import asyncpg

from crawlmesh.adapters.postgres.control.database import store_errors
from crawlmesh.adapters.postgres.control.transaction import CHANNEL, EVERYTHING
from crawlmesh.adapters.topics import Topics

_log = logging.getLogger(__name__)

_CHECK_EVERY = 15.0  # seconds: a connection that died silently is found within two of them
_FIRST_PAUSE = 0.1  # seconds before connecting again, doubled up to the longest
_LONGEST_PAUSE = 5.0


class Listener:
    """One connection that listens. When it is lost, a new one is made and everybody is woken."""

    def __init__(self, dsn: str, origin: str, topics: Topics) -> None:
        self._dsn = dsn
        self._origin = origin
        self._topics = topics
        self._lost = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Listen from now on; raises StoreError where the server does not answer."""
        with store_errors():
            connection = await self._connect()
        self._task = asyncio.create_task(self._run(connection), name="crawlmesh-postgres-listener")

    async def stop(self) -> None:
        """Listen no more. Twice is fine."""
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
            self._task = None

    async def _connect(self) -> "asyncpg.Connection[asyncpg.Record]":
        self._lost.clear()
        connection = await asyncpg.connect(self._dsn, timeout=_CHECK_EVERY, command_timeout=_CHECK_EVERY)
        connection.add_termination_listener(lambda _: self._lost.set())
        await connection.add_listener(CHANNEL, self._heard)
        return connection

    async def _run(self, connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        while True:
            try:
                await self._until_lost(connection)
            finally:
                connection.terminate()
            connection = await self._connect_again()
            self._topics.tell_all()

    async def _until_lost(self, connection: "asyncpg.Connection[asyncpg.Record]") -> None:
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._lost.wait(), _CHECK_EVERY)
                return
            try:
                await connection.fetchval("SELECT 1")
            except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError):
                return

    async def _connect_again(self) -> "asyncpg.Connection[asyncpg.Record]":
        pause = _FIRST_PAUSE
        while True:
            try:
                return await self._connect()
            except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError) as error:
                _log.warning("PostgreSQL does not answer the listener (%s); trying again.", error)
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)

    def _heard(self, _connection: Any, _process: int, _channel: str, payload: object) -> None:
        origin, *topics = str(payload).split("\n")
        if origin == self._origin:
            return
        if EVERYTHING in topics:
            self._topics.tell_all()
        else:
            self._topics.tell(topics)
