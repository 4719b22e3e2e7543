"""Records as Parquet: one row for each page, columns typed over all records."""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from crawlmesh.adapters.files.file_record_writer import FileRecordWriter
from crawlmesh.adapters.files.json_types import JsonType, Scalar, merge, type_of
from crawlmesh.adapters.files.record_spool import RecordSpool
from crawlmesh.model.record import Record


class ParquetWriter(FileRecordWriter):
    """Writes url, final_url, status, depth, fetched_at, then `data.<key>` for every key of any record.

    A key whose values have one type over all records gets a column of that type: text, integers,
    numbers, lists, objects. Where the types differ the column holds the JSON text of each value.
    """

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self._types: dict[str, JsonType] = {}
        self._decoder = msgspec.json.Decoder(dict[str, Any])

    def _start(self) -> None:
        self._spool = RecordSpool(self._part.folder)

    def _write_records(self, records: Iterable[Record]) -> None:
        types = self._types
        for record in records:
            for key, value in self._decoder.decode(record.data).items():
                types[key] = merge(types.get(key, Scalar.NULL), type_of(value))
            self._spool.add(record)

    def _finish(self) -> None:
        # pyarrow takes a good part of a second to import, and most crawls never need it.
        from crawlmesh.adapters.files.parquet_table import write_table  # noqa: PLC0415

        write_table(self._file, self._types, self._spool.read())

    def _release(self) -> None:
        self._spool.close()
