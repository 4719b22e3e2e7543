import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from crawlmesh.errors import SettingError, UsageError
from crawlmesh.wiring.moving.ends import Ends, ends_of, parts_to_move

POSTGRES = "postgresql://db/crawls"
REDIS = "redis://cache:6379/0"


def make(path: Path, table: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(f"CREATE TABLE {table} (id)")
    return path


def source(address: str, control: str | None = None, what: str = "") -> Ends:
    return ends_of(address, "--from", what, control, is_source=True)


def target(address: str, control: str | None = None, what: str = "") -> Ends:
    return ends_of(address, "--to", what, control, is_source=False)


def test_servers() -> None:
    assert source(POSTGRES) == Ends(POSTGRES, POSTGRES)
    assert target(REDIS) == Ends(None, REDIS)
    assert target(REDIS, POSTGRES) == Ends(POSTGRES, REDIS)


def test_a_folder_is_what_lies_in_it(tmp_path: Path) -> None:
    make(tmp_path / "cluster" / "crawls.db", "links")
    expected = Ends(None, f"sqlite:///{tmp_path}/cluster/crawls.db")
    assert source(f"sqlite:///{tmp_path}") == source(f"sqlite:///{tmp_path}/cluster") == expected
    make(tmp_path / "cluster" / "control.db", "crawler_tasks")
    assert source(f"sqlite:///{tmp_path}").control == f"sqlite:///{tmp_path}/cluster/control.db"


def test_a_folder_to_move_into_need_not_be_there(tmp_path: Path) -> None:
    new = f"sqlite:///{tmp_path}/new"
    assert target(new) == Ends(f"{new}/control.db", f"{new}/crawls.db")


def test_a_file_is_what_its_tables_are(tmp_path: Path) -> None:
    file = make(tmp_path / "any.db", "crawler_tasks")
    assert source(f"sqlite:///{file}") == Ends(f"sqlite:///{file}", None)
    assert target(f"sqlite:///{tmp_path}/new.db") == Ends(None, f"sqlite:///{tmp_path}/new.db")
    assert target(f"sqlite:///{tmp_path}/new.db", what="control").crawl is None


@pytest.mark.parametrize(
    ("address", "sentence"),
    [
        ("mysql://db", "--from has the value 'mysql://db'"),
        ("sqlite:////nowhere/at/all", "neither control.db nor crawls.db"),
        ("sqlite:////nowhere/at/all.db", "no store of Crawlmesh"),
    ],
)
def test_what_is_no_source(address: str, sentence: str) -> None:
    with pytest.raises((UsageError, SettingError), match=sentence):
        source(address)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    (tmp_path / "text.db").write_text("no database, but long enough to be taken for one" * 30)
    with pytest.raises(UsageError, match="SQLite cannot read"):
        source(f"sqlite:///{tmp_path}/text.db")


def test_control_data_does_not_go_to_redis() -> None:
    with pytest.raises(UsageError, match="Control data cannot be kept"):
        target(POSTGRES, REDIS)


def test_what_both_have_a_place_for_is_moved() -> None:
    assert parts_to_move("", Ends("a", "b"), Ends("c", "d")) == ["control", "crawl"]
    assert parts_to_move("", Ends("a", "b"), Ends(None, "d")) == ["crawl"]
    assert parts_to_move("control", Ends("a", "b"), Ends("c", "d")) == ["control"]


def test_what_cannot_be_moved() -> None:
    with pytest.raises(UsageError, match="--what all moves control data, and --to has no place"):
        parts_to_move("all", Ends("a", "b"), Ends(None, "d"))
    with pytest.raises(UsageError, match="nothing to move"):
        parts_to_move("", Ends("a", None), Ends(None, "d"))
    with pytest.raises(UsageError, match="are the same"):
        parts_to_move("", Ends("a", "b"), Ends("c", "b"))
