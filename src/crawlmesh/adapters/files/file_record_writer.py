"""What all record writers have in common: the life of the file, and errors that name it."""

from abc import ABC, abstractmethod
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

from crawlmesh.adapters.files.output_errors import output_errors
from crawlmesh.adapters.files.part_file import PartFile
from crawlmesh.errors import OutputError
from crawlmesh.model.record import Record


class FileRecordWriter(ABC):
    """A `RecordWriter` over one file. A format says how records are written and how the file ends.

    A failed `close` removes the unfinished file; after a failed `write` the caller aborts.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._open = True
        with output_errors(path):
            self._part = PartFile(path)
            try:
                self._start()
            except BaseException:
                self._part.discard()
                raise

    @property
    def _file(self) -> BinaryIO:
        return self._part.file

    def write(self, records: Iterable[Record]) -> None:
        """Write some records. Raises OutputError naming the file."""
        if not self._open:
            raise OutputError(f"Cannot write more records to {self._path}: it is finished. Open it anew.")
        with output_errors(self._path):
            self._write_records(records)

    def close(self) -> None:
        """Finish the file and move it into place. Twice is fine; after `abort` it does nothing."""
        if not self._open:
            return
        try:
            with output_errors(self._path):
                self._finish()
                self._part.commit()
        finally:
            self.abort()

    def abort(self) -> None:
        """Throw away what was written. Twice is fine, after `close` too."""
        self._open = False
        self._release()
        self._part.discard()

    def _start(self) -> None:
        """Write what the format needs at the start of the file, and open what it needs beside it."""
        return

    @abstractmethod
    def _write_records(self, records: Iterable[Record]) -> None:
        """Take records in. OSErrors are translated by the caller."""

    def _finish(self) -> None:
        """Write what the format needs at the end of the file."""
        return

    def _release(self) -> None:
        """Let go of what the format holds beside the file. Called at least once."""
        return
