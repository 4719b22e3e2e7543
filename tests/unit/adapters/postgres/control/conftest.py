from collections.abc import AsyncIterator

import pytest_asyncio

from crawlmesh.adapters.postgres.control import PostgresControlStore
from crawlmesh.migrations import upgrade
from crawlmesh.testing.servers.fixtures import Databases


@pytest_asyncio.fixture
async def dsn(postgres_databases: Databases) -> AsyncIterator[str]:
    """The address of a database with the tables."""
    address = await postgres_databases.create("control store", upgrade)
    yield address
    await postgres_databases.drop(address)


@pytest_asyncio.fixture
async def store(dsn: str) -> AsyncIterator[PostgresControlStore]:
    """A master's store."""
    store = await PostgresControlStore.open(dsn, migrate=False)
    yield store
    await store.aclose()


@pytest_asyncio.fixture
async def other(dsn: str) -> AsyncIterator[PostgresControlStore]:
    """The store of another master, on the same database."""
    other = await PostgresControlStore.open(dsn, migrate=False)
    yield other
    await other.aclose()
