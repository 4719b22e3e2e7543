"""Bringing a database of PostgreSQL to a revision."""

import asyncio
from functools import partial

import asyncpg

from crawlmesh.errors import StoreError
from crawlmesh.migrations.revisions import READ_VERSION, VERSION_TABLE, statements_between

_LOCK = 0x6372_776C_6D69_6772  # the advisory lock of those that migrate: "crwlmigr"


async def migrate_server(url: str, revision: str, *, down: bool) -> None:
    """Bring a database to a revision, in one transaction. Others who do the same wait for its end."""
    connection = await _connect(url)
    try:
        async with connection.transaction():
            await connection.execute("SELECT pg_advisory_xact_lock($1)", _LOCK)
            write = partial(statements_between, "postgresql", down=down)
            script = await asyncio.to_thread(write, await _current(connection), revision)
            if script:
                await connection.execute("\n".join(script))
    except asyncpg.PostgresError as error:
        raise StoreError(f"The tables in PostgreSQL cannot be brought to {revision}: {error}.") from error
    finally:
        await connection.close()


async def current_of_server(url: str) -> str | None:
    """The revision of a database; None where it has no tables of ours."""
    connection = await _connect(url)
    try:
        return await _current(connection)
    finally:
        await connection.close()


async def _current(connection: asyncpg.Connection) -> str | None:
    if await connection.fetchval("SELECT to_regclass($1)", VERSION_TABLE) is None:
        return None
    version: str | None = await connection.fetchval(READ_VERSION)
    return version


async def _connect(url: str) -> asyncpg.Connection:
    try:
        return await asyncpg.connect(url)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError, TimeoutError) as error:
        raise StoreError(
            f"PostgreSQL does not answer ({error}). Is it running, and is the address right?"
        ) from error
