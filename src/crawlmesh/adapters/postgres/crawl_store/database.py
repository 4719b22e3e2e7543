"""The connections to the server, and transactions on them."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any, Self, TypeVar

import asyncpg

from crawlmesh.adapters.postgres.crawl_store.failures import (
    CONNECTION_LOST,
    FAILURES,
    WORTH_REPEATING,
    address_of,
    translated,
)
from crawlmesh.adapters.postgres.crawl_store.schema import SCHEMA_NAME, lay_tables
from crawlmesh.adapters.postgres.crawl_store.session import Session
from crawlmesh.errors import StoreUnavailableError
from crawlmesh.ports.clock import Clock

Result = TypeVar("Result")

_ATTEMPTS = 10  # at a transaction that others got in the way of
_PAUSE = 0.02  # seconds before it is tried again, more each time
_STATEMENT = 30.0  # seconds that a statement may take
_STATEMENTS = 500  # that a connection keeps prepared: some twenty for each large crawl
_CLOSING = 5.0  # seconds for what is under way when the store is closed

# Tables grow from nothing to millions of rows before the server has counted them once: plans that suit
# small tables would stay in use. Every statement finds its rows by an index, so no other plan is wanted.
_SETTINGS = {
    "application_name": "crawlmesh",
    "search_path": SCHEMA_NAME,
    "jit": "off",
    "plan_cache_mode": "force_generic_plan",
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "enable_material": "off",
    # A client that vanishes inside a transaction must not keep its locks for hours.
    "idle_in_transaction_session_timeout": "60s",
    "tcp_keepalives_idle": "30",
    "tcp_keepalives_interval": "10",
    "tcp_keepalives_count": "3",
}


class Database:
    """A pool of connections that finds the server again by itself."""

    def __init__(self, pool: asyncpg.Pool, address: str, clock: Clock | None) -> None:
        self._pool = pool
        self._address = address
        self._clock = clock
        self._host_numbers: dict[str, int] = {}  # they never change; what was rolled back is not in it

    @classmethod
    async def open(cls, dsn: str, clock: Clock | None, connections: int, patience: float) -> Self:
        """Connect, and lay the tables where they are missing. Raises StoreError."""
        address = address_of(dsn)
        pool: asyncpg.Pool | None = None
        try:
            pool = await asyncpg.create_pool(
                dsn,
                min_size=0,
                max_size=connections,
                timeout=patience,
                command_timeout=_STATEMENT,
                statement_cache_size=_STATEMENTS,
                server_settings=_SETTINGS,
                reset=_leave_as_it_is,
            )
            async with pool.acquire(timeout=patience) as connection:
                await lay_tables(connection, address)  # type: ignore[arg-type]
        except BaseException as error:
            if pool is not None:
                pool.terminate()
            if isinstance(error, (*FAILURES, ValueError)):  # a ValueError is about the address
                raise translated(error, address) from error
            raise
        return cls(pool, address, clock)

    async def transact(self, work: Callable[[Session], Awaitable[Result]]) -> Result:
        """Do a piece of work in one transaction, again where another transaction got in its way."""
        for attempt in range(1, _ATTEMPTS + 1):
            try:
                return await self._try(work)
            except WORTH_REPEATING as error:
                if attempt == _ATTEMPTS:
                    raise translated(error, self._address) from error
            except FAILURES as error:
                raise translated(error, self._address) from error
            await asyncio.sleep(_PAUSE * attempt * random.random())  # noqa: S311
        raise AssertionError("a loop that returns or raises")

    async def read(self, work: Callable[[Session], Awaitable[Result]]) -> Result:
        """Do a piece of work that changes nothing, and whose statements need not agree: no transaction.

        It is done again where it met a connection that was cut while it lay idle.
        """
        try:
            try:
                return await self._read(work)
            except CONNECTION_LOST:
                return await self._read(work)
        except FAILURES as error:
            raise translated(error, self._address) from error

    async def read_alike(self, work: Callable[[Session], Awaitable[Result]]) -> Result:
        """Do a piece of work that changes nothing, and whose statements see the same state of things.

        A crawl may move to other tables, or go, between two statements; then it is read again.
        """

        async def read(session: Session) -> Result:
            await session.run("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
            return await work(session)

        return await self.transact(read)

    async def aclose(self) -> None:
        """Let what is under way end, then let go of all connections. Twice is fine."""
        try:
            await asyncio.wait_for(self._pool.close(), _CLOSING)
        except FAILURES:
            self._pool.terminate()
        except BaseException:
            self._pool.terminate()
            raise

    async def _read(self, work: Callable[[Session], Awaitable[Result]]) -> Result:
        async with self._pool.acquire() as connection:
            return await work(Session(connection, self._clock, self._host_numbers))  # type: ignore[arg-type]

    async def _try(self, work: Callable[[Session], Awaitable[Result]]) -> Result:
        connection, transaction = await self._begin()
        try:
            session = Session(connection, self._clock, self._host_numbers)
            try:
                result = await work(session)
            except BaseException:
                with suppress(*FAILURES):
                    await transaction.rollback()
                raise
            await transaction.commit()
            session.remember_hosts()
            return result
        finally:
            await self._pool.release(connection)

    async def _begin(self) -> tuple[Any, Any]:
        """A connection with a transaction; a connection that was cut while it lay idle is passed over."""
        for _ in range(self._pool.get_max_size()):
            connection = await self._pool.acquire()
            transaction = connection.transaction(isolation="read_committed")
            try:
                await transaction.start()
            except CONNECTION_LOST:
                await self._pool.release(connection)
            except BaseException:
                await self._pool.release(connection)
                raise
            else:
                return connection, transaction
        raise StoreUnavailableError(f"The PostgreSQL server at {self._address} closes every connection.")


async def _leave_as_it_is(_: object) -> None:
    """A connection comes back to the pool as it was: settings and locks ended with their transaction."""
