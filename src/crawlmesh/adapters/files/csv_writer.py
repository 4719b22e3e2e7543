"""Records as CSV (RFC 4180, UTF-8, comma, CRLF): one row for each page."""

import csv
from collections.abc import Iterable
from pathlib import Path
from typing import BinaryIO

import msgspec

from crawlmesh.adapters.files.file_record_writer import FileRecordWriter
from crawlmesh.adapters.files.record_spool import RecordSpool, SpooledRecord
from crawlmesh.adapters.files.timestamps import iso_milliseconds
from crawlmesh.model.record import Record

_PAGE_COLUMNS = ("url", "final_url", "status", "depth", "fetched_at")


class CsvWriter(FileRecordWriter):
    """Writes the page's columns, then `data.<key>` for every key of any record, in the order of appearance.

    Texts stand in their cells as they are, numbers as they were written, null and missing keys
    as an empty cell, lists and objects as JSON. Cells are exact: one that starts with `=`, `+`,
    `-` or `@` is not altered, so a spreadsheet may take it for a formula.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._keys: dict[str, None] = {}  # a set that keeps its order
        self._decoder = msgspec.json.Decoder(dict[str, msgspec.Raw])

    def _start(self) -> None:
        self._spool = RecordSpool(self._part.folder)

    def _write_records(self, records: Iterable[Record]) -> None:
        for record in records:
            self._keys.update(dict.fromkeys(self._decoder.decode(record.data)))
            self._spool.add(record)

    def _finish(self) -> None:
        rows = csv.writer(_Utf8Text(self._file), lineterminator="\r\n")
        rows.writerow([*_PAGE_COLUMNS, *(f"data.{key}" for key in self._keys)])
        rows.writerows(self._row(record) for record in self._spool.read())

    def _row(self, record: SpooledRecord) -> list[str]:
        data = self._decoder.decode(record.data)
        page = [record.url, record.final_url, str(record.status), str(record.depth)]
        return [*page, iso_milliseconds(record.fetched_at), *(_cell(data.get(key)) for key in self._keys)]

    def _release(self) -> None:
        self._spool.close()


def _cell(value: msgspec.Raw | None) -> str:
    if value is None:
        return ""
    text = bytes(value).decode()
    if text == "null":
        return ""
    return msgspec.json.decode(text, type=str) if text.startswith('"') else text


class _Utf8Text:
    """The writing half of a text file, without a buffer that would have to be closed after an error."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, text: str) -> int:
        return self._file.write(text.encode())
