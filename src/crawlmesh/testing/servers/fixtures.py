"""Fixtures for tests that need a database. `tests/conftest.py` imports them once for all tests.

One server runs for each session (under xdist: for each worker), and each test gets a new database.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Collection, Iterator
from itertools import count

import asyncpg
import pytest
import pytest_asyncio

from crawlmesh.testing.servers.postgres import PostgresServer
from crawlmesh.testing.servers.requirements import require_postgres

Prepare = Callable[[str], Awaitable[None]]

_TABLES = """
SELECT format('%I.%I', schemaname, tablename) FROM pg_tables
WHERE schemaname NOT IN ('pg_catalog', 'information_schema') AND tablename <> ALL($1::text[])
"""


class Databases:
    """Makes databases on a server: empty ones, and copies of those that were prepared once."""

    def __init__(self, server: PostgresServer) -> None:
        self.server = server
        self._numbers = count(1)
        self._reused: dict[str, str] = {}  # addresses, by name of what prepared them
        self._templates: dict[str, str] = {}  # prepared databases, by name of what prepared them

    async def create(self, name: str = "", prepare: Prepare | None = None) -> str:
        """The address of a new database.

        `prepare` lays tables in a database that is made once for each `name`; then it is copied.
        """
        template = "template1"
        if prepare is not None:
            template = await self._template(name, prepare)
        return await self._copy(template, f"test_{next(self._numbers)}")

    async def emptied(self, name: str, prepare: Prepare, keep: Collection[str] = ()) -> str:
        """The address of a database that was prepared once, with its tables emptied, but for those to keep.

        Faster than a copy, for tests that come one after another.
        """
        if name not in self._reused:
            self._reused[name] = await self.create(name, prepare)
            return self._reused[name]
        dsn = self._reused[name]
        connection = await asyncpg.connect(dsn)
        try:
            tables = [row[0] for row in await connection.fetch(_TABLES, list(keep))]
            await connection.execute(f"TRUNCATE {', '.join(tables)} RESTART IDENTITY")
        finally:
            await connection.close()
        return dsn

    async def drop(self, dsn: str) -> None:
        """Drop a database, whoever is connected to it."""
        await self._run(f'DROP DATABASE IF EXISTS "{dsn.rpartition("/")[2]}" WITH (FORCE)')

    async def _template(self, name: str, prepare: Prepare) -> str:
        if name not in self._templates:
            database = f"prepared_{len(self._templates)}"
            await prepare(await self._copy("template1", database))
            self._templates[name] = database
        return self._templates[name]

    async def _copy(self, template: str, database: str) -> str:
        await self._run(f'CREATE DATABASE "{database}" TEMPLATE "{template}"')
        return self.server.dsn(database)

    async def _run(self, statement: str) -> None:
        self.server.start()  # a test may have killed it
        connection = await asyncpg.connect(self.server.dsn())
        try:
            await connection.execute(statement)
        finally:
            await connection.close()


@pytest.fixture(scope="session")
def postgres_databases() -> Iterator[Databases]:
    """Databases on a server that all tests of the session share; they must not kill it."""
    with PostgresServer(require_postgres(), fsync=False) as server:
        yield Databases(server)


@pytest_asyncio.fixture
async def postgres_dsn(postgres_databases: Databases) -> AsyncIterator[str]:
    """The address of a new, empty database."""
    dsn = await postgres_databases.create()
    yield dsn
    await postgres_databases.drop(dsn)


@pytest.fixture
def postgres_server() -> Iterator[PostgresServer]:
    """A server of the test's own, to be stopped, killed and started again."""
    with PostgresServer(require_postgres()) as server:
        yield server
