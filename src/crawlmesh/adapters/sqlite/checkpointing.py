"""Moving what was committed from the log into the database, beside the writer."""

import logging
import sqlite3
import threading
from pathlib import Path

from crawlmesh.adapters.sqlite.connection import store_errors
from crawlmesh.errors import StoreError

_PAUSE = 1.0  # seconds between two looks
_LAST_RESORT = 32_000  # pages of log after which the writer does it itself

_log = logging.getLogger("crawlmesh.MASTER")


class Checkpointer:
    """A thread with a connection of its own. The writer itself would keep its callers waiting meanwhile."""

    def __init__(self, path: Path, writer: sqlite3.Connection) -> None:
        """`writer` is told to leave it to this thread; no other thread may use it meanwhile."""
        with store_errors(path):
            writer.execute(f"PRAGMA wal_autocheckpoint = {_LAST_RESORT}")
            self._connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self._path = path
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._run, name="checkpoints", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End the thread. Twice is fine."""
        self._stopped.set()
        self._thread.join()
        self._connection.close()

    def move(self) -> None:
        """Move what can be moved without keeping anybody waiting."""
        with store_errors(self._path):
            self._connection.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()

    def _run(self) -> None:
        while not self._stopped.wait(_PAUSE):
            try:
                self.move()
            except StoreError as error:  # the writer meets it too, and tells its callers
                _log.warning("What was committed stays in the log for now: %s", error)
