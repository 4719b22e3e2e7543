"""Message brokers, by their addresses."""

import re
from contextlib import AsyncExitStack

from crawlmesh.control.broker import Broker
from crawlmesh.errors import SettingError
from crawlmesh.ports.task_channel import TaskChannel
from crawlmesh.settings import Settings

_RABBITMQ = ("amqp://", "amqps://")
_PASSWORD = re.compile(r"(://[^:/@]*):.*@")


class Brokers:
    """Opens each address once, and closes it with the rest. None of them is waited for."""

    def __init__(self, closing: AsyncExitStack) -> None:
        self._closing = closing
        self._open: dict[str, Broker] = {}

    async def task_channel(self, settings: Settings) -> Broker | None:
        """Where tasks come from and work goes to. Raises SettingError."""
        return await self._at("task_channel", settings.task_channel)

    async def event_bus(self, settings: Settings) -> Broker | None:
        """Where events and results are published. Raises SettingError."""
        return await self._at("event_bus", settings.event_bus)

    async def _at(self, setting: str, address: str | None) -> Broker | None:
        if address is None:
            return None
        if address not in self._open:
            channel = await _open(setting, address)
            self._closing.push_async_callback(channel.aclose)
            self._open[address] = Broker(shown(address), channel)
        return self._open[address]


async def _open(setting: str, address: str) -> TaskChannel:
    extra = "rabbitmq" if address.startswith(_RABBITMQ) else "kafka"
    try:
        if extra == "rabbitmq":
            from crawlmesh.adapters.rabbitmq.task_channel import open_rabbitmq  # noqa: PLC0415 - slow to import

            return await open_rabbitmq(address)
        from crawlmesh.adapters.kafka.task_channel import open_kafka_channel  # noqa: PLC0415 - slow to import

        return await open_kafka_channel(address)
    except ImportError as error:
        raise SettingError(
            f"The setting {setting} begins with {address.partition(':')[0]}, but the module {error.name} is "
            f"missing: install it with pip install 'crawlmesh[{extra}]'."
        ) from error
    except SettingError as error:
        raise SettingError(f"The setting {setting} cannot be used. {error}") from error


def shown(address: str) -> str:
    """An address without its password and options."""
    return _PASSWORD.sub(r"\1@", address.partition("?")[0])
