"""Records in the formats of `crawlmesh export`, for those who take them away over the network."""

from collections.abc import Sequence
from pathlib import Path

from crawlmesh.adapters.files.choose_writer import open_record_writer
from crawlmesh.adapters.files.jsonl_writer import json_lines
from crawlmesh.model.record import Record
from crawlmesh.ports.record_writer import RecordWriter


class FileRecordExport:
    """A `RecordExport` over the writers of this folder."""

    def lines(self, records: Sequence[Record]) -> bytes:
        """See RecordExport.lines."""
        return json_lines(records)

    def open_writer(self, path: Path) -> RecordWriter:
        """See RecordExport.open_writer."""
        return open_record_writer(path)
