from pathlib import Path
from typing import Any

import pytest

from crawlmesh import Client
from crawlmesh.cli.cluster_connection import client_for, trust
from crawlmesh.cli.connection_file import ConnectionNote, write_connection
from crawlmesh.cli.distribution.find_master import find_master
from crawlmesh.errors import MasterUnreachableError, SettingError, UsageError
from crawlmesh.settings import Settings, load_settings

NOTE = ConnectionNote(url="http://127.0.0.1:8000", api_key="kept", join_token="joining")


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What clients are made with."""
    calls: list[dict[str, Any]] = []

    class NotingClient(Client):
        def __init__(self, url: Any, **options: Any) -> None:
            calls.append({"url": url, **options})

    monkeypatch.setattr("crawlmesh.client.Client", NotingClient)
    return calls


def _settings(folder: Path, **flags: Any) -> Settings:
    return load_settings({"data_dir": folder, "discovery": False, **flags})


def test_the_master_of_the_data_folder_is_found_with_its_key(
    tmp_path: Path, made: list[dict[str, Any]]
) -> None:
    write_connection(tmp_path, NOTE)
    client_for(_settings(tmp_path))
    assert made == [{"url": [NOTE.url], "api_key": "kept", "ssl_context": None}]


def test_a_key_does_not_go_to_another_master_than_its_own(tmp_path: Path, made: list[dict[str, Any]]) -> None:
    write_connection(tmp_path, NOTE)
    client_for(_settings(tmp_path, master_url="http://elsewhere:1"))
    assert made[0]["api_key"] is None
    client_for(_settings(tmp_path, master_url="http://elsewhere:1", api_key="given"))
    assert made[1]["api_key"] == "given"


def test_without_any_master_the_remedy_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="crawlmesh distribute"):
        client_for(_settings(tmp_path))


def test_an_authority_that_cannot_be_read_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SettingError, match="tls_authority"):
        trust(_settings(tmp_path, tls_authority=tmp_path / "none.pem"))


async def test_a_worker_finds_the_master_of_its_data_folder(tmp_path: Path) -> None:
    write_connection(tmp_path, NOTE)
    found = await find_master(_settings(tmp_path))
    assert (found.urls, found.join_token) == ([NOTE.url], "joining")


async def test_a_worker_takes_what_it_is_told(tmp_path: Path) -> None:
    write_connection(tmp_path, NOTE)
    told = _settings(tmp_path, master_url="http://a:1,http://b:2", join_token="t")
    found = await find_master(told)
    assert (found.urls, found.join_token) == (["http://a:1", "http://b:2"], "t")
    with pytest.raises(UsageError, match="--join-token"):
        await find_master(_settings(tmp_path, master_url="http://a:1"))


async def test_a_worker_without_any_master_gives_up_with_a_sentence(tmp_path: Path) -> None:
    with pytest.raises(MasterUnreachableError, match="--master-url"):
        await find_master(_settings(tmp_path))


async def test_a_worker_without_an_address_listens_in_the_network(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Network:
        async def find(self, patience: float) -> list[str]:
            return ["http://10.0.0.1:8000"]

    monkeypatch.setattr("crawlmesh.wiring.discovery.make_discovery", Network)
    found = await find_master(_settings(tmp_path, discovery=True, join_token="t"))
    assert found.urls == ["http://10.0.0.1:8000"]
