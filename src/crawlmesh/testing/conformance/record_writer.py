"""What every record writer must do, whatever its format."""

import resource
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest

from crawlmesh.errors import OutputError
from crawlmesh.model.record import Record
from crawlmesh.ports.record_writer import RecordWriter


def sample_record(number: int, data: object = None) -> Record:
    """A record whose URL tells its number, with data of all JSON types unless some is given."""
    content = data if data is not None else _sample_data(number)
    return Record(
        link_id=number,
        url=f"https://example.org/seite/{number}?q=münchen",
        final_url=f"https://example.org/seite/{number}/",
        status=200,
        depth=number % 4,
        fetched_at=1_794_733_939.123 + number,
        data=msgspec.json.encode(content),
    )


def _sample_data(number: int) -> dict[str, object]:
    return {
        "title": f'Größe "{number}", 東京\nsecond line',
        "price": number / 4,
        "stock": number,
        "new": number % 2 == 0,
        "note": None,
        "products": [{"name": f"product {number}", "tags": ["a", "b"]}],
    }


class RecordWriterConformance(ABC):
    """Subclass this as `Test…` and say how to open a writer and how to read its file."""

    extension: str

    @abstractmethod
    def open_writer(self, path: Path) -> RecordWriter:
        """The writer under test, for a file of its extension."""

    @abstractmethod
    def read_urls(self, path: Path) -> list[str]:
        """The URLs of all records in a finished file, read with somebody else's reader."""

    def prepare(self, records: Sequence[Record], folder: Path) -> list[Record]:
        """Records that this writer can take; `folder` is for what must lie behind them."""
        del folder
        return list(records)

    def _records(self, count: int, folder: Path) -> list[Record]:
        return self.prepare([sample_record(number) for number in range(count)], folder / "prepared")

    def _path(self, folder: Path) -> Path:
        return folder / "output" / f"records{self.extension}"

    def test_every_record_is_there_once_and_in_order(self, tmp_path: Path) -> None:
        """Over several calls, and from an iterable that can be read only once."""
        records = self._records(1300, tmp_path)
        writer = self.open_writer(self._path(tmp_path))
        writer.write(records[:3])
        writer.write([])
        writer.write(record for record in records[3:])
        writer.close()
        assert self.read_urls(self._path(tmp_path)) == [record.url for record in records]

    def test_no_records_make_a_valid_empty_file(self, tmp_path: Path) -> None:
        """A crawl without a yield still has an output."""
        self.open_writer(self._path(tmp_path)).close()
        assert self.read_urls(self._path(tmp_path)) == []

    def test_the_file_appears_only_when_closed(self, tmp_path: Path) -> None:
        """Until then an older file of that name stays as it is."""
        path = self._path(tmp_path)
        path.parent.mkdir()
        path.write_bytes(b"older")
        writer = self.open_writer(path)
        writer.write(self._records(3, tmp_path))
        assert path.read_bytes() == b"older"
        writer.close()
        assert len(self.read_urls(path)) == 3
        assert list(path.parent.iterdir()) == [path]

    def test_while_it_grows_it_is_hidden_beside_its_target(self, tmp_path: Path) -> None:
        """The temporary name is .<name>.<random>.part."""
        path = self._path(tmp_path)
        writer = self.open_writer(path)
        (part,) = path.parent.iterdir()
        assert part.name.startswith(f".{path.name}.")
        assert part.suffix == ".part"
        writer.abort()

    def test_two_writers_of_one_file_do_not_meet(self, tmp_path: Path) -> None:
        """The last one to close wins, whole."""
        path = self._path(tmp_path)
        records = self._records(5, tmp_path)
        first, second = self.open_writer(path), self.open_writer(path)
        first.write(records[:2])
        second.write(records)
        first.close()
        assert len(self.read_urls(path)) == 2
        second.close()
        assert len(self.read_urls(path)) == 5

    def test_abort_leaves_nothing(self, tmp_path: Path) -> None:
        """Neither a file nor a part of one; a second abort and a late close do nothing."""
        path = self._path(tmp_path)
        writer = self.open_writer(path)
        writer.write(self._records(3, tmp_path))
        writer.abort()
        writer.abort()
        writer.close()
        assert list(path.parent.iterdir()) == []

    def test_abort_and_close_after_close_keep_the_file(self, tmp_path: Path) -> None:
        """So that callers may abort in a `finally`."""
        path = self._path(tmp_path)
        writer = self.open_writer(path)
        writer.write(self._records(3, tmp_path))
        writer.close()
        writer.close()
        writer.abort()
        assert len(self.read_urls(path)) == 3

    def test_writing_after_the_end_is_refused(self, tmp_path: Path) -> None:
        """Records must not vanish silently."""
        path = self._path(tmp_path)
        writer = self.open_writer(path)
        writer.close()
        with pytest.raises(OutputError, match=path.name):
            writer.write(self._records(1, tmp_path))

    def test_missing_folders_are_made(self, tmp_path: Path) -> None:
        """Also several levels of them."""
        path = tmp_path / "a" / "b" / f"records{self.extension}"
        self.open_writer(path).close()
        assert path.exists()

    def test_no_room_names_the_file_and_spoils_nothing(self, tmp_path: Path) -> None:
        """The error may come from `write` or from `close`; the older file survives it."""
        path = self._path(tmp_path)
        path.parent.mkdir()
        path.write_bytes(b"older")
        records = self._records(3000, tmp_path)
        writer = self.open_writer(path)
        with file_size_limit(16 * 1024), pytest.raises(OutputError, match=path.name):
            _write_and_close(writer, records)
        writer.abort()
        assert path.read_bytes() == b"older"
        assert list(path.parent.iterdir()) == [path]


def _write_and_close(writer: RecordWriter, records: list[Record]) -> None:
    writer.write(records)
    writer.close()


@contextmanager
def file_size_limit(size_bytes: int) -> Iterator[None]:
    """Let writes of this process fail where a file would grow beyond a size."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
