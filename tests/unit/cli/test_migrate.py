import asyncio
import json
import sqlite3
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from crawlmesh.adapters.files import StateFolder
from crawlmesh.adapters.sqlite import SqliteCrawlStore
from crawlmesh.cli import migrate as command
from crawlmesh.cli.main import main
from crawlmesh.errors import StoreLockedError
from crawlmesh.migrations import upgrade
from crawlmesh.model.crawl import Dedup
from crawlmesh.testing.builders import crawl, new_links
from crawlmesh.wiring import system_clock
from crawlmesh.wiring.moving.marks import refuse_marked_stores

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a deployment with one crawl of three links."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("CRAWLMESH_DATA_DIR", str(tmp_path / "data"))
    folder = tmp_path / "old"
    folder.mkdir()
    asyncio.run(upgrade(f"sqlite:///{folder}/control.db"))
    asyncio.run(fill(folder / "crawls.db"))
    return folder


async def fill(path: Path, **fields: Any) -> None:
    store = await SqliteCrawlStore.open(path, system_clock())
    await store.create_crawl(crawl(**fields))
    await store.add(new_links(3))
    await store.aclose()


def migrate(*arguments: object) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["migrate", *map(str, arguments)])
    return int(ended.value.code or 0)


def move(old: Path, *arguments: object) -> int:
    return migrate("--from", f"sqlite:///{old}", "--to", f"sqlite:///{old.parent}/new", *arguments)


def refuse(folder: Path) -> None:
    asyncio.run(refuse_marked_stores(f"sqlite:///{folder}/control.db", f"sqlite:///{folder}/crawls.db"))


def test_a_move_compares_both_ends_and_says_which_settings_hold_now(old: Path, capsys: Capture) -> None:
    assert move(old) == 0
    said = capsys.readouterr().out
    assert "Both ends are identical" in said
    assert f'crawl_store = "sqlite:///{old.parent}/new/crawls.db"' in said
    assert "links pending" in said
    refuse(old.parent / "new")
    with pytest.raises(StoreLockedError, match="was moved to"):
        refuse(old)


def test_what_was_left_can_be_used_again_if_that_is_wanted(old: Path, capsys: Capture) -> None:
    assert move(old) == 0
    assert migrate("--unmark", f"sqlite:///{old}") == 0
    assert "The mark of the crawl data is gone" in capsys.readouterr().out
    refuse(old)
    assert migrate("--unmark", f"sqlite:///{old}") == 0
    assert "There is no mark" in capsys.readouterr().out


def test_a_copy_leaves_the_source_as_it_was(old: Path) -> None:
    assert move(old, "--keep-source") == 0
    refuse(old)


def test_counting_changes_nothing(old: Path, capsys: Capture) -> None:
    assert move(old, "--dry-run", "--json") == 0
    parts = json.loads(capsys.readouterr().out)
    assert {part["part"]: part["counts"].get("links", 0) for part in parts} == {"control": 0, "crawl": 3}
    assert not (old.parent / "new").exists()


def test_json_says_whether_both_are_identical(old: Path, capsys: Capture) -> None:
    assert move(old, "--what", "crawl", "--json") == 0
    (part,) = json.loads(capsys.readouterr().out)
    assert part["identical"] is True
    assert part["checksums"] == part["checksums_there"]


def test_a_target_that_has_data_is_refused(old: Path, capsys: Capture) -> None:
    (old.parent / "new").mkdir()
    asyncio.run(fill(old.parent / "new" / "crawls.db"))
    assert move(old) == 2
    assert "never mixed" in capsys.readouterr().err
    refuse(old)


def test_a_master_that_runs_is_in_the_way(old: Path, capsys: Capture) -> None:
    with StateFolder(old):
        assert move(old) == 1
    assert "A master runs on the stores" in capsys.readouterr().err


def test_a_filter_cannot_go_to_postgres(old: Path, postgres_dsn: str, capsys: Capture) -> None:
    (old / "crawls.db").unlink()
    asyncio.run(fill(old / "crawls.db", dedup=Dedup.BLOOM))
    assert migrate("--from", f"sqlite:///{old}", "--to", postgres_dsn) == 2
    assert 'wants dedup = "bloom"' in capsys.readouterr().err
    refuse(old)


def test_what_arrived_wrongly_is_told_and_is_not_used(
    old: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lose_a_link(self: object, name: str, rows: int) -> None:
        if name == "shares":
            with closing(sqlite3.connect(old.parent / "new" / "crawls.db")) as connection, connection:
                connection.execute("DELETE FROM links WHERE number = 1")

    monkeypatch.setattr(command._Progress, "__call__", lose_a_link)
    assert move(old) == 1
    said = capsys.readouterr()
    assert "What arrived is not what was sent: links, links pending" in said.err
    assert "differs" in said.out
    refuse(old)
    with pytest.raises(StoreLockedError, match="only in part"):
        refuse(old.parent / "new")
    monkeypatch.undo()
    monkeypatch.setenv("CRAWLMESH_DATA_DIR", str(old.parent / "data"))
    assert move(old) == 0


def test_a_move_that_fails_goes_on_from_its_own_source_only(
    old: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(self: object, name: str, rows: int) -> None:
        raise OSError("the cable was pulled")

    with monkeypatch.context() as broken:
        broken.setattr(command._Progress, "__call__", fail)
        assert move(old) == 1
    (old.parent / "third").mkdir()
    asyncio.run(fill(old.parent / "third" / "crawls.db"))
    new = f"sqlite:///{old.parent}/new"
    assert migrate("--from", f"sqlite:///{old.parent}/third", "--to", new, "--what", "crawl") == 1
    assert f"came from sqlite:///{old}/crawls.db only in part" in capsys.readouterr().err
    assert migrate("--unmark", new) == 0
    assert "was deleted" in capsys.readouterr().out
    assert migrate("--from", f"sqlite:///{old.parent}/third", "--to", new, "--what", "crawl") == 0


def test_both_addresses_are_needed(old: Path, capsys: Capture) -> None:
    assert migrate("--from", f"sqlite:///{old}") == 2
    assert "give both --from and --to" in capsys.readouterr().err


def test_lines_where_there_is_no_terminal(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    progress = command._Progress()
    for rows in (1, 2, 100_001):
        progress("links", rows)
    progress.end()
    assert capsys.readouterr().err == "links: 1\nlinks: 100,001\n"
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    progress = command._Progress()
    progress("links", 7)
    progress.end()
    assert "links: 7" in capsys.readouterr().err
