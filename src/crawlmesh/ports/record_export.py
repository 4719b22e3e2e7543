"""Records in the formats that people take away with them."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from crawlmesh.model.record import Record
from crawlmesh.ports.record_writer import RecordWriter


class RecordExport(Protocol):
    """Knows the formats of records."""

    def lines(self, records: Sequence[Record]) -> bytes:
        """Records as JSON Lines, each with its line end."""
        ...

    def open_writer(self, path: Path) -> RecordWriter:
        """The writer that fits a file's extension. Raises OutputError."""
        ...
