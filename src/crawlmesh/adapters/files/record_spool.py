"""Keeps records on disk for formats whose columns are known only after the last record."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import msgspec

from crawlmesh.adapters.files.json_text import on_one_line
from crawlmesh.model.record import Record


class SpooledRecord(msgspec.Struct, frozen=True, array_like=True):
    """What a table needs of a record."""

    url: str
    final_url: str
    status: int
    depth: int
    fetched_at: float
    data: msgspec.Raw


class RecordSpool:
    """A nameless file in `folder`, so that a kill leaves nothing behind. Raises plain OSErrors."""

    def __init__(self, folder: Path) -> None:
        self._file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115  closed by `close`
        self._encoder = msgspec.json.Encoder()

    def add(self, record: Record) -> None:
        """Append one record."""
        spooled = SpooledRecord(
            record.url,
            record.final_url,
            record.status,
            record.depth,
            record.fetched_at,
            msgspec.Raw(on_one_line(record.data)),
        )
        self._file.write(self._encoder.encode(spooled) + b"\n")

    def read(self) -> Iterator[SpooledRecord]:
        """All records in the order in which they were added."""
        decoder = msgspec.json.Decoder(SpooledRecord)
        self._file.seek(0)
        for line in self._file:
            yield decoder.decode(line)

    def close(self) -> None:
        """Give the disk space back. Twice is fine."""
        try:
            self._file.close()
        except OSError:
            # What was not written yet does not fit; nobody will read it, and the file is closed now.
            return
