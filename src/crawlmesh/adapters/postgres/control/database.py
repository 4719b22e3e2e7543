"""Connections to PostgreSQL, transactions, and its errors in our words."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TypeAlias, TypeVar

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from crawlmesh.adapters.postgres.control.transaction import Transaction
from crawlmesh.adapters.topics import Topics
from crawlmesh.errors import ConflictError, CrawlmeshError, InvalidError, StoreError, StoreFullError

Result = TypeVar("Result")
Connection: TypeAlias = "PoolConnectionProxy[asyncpg.Record]"

_TRIES = 5  # of a transaction that met another one
_GRACE = 5.0  # seconds that calls have to end when the store is closed

_SESSION = {
    "application_name": "crawlmesh",
    # A master that stands still in the middle of a transaction must not hold up the others.
    "idle_in_transaction_session_timeout": "5s",
    "tcp_keepalives_idle": "10",
    "tcp_keepalives_interval": "5",
    "tcp_keepalives_count": "3",
    # Every statement of the store finds its rows by key. A plan that was made while a table was small,
    # and reads all of it, would be kept when it has grown.
    "enable_seqscan": "off",
    "enable_hashjoin": "off",
    "enable_mergejoin": "off",
    "jit": "off",
}

_MET_ANOTHER = (
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
    asyncpg.UniqueViolationError,
)
_LOST = (
    asyncpg.PostgresConnectionError,
    asyncpg.OperatorInterventionError,  # shutting down, or starting up
    asyncpg.IdleInTransactionSessionTimeoutError,
    asyncpg.TooManyConnectionsError,
    asyncpg.InterfaceError,
    ConnectionError,
    TimeoutError,
    OSError,
)


@contextmanager
def store_errors() -> Iterator[None]:
    """Turn what asyncpg raises into errors that say what to do."""
    try:
        yield
    except CrawlmeshError:
        raise
    except (asyncpg.PostgresError, asyncpg.InterfaceError, OSError, TimeoutError) as error:
        raise _translated(error) from error


def _translated(error: Exception) -> CrawlmeshError:
    if isinstance(error, asyncpg.DataError):  # of both kinds: found here, and found by the server
        return InvalidError(f"PostgreSQL cannot store a value of the request: {error}")
    if isinstance(error, asyncpg.CheckViolationError):
        return InvalidError(f"A value of the request is not allowed: {error}")
    if isinstance(error, asyncpg.DiskFullError | asyncpg.OutOfMemoryError):
        return StoreFullError(f"PostgreSQL has no room left ({error}). What was stored is safe; make room.")
    if isinstance(error, asyncpg.UniqueViolationError):
        return ConflictError(f"Something with this id is there already ({error}).")
    if isinstance(error, _LOST):
        return StoreError(
            f"PostgreSQL cannot be reached, or was lost ({str(error) or type(error).__name__}). "
            "Try again; whether the last change was made is not known."
        )
    return StoreError(f"PostgreSQL refused a statement: {error}")


async def _leave_as_is(_connection: object) -> None:
    """Nothing outlives a transaction here, so no connection has to be cleaned at the cost of a round trip."""


class Database:
    """A pool of connections. It makes new ones by itself when the server comes back."""

    def __init__(self, pool: "asyncpg.Pool[asyncpg.Record]", origin: str, topics: Topics) -> None:
        self._pool = pool
        self._origin = origin  # who tells: this store does not have to hear itself
        self._topics = topics
        self._closed = False

    @classmethod
    async def open(
        cls, dsn: str, *, connections: int, patience: float, origin: str, topics: Topics
    ) -> "Database":
        """Connect. `patience`: seconds that a statement may take."""
        with store_errors():
            pool = await asyncpg.create_pool(
                dsn,
                min_size=1,
                max_size=connections,
                timeout=patience,
                command_timeout=patience,
                server_settings=_SESSION,
                reset=_leave_as_is,
            )
        return cls(pool, origin, topics)

    @asynccontextmanager
    async def connection(self) -> AsyncIterator[Connection]:
        """A connection for statements that each stand for themselves."""
        if self._closed:
            raise StoreError("The control store is closed.")
        with store_errors():
            async with self._pool.acquire() as connection:
                yield connection

    async def write(self, work: Callable[[Transaction], Awaitable[Result]]) -> Result:
        """Do work in one transaction, and tell what it told. It may run again where it met another one."""
        for _ in range(_TRIES - 1):
            try:
                return await self._write_once(work)
            except _MeetingError:
                continue
        return await self._write_once(work)

    async def aclose(self) -> None:
        """Let go of all connections. Twice is fine."""
        if self._closed:
            return
        self._closed = True
        try:
            await asyncio.wait_for(self._pool.close(), _GRACE)
        except (TimeoutError, OSError, asyncpg.PostgresError, asyncpg.InterfaceError):
            self._pool.terminate()

    async def _write_once(self, work: Callable[[Transaction], Awaitable[Result]]) -> Result:
        try:
            async with self.connection() as connection, connection.transaction():
                transaction = Transaction(connection, self._origin)
                result = await work(transaction)
                await transaction.finish()
        except CrawlmeshError as error:
            if isinstance(error.__cause__, _MET_ANOTHER):
                raise _MeetingError(*error.args) from error.__cause__
            raise
        self._topics.tell(transaction.topics)
        return result


class _MeetingError(ConflictError):
    """Two transactions were in each other's way."""
