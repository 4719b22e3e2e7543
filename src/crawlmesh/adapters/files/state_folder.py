"""The folder in which one crawl keeps its state, owned by one process at a time."""

import fcntl
import os
import re
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from crawlmesh.adapters.files.choose_writer import RECORD_EXTENSIONS
from crawlmesh.adapters.files.output_errors import reason_of, remedy_for
from crawlmesh.adapters.files.page_archive import SEGMENT_PATTERN
from crawlmesh.errors import StoreError, StoreLockedError, UsageError

_DATABASE_FILES = re.compile(r"crawl\.db(-wal|-shm|-journal)?")
_EXTENSIONS = "|".join(re.escape(extension) for extension in RECORD_EXTENSIONS)
_RECORD_FILES = re.compile(rf"records({_EXTENSIONS})|\.records({_EXTENSIONS})\.[0-9a-f]+\.part")


class StateFolder:
    """Creates the folder and locks it; the lock ends with `release` or with the process.

    Forked children share the lock: it is free when the last of them is gone.
    Raises UsageError where the folder cannot be used, StoreLockedError where another process owns it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.database = path / "crawl.db"
        self.archive = path / "archive"
        self.records = path / "records.jsonl"
        self._lock: int | None = None
        try:
            path.mkdir(parents=True, exist_ok=True)
            self._lock = self._acquire()
        except (FileExistsError, NotADirectoryError) as error:
            raise UsageError(
                f"Cannot keep state in {path}: it, or a part of its path, is a file. Name a folder."
            ) from error
        except OSError as error:
            raise UsageError(
                f"Cannot keep state in {path}: {reason_of(error)}. {remedy_for(error)}"
            ) from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.release()

    def release(self) -> None:
        """Let others have the folder. Twice is fine."""
        if self._lock is None:
            return
        # The file stays: removing it would let two processes lock two different files of this name.
        os.ftruncate(self._lock, 0)
        os.close(self._lock)
        self._lock = None

    def clear(self) -> None:
        """Delete the database, the archive's segments and the records; nothing else that lies there."""
        try:
            for file in self._state_files():
                file.unlink()
            if self.archive.is_dir() and not any(self.archive.iterdir()):
                self.archive.rmdir()
        except OSError as error:
            raise StoreError(
                f"Cannot clear the state in {self.path}: {reason_of(error)}. {remedy_for(error)}"
            ) from error

    def _state_files(self) -> Iterator[Path]:
        for file in list(self.path.iterdir()):
            name = file.name
            if (_DATABASE_FILES.fullmatch(name) or _RECORD_FILES.fullmatch(name)) and not file.is_dir():
                yield file
        yield from list(self.archive.glob(SEGMENT_PATTERN))

    def _acquire(self) -> int:
        descriptor = os.open(self.path / "lock", os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            os.ftruncate(descriptor, 0)
            os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        except BlockingIOError as error:
            owner = os.pread(descriptor, 32, 0).decode(errors="replace").strip()
            os.close(descriptor)
            raise StoreLockedError(
                f"The state folder {self.path} is in use by process {owner or 'unknown'}. "
                "Wait for it to end, stop it, or choose another folder."
            ) from error
        except OSError:
            os.close(descriptor)
            raise
        return descriptor
