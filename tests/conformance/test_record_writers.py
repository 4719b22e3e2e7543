import csv
import gzip
import json
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pyarrow.parquet as pq  # type: ignore[import-untyped]
import pytest
from warcio.archiveiterator import ArchiveIterator  # type: ignore[import-untyped]

from crawlmesh.adapters.files import WarcPageArchive, open_record_writer
from crawlmesh.model.page import FetchResponse
from crawlmesh.model.record import Record
from crawlmesh.ports.record_writer import RecordWriter
from crawlmesh.testing.conformance.record_writer import RecordWriterConformance


class TestJsonlWriter(RecordWriterConformance):
    extension = ".jsonl"

    def open_writer(self, path: Path) -> RecordWriter:
        return open_record_writer(path)

    def read_urls(self, path: Path) -> list[str]:
        return [json.loads(line)["url"] for line in path.read_bytes().split(b"\n")[:-1]]


class TestCompressedJsonlWriter(RecordWriterConformance):
    extension = ".jsonl.gz"

    def open_writer(self, path: Path) -> RecordWriter:
        return open_record_writer(path)

    def read_urls(self, path: Path) -> list[str]:
        with gzip.open(path) as lines:
            return [json.loads(line)["url"] for line in lines]


class TestCsvWriter(RecordWriterConformance):
    extension = ".csv"

    def open_writer(self, path: Path) -> RecordWriter:
        return open_record_writer(path)

    def read_urls(self, path: Path) -> list[str]:
        with path.open(encoding="utf-8", newline="") as file:
            return [row["url"] for row in csv.DictReader(file)]


class TestParquetWriter(RecordWriterConformance):
    extension = ".parquet"

    def open_writer(self, path: Path) -> RecordWriter:
        return open_record_writer(path)

    def read_urls(self, path: Path) -> list[str]:
        urls: list[str] = pq.read_table(path)["url"].to_pylist()
        return urls


class TestWarcWriter(RecordWriterConformance):
    extension = ".warc.gz"

    @pytest.fixture(autouse=True)
    def _archive(self, tmp_path: Path) -> None:
        self.archive = WarcPageArchive(tmp_path / "prepared")

    def open_writer(self, path: Path) -> RecordWriter:
        return open_record_writer(path, self.archive)

    def read_urls(self, path: Path) -> list[str]:
        with path.open("rb") as file:
            kinds = [
                (each.rec_type, each.rec_headers.get_header("WARC-Target-URI"))
                for each in ArchiveIterator(file)
            ]
        assert [kind for kind, _ in kinds].count("warcinfo") == 1
        assert kinds[0][0] == "warcinfo"
        return [url for kind, url in kinds if kind == "response"]

    def prepare(self, records: Sequence[Record], folder: Path) -> list[Record]:
        archived = [
            msgspec.structs.replace(record, archive=self.archive.append(_page(record), record.fetched_at))
            for record in records
        ]
        self.archive.close()
        return archived


def _page(record: Record) -> FetchResponse:
    body = b"<html>" + bytes(record.data) + b"</html>"
    return FetchResponse(
        token=1, url=record.url, status=200, headers=(("content-type", "text/html"),), body=body
    )
