import sqlite3
from pathlib import Path

from crawlmesh.adapters.sqlite.checkpointing import Checkpointer


def test_the_writer_leaves_it_to_the_thread_and_closing_twice_is_fine(tmp_path: Path) -> None:
    path = tmp_path / "control.db"
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode = WAL")
    checkpointer = Checkpointer(path, writer)
    assert writer.execute("PRAGMA wal_autocheckpoint").fetchone()[0] > 10_000
    checkpointer.close()
    checkpointer.close()
    writer.close()


def test_what_was_committed_comes_into_the_file(tmp_path: Path) -> None:
    path = tmp_path / "control.db"
    writer = sqlite3.connect(path, isolation_level=None)
    writer.execute("PRAGMA journal_mode = WAL")
    checkpointer = Checkpointer(path, writer)
    writer.execute("CREATE TABLE numbers (number INTEGER)")
    size = path.stat().st_size
    checkpointer.move()
    assert path.stat().st_size > size
    checkpointer.close()
    writer.close()
