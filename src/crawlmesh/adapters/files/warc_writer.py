"""The pages behind records as one WARC file, copied from the page archive."""

import time
from collections.abc import Iterable
from pathlib import Path

from crawlmesh.adapters.files.file_record_writer import FileRecordWriter
from crawlmesh.adapters.files.warc_member import warcinfo_member
from crawlmesh.errors import OutputError
from crawlmesh.model.record import Record
from crawlmesh.ports.page_archive import PageArchive


class WarcWriter(FileRecordWriter):
    """Writes one `warcinfo` record, then the archived response of every record as it lies in the archive."""

    def __init__(self, path: Path, archive: PageArchive) -> None:
        self._archive = archive
        super().__init__(path)

    def _start(self) -> None:
        self._file.write(warcinfo_member(self._path.name, time.time()))

    def _write_records(self, records: Iterable[Record]) -> None:
        for record in records:
            if record.archive is None:
                raise OutputError(
                    f"Cannot write {self._path}: the page {record.url} is not in the archive, because "
                    "the crawl was made without --archive. Crawl again with --archive, or choose "
                    ".jsonl, .csv or .parquet."
                )
            self._file.write(self._archive.raw(record.archive))
