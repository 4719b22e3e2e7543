"""Opening the file, and SQLite's errors in our words."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from crawlmesh.adapters.sqlite.schema import SCHEMA, SCHEMA_VERSION, UPGRADES
from crawlmesh.errors import StoreCorruptError, StoreError, StoreFullError

_OLDEST_SQLITE = (3, 38, 0)  # the first with the operator ->>

_PRAGMAS = """
PRAGMA page_size = 8192;
PRAGMA journal_mode = WAL;
PRAGMA synchronous = NORMAL;     -- a killed process loses nothing; a power cut at most the last moments
PRAGMA wal_autocheckpoint = 4000;
PRAGMA cache_size = -65536;      -- KiB
PRAGMA temp_store = MEMORY;
"""


@contextmanager
def store_errors(path: Path) -> Iterator[None]:
    """Turn what SQLite raises into errors that say what to do."""
    try:
        yield
    except sqlite3.Error as error:
        raise _translated(error, path) from error


def _translated(error: sqlite3.Error, path: Path) -> StoreError:
    name = getattr(error, "sqlite_errorname", "") or ""
    if name in {"SQLITE_FULL", "SQLITE_IOERR_WRITE", "SQLITE_IOERR_SHMSIZE", "SQLITE_IOERR_FSYNC"}:
        return StoreFullError(
            f"The disk that holds {path} is full. What was stored is safe; "
            "make room and run the same command again."
        )
    if name in {"SQLITE_CORRUPT", "SQLITE_NOTADB"} or name.startswith("SQLITE_CORRUPT"):
        return StoreCorruptError(
            f"{path} is not a readable Crawlmesh database ({error}). "
            "Restore it from a backup, or start over with --fresh."
        )
    return StoreError(f"The database {path} cannot be used: {error}.")


def open_to_read(path: Path) -> sqlite3.Connection:
    """Open an existing file beside its owner, who may be at work on it."""
    with store_errors(path):
        address = f"{path.absolute().as_uri()}?mode=rw"
        connection = sqlite3.connect(
            address, uri=True, isolation_level=None, check_same_thread=False, timeout=30
        )
        try:
            connection.execute("PRAGMA query_only = ON")
            _version(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def open_database(
    path: Path, prepare: Callable[[sqlite3.Connection, Path], None] | None = None
) -> sqlite3.Connection:
    """Open the file for its one owner; `prepare` sees to the tables, by default to those of a crawl store."""
    if sqlite3.sqlite_version_info < _OLDEST_SQLITE:
        raise StoreError(
            f"SQLite {sqlite3.sqlite_version} is too old; Crawlmesh needs 3.38 or newer "
            "(it comes with Python: use a newer Python build)."
        )
    with store_errors(path):
        connection = sqlite3.connect(
            path, isolation_level=None, check_same_thread=False, cached_statements=256, timeout=5
        )
        try:
            connection.executescript(_PRAGMAS)
            (prepare or _lay_tables)(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def _lay_tables(connection: sqlite3.Connection, path: Path) -> None:
    version = _version(connection, path)
    if version == SCHEMA_VERSION:
        return
    steps = "".join(UPGRADES[step] for step in range(version, SCHEMA_VERSION)) if version else SCHEMA
    connection.executescript(f"BEGIN; {steps} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")


def _version(connection: sqlite3.Connection, path: Path) -> int:
    """The version of the tables, 0 where there are none; those of a later Crawlmesh are refused."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    if not 0 <= version <= SCHEMA_VERSION:
        raise StoreCorruptError(
            f"{path} was written by another version of Crawlmesh (schema {version}, this one knows "
            f"{SCHEMA_VERSION}). Use that version, or start over with --fresh."
        )
    return version
