from pathlib import Path
from typing import Any

import pytest

from crawlmesh.errors import SettingError
from crawlmesh.settings import Settings, load_settings
from crawlmesh.wiring import stores


def _settings(**flags: Any) -> Settings:
    return load_settings({"data_dir": Path("data"), **flags})


def test_stores_are_files_of_the_data_folder_unless_said_otherwise() -> None:
    assert stores.control_store_url(_settings()) == "sqlite:///data/cluster/control.db"
    assert stores.crawl_store_url(_settings()) == "sqlite:///data/cluster/crawls.db"


def test_links_are_kept_in_the_same_server_as_tasks() -> None:
    server = "postgresql://user:secret@host/db"
    assert stores.crawl_store_url(_settings(control_store=server)) == server
    both = _settings(control_store=server, crawl_store="sqlite:///x.db")
    assert stores.crawl_store_url(both) == "sqlite:///x.db"


def test_passwords_are_not_shown() -> None:
    assert stores.without_password("postgresql://user:secret@host/db") == "postgresql://user@host/db"
    assert stores.without_password("postgresql://host/db") == "postgresql://host/db"


def test_folders_are_those_of_files_each_once() -> None:
    urls = ("sqlite:///a/b.db", "sqlite:///a/c.db", "postgresql://host/db", "sqlite:////x/y.db")
    assert stores.folders_of(*urls) == [Path("a"), Path("/x")]


@pytest.mark.parametrize("opening", [stores.open_control_store, stores.open_cluster_crawl_store])
async def test_other_kinds_of_stores_are_refused(opening: Any) -> None:
    with pytest.raises(SettingError, match="no kind of"):
        await opening("mysql://host/db")
