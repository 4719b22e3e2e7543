"""What a database looks like: one line for each column, index and check."""

import sqlite3
from contextlib import closing
from pathlib import Path

import asyncpg

_POSTGRES_COLUMNS = """
SELECT table_name || '.' || column_name || ' ' || data_type
    || CASE is_nullable WHEN 'NO' THEN ' NOT NULL' ELSE '' END
    || coalesce(' DEFAULT ' || column_default, '')
    || CASE is_generated WHEN 'ALWAYS' THEN ' AS ' || generation_expression ELSE '' END
FROM information_schema.columns WHERE table_schema = 'public'
"""
_POSTGRES_INDEXES = "SELECT indexdef FROM pg_indexes WHERE schemaname = 'public'"
_POSTGRES_CHECKS = """
SELECT conrelid::regclass || ' ' || pg_get_constraintdef(oid)
FROM pg_constraint WHERE connamespace = 'public'::regnamespace AND contype IN ('c', 'f', 'u')
"""


async def schema_of(url: str) -> list[str]:
    """The lines, sorted."""
    if url.startswith("sqlite:///"):
        return _file_schema(Path(url.removeprefix("sqlite:///")))
    connection = await asyncpg.connect(url)
    try:
        lines = []
        for statement in (_POSTGRES_COLUMNS, _POSTGRES_INDEXES, _POSTGRES_CHECKS):
            lines += [row[0] for row in await connection.fetch(statement)]
        return sorted(lines)
    finally:
        await connection.close()


def _file_schema(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return sorted(" ".join(sql.split()) for (sql,) in rows)


async def run_statement(url: str, statement: str) -> list[tuple[object, ...]]:
    """Run one statement, with what comes back."""
    if url.startswith("sqlite:///"):
        with closing(sqlite3.connect(url.removeprefix("sqlite:///"), isolation_level=None)) as database:
            return database.execute(statement).fetchall()
    connection = await asyncpg.connect(url)
    try:
        return [tuple(row) for row in await connection.fetch(statement)]
    finally:
        await connection.close()
