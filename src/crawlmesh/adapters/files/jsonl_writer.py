"""Records as JSON Lines: one object to a line, UTF-8."""

import zlib
from collections.abc import Iterable
from itertools import islice
from pathlib import Path

import msgspec

from crawlmesh.adapters.files.file_record_writer import FileRecordWriter
from crawlmesh.adapters.files.json_text import on_one_line
from crawlmesh.adapters.files.timestamps import iso_milliseconds
from crawlmesh.model.record import Record

_RECORDS_PER_WRITE = 512
_encoder = msgspec.json.Encoder()
_GZIP = 31  # zlib's code for a gzip container with the largest window


class _Line(msgspec.Struct, frozen=True, gc=False):
    """One line; its fields are the keys, in this order."""

    url: str
    final_url: str
    status: int
    depth: int
    fetched_at: str
    data: msgspec.Raw


class JsonlWriter(FileRecordWriter):
    """Writes `{"url", "final_url", "status", "depth", "fetched_at", "data"}` lines, gzipped if asked to.

    `data` goes into the line as the text that it is: neither parsed nor reordered.
    """

    def __init__(self, path: Path, *, gzipped: bool = False) -> None:
        super().__init__(path)
        self._compressor = zlib.compressobj(6, zlib.DEFLATED, _GZIP) if gzipped else None

    def _write_records(self, records: Iterable[Record]) -> None:
        remaining = iter(records)
        while some := list(islice(remaining, _RECORDS_PER_WRITE)):
            content = json_lines(some)
            self._file.write(self._compressor.compress(content) if self._compressor else content)

    def _finish(self) -> None:
        if self._compressor:
            self._file.write(self._compressor.flush())


def json_lines(records: Iterable[Record]) -> bytes:
    """Records as lines, each with its end."""
    lines = [_line(record) for record in records]
    content = _encoder.encode_lines(lines)
    # Looked for once in many lines, because nearly no data is laid out over several.
    if content.count(b"\n") == len(lines) and b"\r" not in content:
        return content
    return _encoder.encode_lines(
        [msgspec.structs.replace(line, data=msgspec.Raw(on_one_line(bytes(line.data)))) for line in lines]
    )


def _line(record: Record) -> _Line:
    return _Line(
        record.url,
        record.final_url,
        record.status,
        record.depth,
        iso_milliseconds(record.fetched_at),
        msgspec.Raw(record.data),
    )
