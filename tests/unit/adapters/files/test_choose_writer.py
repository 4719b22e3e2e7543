import os
from pathlib import Path

import pytest

from crawlmesh.adapters.files import (
    CsvWriter,
    JsonlWriter,
    ParquetWriter,
    WarcPageArchive,
    WarcWriter,
    check_output_path,
    open_record_writer,
)
from crawlmesh.errors import UsageError


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("x.jsonl", JsonlWriter),
        ("x.NDJSON", JsonlWriter),
        ("x.jsonl.gz", JsonlWriter),
        ("a.b.csv", CsvWriter),
        ("x.parquet", ParquetWriter),
        ("x.warc.gz", WarcWriter),
    ],
)
def test_the_extension_chooses(tmp_path: Path, name: str, kind: type) -> None:
    writer = open_record_writer(tmp_path / name, WarcPageArchive(tmp_path))
    assert type(writer) is kind
    writer.abort()


@pytest.mark.parametrize("name", ["x", "x.txt", "x.json", "x.gz", "x.csv.gz"])
def test_an_unknown_extension_names_the_allowed_ones(tmp_path: Path, name: str) -> None:
    with pytest.raises(UsageError, match=rf"{name} .*\.jsonl, \.ndjson, .*\.csv, \.parquet, \.warc\.gz"):
        open_record_writer(tmp_path / name)


def test_plain_warc_names_the_remedy() -> None:
    with pytest.raises(UsageError, match=r"Name it x\.warc\.gz\."):
        check_output_path(Path("x.warc"))


def test_warc_needs_an_archive(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="--archive"):
        open_record_writer(tmp_path / "x.warc.gz", None)
    assert list(tmp_path.iterdir()) == []


def test_a_check_creates_nothing(tmp_path: Path) -> None:
    check_output_path(tmp_path / "a" / "b" / "x.csv")
    (tmp_path / "x.csv").write_text("older")
    check_output_path(tmp_path / "x.csv")
    assert [each.name for each in tmp_path.iterdir()] == ["x.csv"]


def test_a_relative_path_is_fine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    check_output_path(Path("x.csv"))


def test_a_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "x.csv").mkdir()
    with pytest.raises(UsageError, match=r"x\.csv: it is a folder"):
        check_output_path(tmp_path / "x.csv")


def test_a_pipe_is_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.csv")
    with pytest.raises(UsageError, match="not a regular file"):
        check_output_path(tmp_path / "x.csv")


def test_a_file_in_place_of_the_folder_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="file is not a folder"):
        check_output_path(tmp_path / "file" / "x.csv")
    with pytest.raises(UsageError, match="file is not a folder"):
        check_output_path(tmp_path / "file" / "deeper" / "x.csv")


@pytest.mark.usefixtures("unprivileged")
def test_a_folder_that_is_not_writable_is_refused() -> None:
    with pytest.raises(UsageError, match=r"/usr is not writable"):
        check_output_path(Path("/usr/made-by-a-test/x.csv"))


def test_an_impossible_name_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="Choose a shorter name"):
        check_output_path(tmp_path / ("x" * 300 + ".csv"))
