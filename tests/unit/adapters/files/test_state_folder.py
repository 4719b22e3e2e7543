import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from crawlmesh.adapters.files import StateFolder
from crawlmesh.errors import StoreError, StoreLockedError, UsageError

_HOLDER = (
    "import sys; from pathlib import Path\n"
    "from crawlmesh.adapters.files import StateFolder\n"
    "folder = StateFolder(Path(sys.argv[1])); print('held', flush=True); sys.stdin.read()\n"
)


def test_it_makes_the_folder_and_knows_the_paths(tmp_path: Path) -> None:
    path = tmp_path / "a" / "state"
    with StateFolder(path) as folder:
        assert (path / "lock").read_text() == f"{os.getpid()}\n"
        assert folder.database == path / "crawl.db"
        assert folder.archive == path / "archive"
        assert folder.records == path / "records.jsonl"
        assert [each.name for each in path.iterdir()] == ["lock"]


def test_a_second_owner_is_refused_until_the_first_lets_go(tmp_path: Path) -> None:
    first = StateFolder(tmp_path)
    with pytest.raises(StoreLockedError, match=rf"{tmp_path} is in use by process {os.getpid()}\. Wait"):
        StateFolder(tmp_path)
    first.release()
    first.release()
    StateFolder(tmp_path).release()


def test_the_lock_ends_with_the_process(tmp_path: Path) -> None:
    command = [sys.executable, "-c", _HOLDER, str(tmp_path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(StoreLockedError, match=rf"process {holder.pid}\."):
            StateFolder(tmp_path)
        holder.kill()
        holder.wait()
        with StateFolder(tmp_path):
            assert (tmp_path / "lock").read_text() == f"{os.getpid()}\n"


def test_an_owner_that_has_not_signed_yet_is_unknown(tmp_path: Path) -> None:
    with StateFolder(tmp_path):
        os.truncate(tmp_path / "lock", 0)
        with pytest.raises(StoreLockedError, match="process unknown"):
            StateFolder(tmp_path)


def test_clear_deletes_the_state_and_nothing_else(tmp_path: Path) -> None:
    archive = tmp_path / "archive"
    archive.mkdir()
    state = ["crawl.db", "crawl.db-wal", "crawl.db-shm", "records.jsonl", "records.warc.gz"]
    hidden = [".records.csv.0a1b2c3d4e5f.part"]
    others = ["crawl.db.backup", "records.txt", "records.xlsx", "notes.csv", ".records.csv"]
    for name in [*state, *hidden, *others]:
        (tmp_path / name).write_text("x")
    (archive / "pages-20261115T091219Z-0a1b.warc.gz").write_text("x")
    (archive / "mine.warc.gz").write_text("x")
    (tmp_path / "records.csv").mkdir()
    with StateFolder(tmp_path) as folder:
        folder.clear()
        assert {each.name for each in tmp_path.iterdir()} == {*others, "archive", "lock", "records.csv"}
        assert [each.name for each in archive.iterdir()] == ["mine.warc.gz"]
        with pytest.raises(StoreLockedError):
            StateFolder(tmp_path)


def test_clear_removes_an_archive_that_is_empty_then(tmp_path: Path) -> None:
    (tmp_path / "archive").mkdir()
    (tmp_path / "archive" / "pages-x.warc.gz").write_text("x")
    with StateFolder(tmp_path) as folder:
        folder.clear()
        folder.clear()
    assert [each.name for each in tmp_path.iterdir()] == ["lock"]


def test_a_failing_clear_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_path: Path) -> None:
        raise PermissionError(13, "Permission denied")

    (tmp_path / "crawl.db").write_text("x")
    with StateFolder(tmp_path) as folder:
        monkeypatch.setattr(Path, "unlink", failing)
        with pytest.raises(StoreError, match=rf"{tmp_path}: Permission denied"):
            folder.clear()


def test_a_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    for path in (tmp_path / "file", tmp_path / "file" / "below"):
        with pytest.raises(UsageError, match=rf"{path}: it, or a part of its path, is a file"):
            StateFolder(path)


def test_a_file_system_without_locks_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def failing(_descriptor: int, _operation: int) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("fcntl.flock", failing)
    with pytest.raises(UsageError, match=rf"{tmp_path}: No locks available"):
        StateFolder(tmp_path)


@pytest.mark.usefixtures("unprivileged")
def test_a_folder_without_rights_is_refused() -> None:
    with pytest.raises(UsageError, match=r"/usr: Permission denied\. Give this user"):
        StateFolder(Path("/usr"))
    with pytest.raises(UsageError, match=r"/usr/state: Permission denied\. Give this user"):
        StateFolder(Path("/usr/state"))
