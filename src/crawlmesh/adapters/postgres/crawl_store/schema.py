"""Laying the tables of the crawl store, in a schema of their own, and bringing old ones up."""

import asyncpg

from crawlmesh.adapters.postgres.crawl_store.functions import FUNCTIONS
from crawlmesh.adapters.postgres.crawl_store.locks import SCHEMA_LOCK
from crawlmesh.adapters.postgres.crawl_store.tables import SHARED_TABLES, SMALL, crawl_tables
from crawlmesh.adapters.postgres.crawl_store.upgrades import UPGRADES
from crawlmesh.errors import StoreCorruptError

SCHEMA_NAME = "crawl_store"
SCHEMA_VERSION = 3

_PATIENCE = 3600.0  # seconds for an upgrade

# The sequence goes with the table, and starts again where it is emptied.
_OWNERS = """
ALTER SEQUENCE link_numbers OWNED BY links_small.number;
ALTER SEQUENCE attempt_numbers OWNED BY attempts_small.entry;
"""


async def lay_tables(connection: asyncpg.Connection, address: str) -> None:
    """Make the tables where they are missing, and bring older ones up; unknown versions are refused."""
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock($1, 0)", SCHEMA_LOCK)
        version = await _version(connection)
        if version == SCHEMA_VERSION:
            return
        if version is None:
            await connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA_NAME}")
            await connection.execute(f"SET LOCAL search_path = {SCHEMA_NAME}")
            await connection.execute(SHARED_TABLES + crawl_tables(SMALL) + _OWNERS)
            await connection.execute("INSERT INTO about (version) VALUES ($1)", SCHEMA_VERSION)
        elif version in UPGRADES:
            await connection.execute(f"SET LOCAL search_path = {SCHEMA_NAME}")
            await _bring_up(connection, version)
        else:
            raise StoreCorruptError(
                f"The crawl store at {address} was made by another version of Crawlmesh (schema {version}, "
                f"this one knows {SCHEMA_VERSION}). Use that version, or another database."
            )
        await connection.execute(FUNCTIONS)


async def _bring_up(connection: asyncpg.Connection, version: int) -> None:
    while version in UPGRADES:
        await connection.execute(UPGRADES[version], timeout=_PATIENCE)
        version += 1
    await connection.execute("UPDATE about SET version = $1", version)


async def _version(connection: asyncpg.Connection) -> int | None:
    if await connection.fetchval("SELECT to_regclass($1)", f"{SCHEMA_NAME}.about") is None:
        return None
    return int(await connection.fetchval(f"SELECT version FROM {SCHEMA_NAME}.about"))  # noqa: S608
