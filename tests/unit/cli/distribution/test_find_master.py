from pathlib import Path
from typing import Any

import pytest

from crawlmesh.cli.connection_file import ConnectionNote, write_connection
from crawlmesh.cli.distribution.find_master import find_master
from crawlmesh.errors import UsageError
from crawlmesh.settings import Settings, load_settings
from crawlmesh.wiring import discovery

SOMEBODY = "http://10.0.0.66:8000"
JOIN, ADMIN = "join-token-of-the-user", "admin-key-of-the-user"


def _settings(folder: Path, **flags: Any) -> Settings:
    return load_settings({"data_dir": folder, "mode": "worker", **flags})


@pytest.fixture(autouse=True)
def _network(monkeypatch: pytest.MonkeyPatch) -> None:
    class Anybody:
        async def find(self, _: float) -> list[str]:
            return [SOMEBODY]

    monkeypatch.setattr(discovery, "make_discovery", Anybody)


async def test_the_admin_key_is_not_sent_to_who_answers_in_the_network(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=rf"{SOMEBODY}.*admin key is not sent.*--join-token.*--master-url"):
        await find_master(_settings(tmp_path, api_key=ADMIN))


async def test_a_join_token_that_was_given_is_sent_there_instead_of_it(tmp_path: Path) -> None:
    found = await find_master(_settings(tmp_path, api_key=ADMIN, join_token=JOIN))
    assert (found.urls, found.join_token) == ([SOMEBODY], JOIN)


async def test_without_any_key_a_join_token_is_asked_for(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="join token"):
        await find_master(_settings(tmp_path))


async def test_a_master_that_was_named_gets_the_key_that_was_given(tmp_path: Path) -> None:
    found = await find_master(_settings(tmp_path, api_key=ADMIN, master_url="https://master:8000"))
    assert (found.urls, found.join_token) == (["https://master:8000"], ADMIN)


async def test_the_master_of_the_same_folder_gets_its_own_token(tmp_path: Path) -> None:
    note = ConnectionNote(url="http://127.0.0.1:8000", api_key="a", join_token="kept")
    write_connection(tmp_path, note)
    found = await find_master(_settings(tmp_path))
    assert (found.urls, found.join_token) == (["http://127.0.0.1:8000"], "kept")
