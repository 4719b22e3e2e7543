import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from crawlmesh.adapters.files import WarcPageArchive
from crawlmesh.errors import OutputError
from crawlmesh.model.page import FailureKind, FetchResponse
from crawlmesh.testing.conformance.record_writer import file_size_limit

_FETCHED_AT = 1_794_733_939.123


def _page(number: int, body: bytes | None = None) -> FetchResponse:
    content = body if body is not None else f"<p>page {number}</p>".encode()
    return FetchResponse(number, f"https://example.org/{number}", 200, (("etag", "x"),), content)


def _incompressible(size: int) -> bytes:
    return b"".join(hash((size, number)).to_bytes(8, "big", signed=True) for number in range(size // 8))


def test_pages_come_back_before_and_after_flush_and_close(tmp_path: Path) -> None:
    archive = WarcPageArchive(tmp_path)
    references = [archive.append(_page(number), _FETCHED_AT) for number in range(5)]
    assert archive.read(references[3]).body == b"<p>page 3</p>"
    archive.flush()
    references.append(archive.append(_page(5), _FETCHED_AT))
    archive.close()
    archive.close()
    assert [archive.read(each).url for each in references] == [_page(n).url for n in range(6)]
    assert WarcPageArchive(tmp_path).read(references[0]).body == b"<p>page 0</p>"


def test_a_flushed_page_can_be_read_by_another_process_at_once(tmp_path: Path) -> None:
    archive = WarcPageArchive(tmp_path)
    reference = archive.append(_page(1), _FETCHED_AT)
    archive.flush()
    assert WarcPageArchive(tmp_path).read(reference).body == b"<p>page 1</p>"
    archive.close()


def test_a_reference_names_segment_offset_and_length(tmp_path: Path) -> None:
    archive = WarcPageArchive(tmp_path)
    segment, offset, length = archive.append(_page(1), _FETCHED_AT).split(":")
    archive.close()
    content = (tmp_path / f"{segment}.warc.gz").read_bytes()
    assert segment.startswith("pages-20261115T091219Z-")
    assert int(offset) + int(length) == len(content)
    assert archive.raw(f"{segment}:{offset}:{length}") == content[int(offset) :]


def test_an_unused_archive_leaves_no_trace(tmp_path: Path) -> None:
    archive = WarcPageArchive(tmp_path / "archive")
    archive.flush()
    archive.close()
    assert list(tmp_path.iterdir()) == []


def test_archives_write_side_by_side_and_segments_are_bounded(tmp_path: Path) -> None:
    archives = [WarcPageArchive(tmp_path, segment_bytes=2000) for _ in range(2)]
    references = [
        archive.append(_page(number, _incompressible(800)), _FETCHED_AT)
        for number in range(6)
        for archive in archives
    ]
    for archive in archives:
        archive.close()
    assert len(list(tmp_path.iterdir())) > 2
    assert len(set(references)) == 12
    assert all(archives[0].read(each).body == _incompressible(800) for each in references)


def test_much_is_written_without_a_flush(tmp_path: Path) -> None:
    archive = WarcPageArchive(tmp_path)
    archive.append(_page(1, _incompressible(2_000_000)), _FETCHED_AT)
    (segment,) = tmp_path.iterdir()
    assert segment.stat().st_size > 1_000_000
    archive.close()


def test_a_kill_disturbs_nothing_that_was_flushed(tmp_path: Path) -> None:
    program = (
        "import os, sys; from pathlib import Path\n"
        "from crawlmesh.adapters.files import WarcPageArchive\n"
        "from crawlmesh.model.page import FetchResponse\n"
        "archive = WarcPageArchive(Path(sys.argv[1]))\n"
        "page = FetchResponse(1, 'https://a/', 200, (), b'kept')\n"
        "print(archive.append(page, 0.0)); archive.flush(); print(archive.append(page, 0.0), flush=True)\n"
        "os.kill(os.getpid(), 9)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, tmp_path], capture_output=True, text=True, check=False
    )
    kept, lost = done.stdout.split()
    archive = WarcPageArchive(tmp_path)
    assert archive.read(kept).body == b"kept"
    with pytest.raises(OutputError, match="cut off"):
        archive.read(lost)


def test_a_cut_tail_leaves_the_other_pages_readable(tmp_path: Path) -> None:
    archive = WarcPageArchive(tmp_path)
    first, last = (archive.append(_page(number), _FETCHED_AT) for number in range(2))
    archive.close()
    (segment,) = tmp_path.iterdir()
    segment.write_bytes(segment.read_bytes()[:-20])
    assert archive.read(first).body == b"<p>page 0</p>"
    for read in (archive.read, archive.raw):
        with pytest.raises(OutputError, match=rf"{segment.name}: the file was cut off or changed\. "):
            read(last)


@pytest.mark.parametrize("reference", ["", "nonsense", "../x:0:1", "a:b:c", "a:1", "a:-1:5"])
def test_a_reference_that_is_none_is_refused(tmp_path: Path, reference: str) -> None:
    with pytest.raises(OutputError, match="not a reference"):
        WarcPageArchive(tmp_path).read(reference)


def test_other_records_and_missing_segments_are_named(tmp_path: Path) -> None:
    archive = WarcPageArchive(tmp_path)
    segment, offset, _ = archive.append(_page(1), _FETCHED_AT).split(":")
    archive.close()
    with pytest.raises(OutputError, match="not a response"):
        archive.read(f"{segment}:0:{offset}")
    with pytest.raises(OutputError, match=r"gone\.warc\.gz: No such file"):
        archive.read("gone:0:10")


def test_a_failure_is_not_a_page(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="no response"):
        WarcPageArchive(tmp_path).append(FetchResponse(1, "https://a/", failure=FailureKind.DNS), 0.0)


def test_after_a_failed_write_the_archive_stays_failed(tmp_path: Path) -> None:
    archive = WarcPageArchive(tmp_path)
    kept = archive.append(_page(1), _FETCHED_AT)
    archive.flush()
    archive.append(_page(2, _incompressible(50_000)), _FETCHED_AT)
    with file_size_limit(16 * 1024), pytest.raises(OutputError, match=r"pages-.*ulimit -f"):
        archive.flush()
    with pytest.raises(OutputError, match="Cannot write the page archive"):
        archive.flush()
    with pytest.raises(OutputError, match="Cannot write the page archive"):
        archive.append(_page(3), _FETCHED_AT)
    archive.close()
    assert archive.read(kept).body == b"<p>page 1</p>"


def test_a_full_disk_is_named(tiny_disk: Path) -> None:
    archive = WarcPageArchive(tiny_disk / "archive")
    archive.append(_page(1, _incompressible(400_000)), _FETCHED_AT)
    with pytest.raises(OutputError, match=r"No space left on device\. Free some space"):
        archive.close()


def test_a_close_that_cannot_sync_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_descriptor: int) -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    archive = WarcPageArchive(tmp_path)
    archive.append(_page(1), _FETCHED_AT)
    monkeypatch.setattr("os.fsync", failing)
    with pytest.raises(OutputError, match=r"pages-.*Check the disk"):
        archive.close()
    archive.close()


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match=r"file/archive/pages-.*A part of the path is a file"):
        WarcPageArchive(tmp_path / "file" / "archive").append(_page(1), _FETCHED_AT)
