"""What all parts of the store have in common."""

from typing import Any

import asyncpg

from crawlmesh.adapters.postgres.control.database import Database


class Part:
    """The calls of one subject. All parts of a store share its database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def _fetch(self, statement: str, *values: object) -> list[asyncpg.Record]:
        async with self._database.connection() as connection:
            return list(await connection.fetch(statement, *values))

    async def _fetch_value(self, statement: str, *values: object) -> Any:
        async with self._database.connection() as connection:
            return await connection.fetchval(statement, *values)
