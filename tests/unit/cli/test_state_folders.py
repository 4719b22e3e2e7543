import os
from pathlib import Path

import pytest

from crawlmesh.cli.state_folders import existing_state, known_states, state_path
from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.errors import UsageError
from crawlmesh.settings import Settings, load_settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({"data_dir": tmp_path})


def _definition(seed: str = "https://shop.example/x", **fields: int) -> CrawlDefinition:
    return CrawlDefinition(seeds=(seed,), **fields)  # type: ignore[arg-type]


def _state(settings: Settings, name: str, changed_at: float) -> Path:
    folder = settings.data_dir / "crawls" / name
    folder.mkdir(parents=True)
    (folder / "crawl.db").touch()
    os.utime(folder / "crawl.db", (changed_at, changed_at))
    return folder


def test_the_same_definition_has_the_same_folder(settings: Settings) -> None:
    assert state_path(settings, _definition()) == state_path(settings, _definition())


def test_another_definition_has_another_folder(settings: Settings) -> None:
    paths = {
        state_path(settings, definition)
        for definition in (_definition(), _definition(depth=1), _definition("https://shop.example/y"))
    }
    assert len(paths) == 3


@pytest.mark.parametrize(
    ("seed", "name"),
    [
        ("https://shop.example/x", "shop.example"),
        ("http://127.0.0.1:8080/", "127.0.0.1-8080"),
        ("shop.example/x/y", "shop.example"),
        ("https://büro.example/", "b-ro.example"),
        ("https://../../etc/passwd", "crawl"),
        ("https://user:secret@" + "a" * 200, None),
    ],
)
def test_a_folder_is_named_after_the_site(settings: Settings, seed: str, name: str | None) -> None:
    path = state_path(settings, _definition(seed))
    assert path.parent == settings.data_dir / "crawls"
    assert len(path.name) < 80
    if name is not None:
        assert path.name.rpartition("-")[0] == name


def test_the_latest_crawl_comes_first(settings: Settings) -> None:
    assert known_states(settings) == []
    old, new = _state(settings, "old", 1_000.0), _state(settings, "new", 2_000.0)
    (settings.data_dir / "crawls" / "empty").mkdir()
    assert known_states(settings) == [new, old]
    journal = old / "crawl.db-wal"
    journal.touch()
    os.utime(journal, (3_000.0, 3_000.0))
    assert known_states(settings) == [old, new]
    assert existing_state(settings, None) == old


def test_a_named_folder_must_hold_a_crawl(settings: Settings, tmp_path: Path) -> None:
    state = _state(settings, "one", 1.0)
    assert existing_state(settings, state) == state
    with pytest.raises(UsageError, match=r"no crawl in the folder .*nowhere\. Name the folder"):
        existing_state(settings, tmp_path / "nowhere")


def test_without_any_crawl_there_is_none_to_choose(settings: Settings) -> None:
    with pytest.raises(UsageError, match=r"There is no crawl in .* --state"):
        existing_state(settings, None)
