import os
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from crawlmesh.adapters.files import WarcPageArchive, WarcWriter
from crawlmesh.errors import OutputError
from crawlmesh.model.page import FetchResponse
from crawlmesh.model.record import Record
from crawlmesh.testing.conformance.record_writer import sample_record


def _archived(archive: WarcPageArchive, number: int) -> Record:
    record = sample_record(number)
    headers = (("content-type", "text/html"), ("content-encoding", "br"), ("transfer-encoding", "chunked"))
    page = FetchResponse(1, record.url, 200, headers, os.urandom(20) * number, address="192.0.2.1")
    return msgspec.structs.replace(record, archive=archive.append(page, record.fetched_at))


def test_warcio_check_accepts_the_file_and_the_segments(tmp_path: Path) -> None:
    archive = WarcPageArchive(tmp_path / "archive", segment_bytes=2000)
    records = [_archived(archive, number) for number in range(20)]
    writer = WarcWriter(tmp_path / "x.warc.gz", archive)
    writer.write(records[5:])
    writer.close()
    archive.close()
    segments = list((tmp_path / "archive").iterdir())
    assert len(segments) > 1
    assert _check(tmp_path / "x.warc.gz") == 16
    assert sum(_check(segment) for segment in segments) == 20 + len(segments)


def _check(path: Path) -> int:
    """How many records `warcio check` has found whole."""
    command = [str(Path(sys.executable).with_name("warcio")), "check", "-v", str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.count("WARC-Record-ID") == done.stdout.count("digest pass")
    return done.stdout.count("digest pass")


def test_a_record_without_a_page_says_what_to_do(tmp_path: Path) -> None:
    writer = WarcWriter(tmp_path / "x.warc.gz", WarcPageArchive(tmp_path / "archive"))
    with pytest.raises(OutputError, match=r"seite/1.*without --archive\. Crawl again with --archive"):
        writer.write([sample_record(1)])
    writer.abort()
    assert list(tmp_path.iterdir()) == []
