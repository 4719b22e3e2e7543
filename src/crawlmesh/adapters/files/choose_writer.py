"""Chooses the record writer by the name of the output file, and checks that name before a crawl."""

import os
from pathlib import Path

from crawlmesh.adapters.files.csv_writer import CsvWriter
from crawlmesh.adapters.files.jsonl_writer import JsonlWriter
from crawlmesh.adapters.files.output_errors import reason_of, remedy_for
from crawlmesh.adapters.files.parquet_writer import ParquetWriter
from crawlmesh.adapters.files.warc_writer import WarcWriter
from crawlmesh.errors import UsageError
from crawlmesh.ports.page_archive import PageArchive
from crawlmesh.ports.record_writer import RecordWriter

RECORD_EXTENSIONS = (".jsonl", ".ndjson", ".jsonl.gz", ".csv", ".parquet", ".warc.gz")


def open_record_writer(path: Path, archive: PageArchive | None = None) -> RecordWriter:
    """The writer for the format that the file's extension names. `archive` is needed for .warc.gz.

    Raises UsageError where `check_output_path` would, and OutputError where the file cannot be opened.
    """
    check_output_path(path)
    extension = _extension_of(path)
    if extension == ".warc.gz":
        return WarcWriter(path, _needed(archive, path))
    if extension == ".csv":
        return CsvWriter(path)
    if extension == ".parquet":
        return ParquetWriter(path)
    return JsonlWriter(path, gzipped=extension == ".jsonl.gz")


def check_output_path(path: Path) -> None:
    """Refuse a path that records cannot be written to. Nothing is created.

    Raises UsageError naming the file, what is wrong with it, and the remedy.
    """
    _extension_of(path)
    try:
        if path.exists() and not path.is_file():
            what = "a folder" if path.is_dir() else "not a regular file"
            raise UsageError(f"Cannot write {path}: it is {what}. Give the path of a file.")
        _check_folder(path)
    except OSError as error:
        raise UsageError(f"Cannot write {path}: {reason_of(error)}. {remedy_for(error)}") from error


def _extension_of(path: Path) -> str:
    name = path.name.lower()
    for extension in RECORD_EXTENSIONS:
        if name.endswith(extension):
            return extension
    if name.endswith(".warc"):
        raise UsageError(f"Cannot write {path}: WARC files are written compressed. Name it {path.name}.gz.")
    allowed = ", ".join(RECORD_EXTENSIONS)
    raise UsageError(f"Cannot tell the format of {path} by its extension. Choose one of {allowed}.")


def _check_folder(path: Path) -> None:
    """Look at the folder that the file, or the first missing folder above it, will be made in."""
    folder = path.resolve().parent
    while not folder.exists():
        folder = folder.parent
    if not folder.is_dir():
        raise UsageError(f"Cannot write {path}: {folder} is not a folder. Choose another folder.")
    effective = os.access in os.supports_effective_ids
    if not os.access(folder, os.W_OK | os.X_OK, effective_ids=effective):
        raise UsageError(
            f"Cannot write {path}: the folder {folder} is not writable for this user. "
            "Change its permissions, or choose another folder."
        )


def _needed(archive: PageArchive | None, path: Path) -> PageArchive:
    if archive is None:
        raise UsageError(
            f"Cannot write {path}: a WARC file holds whole pages, and this crawl keeps none. "
            "Crawl with --archive, or choose .jsonl, .csv or .parquet."
        )
    return archive
