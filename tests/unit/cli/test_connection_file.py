import stat
from pathlib import Path

import pytest

from crawlmesh.cli.connection_file import (
    ConnectionNote,
    connection_path,
    read_connection,
    write_connection,
)
from crawlmesh.errors import UsageError

NOTE = ConnectionNote(url="http://127.0.0.1:8000", api_key="a", join_token="j")


def test_what_was_written_is_read_and_only_the_owner_may(tmp_path: Path) -> None:
    path = write_connection(tmp_path, NOTE)
    assert read_connection(tmp_path) == NOTE
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [file.name for file in path.parent.iterdir()] == ["connection.json"]


def test_a_file_that_others_could_read_is_replaced(tmp_path: Path) -> None:
    path = connection_path(tmp_path)
    path.parent.mkdir()
    path.write_text("{}")
    path.chmod(0o644)
    write_connection(tmp_path, NOTE)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_there_may_be_none(tmp_path: Path) -> None:
    assert read_connection(tmp_path) is None


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    path = connection_path(tmp_path)
    path.parent.mkdir()
    path.write_text("{")
    with pytest.raises(UsageError, match=r"connection\.json is damaged"):
        read_connection(tmp_path)
