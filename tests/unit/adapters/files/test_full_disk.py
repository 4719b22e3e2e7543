"""What the conformance suite cannot do for all users: a disk that is really full, and missing rights."""

import errno
import os
from pathlib import Path

import pytest

from crawlmesh.adapters.files import CsvWriter, JsonlWriter, ParquetWriter
from crawlmesh.adapters.files.file_record_writer import FileRecordWriter
from crawlmesh.errors import OutputError
from crawlmesh.testing.conformance.record_writer import sample_record

_WRITERS = [JsonlWriter, CsvWriter, ParquetWriter]


def _write_much(writer: FileRecordWriter) -> None:
    writer.write(sample_record(number) for number in range(3000))
    writer.close()


@pytest.mark.parametrize("kind", _WRITERS)
def test_a_full_disk_names_the_file_and_the_remedy(kind: type[FileRecordWriter], tiny_disk: Path) -> None:
    writer = kind(tiny_disk / "out.file")
    with pytest.raises(OutputError, match=r"out\.file: No space left on device\. Free some space"):
        _write_much(writer)
    writer.abort()
    assert list(tiny_disk.iterdir()) == []


@pytest.mark.parametrize(
    ("code", "remedy"),
    [
        (errno.ENOSPC, "Free some space"),
        (errno.EDQUOT, "Free some space"),
        (errno.EROFS, "read-only"),
        (errno.EIO, "Check the disk"),
        (errno.EXDEV, "choose another"),
    ],
)
@pytest.mark.parametrize("kind", _WRITERS)
def test_a_failing_close_leaves_nothing(
    kind: type[FileRecordWriter], code: int, remedy: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(_descriptor: int) -> None:
        raise OSError(code, os.strerror(code))

    writer = kind(tmp_path / "out.file")
    monkeypatch.setattr("os.fsync", failing)
    with pytest.raises(OutputError, match=rf"out\.file: {os.strerror(code)}\. .*{remedy}"):
        _write_much(writer)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("kind", _WRITERS)
@pytest.mark.usefixtures("unprivileged")
def test_missing_rights_are_named(kind: type[FileRecordWriter]) -> None:
    with pytest.raises(OutputError, match=r"/usr/out\.file: Permission denied\. Give this user the right"):
        kind(Path("/usr/out.file"))


@pytest.mark.parametrize("kind", [CsvWriter, ParquetWriter])
def test_no_room_for_the_spool_leaves_nothing(
    kind: type[FileRecordWriter], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def failing(**_options: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("tempfile.TemporaryFile", failing)
    with pytest.raises(OutputError, match=r"out\.file: No space left"):
        kind(tmp_path / "out.file")
    assert list(tmp_path.iterdir()) == []
