"""Bringing a file of SQLite to a revision."""

import sqlite3
from contextlib import closing
from pathlib import Path

from crawlmesh.errors import StoreError
from crawlmesh.migrations.revisions import READ_VERSION, VERSION_TABLE, statements_between

_PATIENCE = 60.0  # seconds that one waits for another who migrates the same file

_IS_THERE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?"


def migrate_file(path: Path, revision: str, *, down: bool) -> None:
    """Bring a file to a revision, in one transaction."""
    try:
        with closing(sqlite3.connect(path, isolation_level=None, timeout=_PATIENCE)) as connection:
            connection.execute("BEGIN IMMEDIATE")
            for statement in statements_between("sqlite", _current(connection), revision, down=down):
                connection.execute(statement)
            connection.execute("COMMIT")
    except sqlite3.Error as error:
        raise StoreError(f"The tables of {path} cannot be brought to {revision}: {error}.") from error


def current_of_file(path: Path) -> str | None:
    """The revision of a file; None where it has no tables of ours."""
    if not path.exists():
        return None
    with closing(sqlite3.connect(path, timeout=_PATIENCE)) as connection:
        return _current(connection)


def _current(connection: sqlite3.Connection) -> str | None:
    if connection.execute(_IS_THERE, (VERSION_TABLE,)).fetchone() is None:
        return None
    row = connection.execute(READ_VERSION).fetchone()
    return None if row is None else str(row[0])
