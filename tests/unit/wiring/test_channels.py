import builtins
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from crawlmesh.errors import SettingError
from crawlmesh.settings import load_settings
from crawlmesh.wiring.channels import Brokers, shown


@pytest.fixture(autouse=True)
def _empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


async def test_without_addresses_there_are_no_brokers() -> None:
    async with AsyncExitStack() as closing:
        brokers = Brokers(closing)
        assert await brokers.task_channel(load_settings({})) is None
        assert await brokers.event_bus(load_settings({})) is None


@pytest.mark.parametrize("address", ["amqp://u:secret@nowhere.example:1/v", "kafka://nowhere.example:1"])
async def test_a_broker_is_not_waited_for_and_an_address_is_opened_once(address: str) -> None:
    settings = load_settings({"task_channel": address, "event_bus": address})
    async with AsyncExitStack() as closing:
        brokers = Brokers(closing)
        channel, bus = await brokers.task_channel(settings), await brokers.event_bus(settings)
        assert channel is not None
        assert channel is bus
        assert not channel.channel.is_connected
        assert "secret" not in channel.address


@pytest.mark.parametrize(
    "address", ["redis://host", "amqp://", "rabbitmq", "http://u:secret@host/", "AMQP//u:secret@host"]
)
def test_other_addresses_are_refused_without_their_password(address: str) -> None:
    for name in ("task_channel", "event_bus"):
        with pytest.raises(
            SettingError, match=f"The setting {name} .* must be of the form amqp://"
        ) as caught:
            load_settings({name: address})
        assert "secret" not in str(caught.value)


async def test_an_address_that_the_broker_cannot_have_names_the_setting() -> None:
    settings = load_settings({"event_bus": "amqp://u:secret@host/v?colour=1"})
    async with AsyncExitStack() as closing:
        with pytest.raises(SettingError, match=r"event_bus .*colour") as caught:
            await Brokers(closing).event_bus(settings)
        assert "secret" not in str(caught.value)


@pytest.mark.parametrize(("address", "extra"), [("amqp://host", "rabbitmq"), ("kafka://host:9092", "kafka")])
async def test_a_missing_library_is_named_with_its_extra(
    address: str, extra: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = builtins.__import__

    def refuse(name: str, *arguments: Any, **options: Any) -> Any:
        if name.startswith(f"crawlmesh.adapters.{extra}"):
            raise ImportError(f"No module named {extra}", name=extra)
        return found(name, *arguments, **options)

    monkeypatch.setattr(builtins, "__import__", refuse)
    async with AsyncExitStack() as closing:
        with pytest.raises(SettingError, match=rf"task_channel .*crawlmesh\[{extra}\]"):
            await Brokers(closing).task_channel(load_settings({"task_channel": address}))


def test_shown_addresses_have_no_password() -> None:
    assert shown("amqp://u:p@ss@host:5672/v?cafile=x") == "amqp://u@host:5672/v"
    assert shown("kafka://u:secret@a:1,b:2") == "kafka://u@a:1,b:2"
    assert shown("kafka://a:1,b:2") == "kafka://a:1,b:2"
