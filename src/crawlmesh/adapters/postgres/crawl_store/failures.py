"""What goes wrong with the server, in our words."""

from urllib.parse import urlsplit

import asyncpg

from crawlmesh.errors import StoreError, StoreFullError, StoreUnavailableError

CONNECTION_LOST = (
    OSError,
    TimeoutError,
    asyncpg.PostgresConnectionError,
    asyncpg.CannotConnectNowError,
    asyncpg.AdminShutdownError,
    asyncpg.CrashShutdownError,
    asyncpg.TooManyConnectionsError,
    asyncpg.InterfaceError,
    asyncpg.InternalClientError,  # what asyncpg says of a connection that is cut between two messages
)

WORTH_REPEATING = (
    asyncpg.DeadlockDetectedError,
    asyncpg.SerializationError,
    asyncpg.UndefinedTableError,  # of a crawl that was deleted while it was read
)

FAILURES = (*CONNECTION_LOST, asyncpg.PostgresError)


def address_of(dsn: str) -> str:
    """What may be shown of a DSN: no user and no password."""
    parts = urlsplit(dsn)
    try:
        port = parts.port or 5432
    except ValueError:
        return "(unreadable address)"
    return f"{parts.hostname or 'localhost'}:{port}{parts.path}"


def translated(error: BaseException, address: str) -> StoreError:
    """The error that tells the user what to do."""
    said = " ".join(str(error).split()).rstrip(".") or type(error).__name__
    if isinstance(error, asyncpg.DiskFullError):
        return StoreFullError(
            f"The disk of the PostgreSQL server at {address} is full. "
            "What was stored is safe; make room there."
        )
    if isinstance(error, CONNECTION_LOST):
        return StoreUnavailableError(
            f"The PostgreSQL server at {address} does not answer ({said}). What was stored is safe; "
            "the store works again as soon as the server does."
        )
    return StoreError(f"The PostgreSQL database at {address} cannot be used: {said}.")
