"""The engines behind a cluster, as `make chaos STORE=… CHANNEL=…` names them, all of them killable."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from crawlmesh.ports.task_channel import TaskChannel
from crawlmesh.testing.servers import PostgresServer

STORES = ("sqlite", "postgres", "redis")
CHANNELS = ("none", "rabbitmq", "kafka")

SETTINGS = {
    "leader_lease": 2,  # seconds; so are all of these
    "heartbeat_interval": 0.5,
    "device_timeout": 3,
    "timeout_check_interval": 0.5,
    "lease_duration": 4,
    "settle_after": 0.3,
    "retry_base": 0.1,
    "concurrent_tasks": 20,
    "max_losses": 1_000,  # here it is not the task that kills the nodes
}


class Server(Protocol):
    """What can be killed, and started again with what it held."""

    def kill(self) -> None: ...

    def start(self) -> None: ...


@dataclass(frozen=True)
class Engines:
    """Where a cluster keeps things and what it talks over, with the servers that run for it."""

    store: str
    channel: str
    control_store: str
    crawl_store: str
    broker: str | None  # address
    stores: dict[str, Server] = field(default_factory=dict)  # without which nothing can start
    brokers: dict[str, Server] = field(default_factory=dict)

    @property
    def masters(self) -> int:
        """How many masters the store can serve."""
        return 1 if self.store == "sqlite" else 2

    @property
    def settings(self) -> dict[str, object]:
        """What masters and workers are told."""
        told = {**SETTINGS, "control_store": self.control_store, "crawl_store": self.crawl_store}
        return (
            told if self.broker is None else {**told, "task_channel": self.broker, "event_bus": self.broker}
        )

    async def open_channel(self) -> TaskChannel:
        """The way of another system to the broker."""
        assert self.broker is not None
        if self.channel == "rabbitmq":
            from crawlmesh.adapters.rabbitmq.task_channel import open_rabbitmq

            return await open_rabbitmq(self.broker)
        from crawlmesh.adapters.kafka.task_channel import open_kafka_channel

        return await open_kafka_channel(self.broker)


@contextmanager
def engines(store: str, channel: str, folder: Path) -> Iterator[Engines]:
    """Servers of their own, so that killing them hits nobody else."""
    if store not in STORES or channel not in CHANNELS:
        raise ValueError(f"STORE is one of {', '.join(STORES)}, and CHANNEL one of {', '.join(CHANNELS)}")
    folder.mkdir(parents=True, exist_ok=True)
    with ExitStack() as closing:
        stores: dict[str, Server] = {}
        control = f"sqlite:///{folder / 'control.db'}"
        crawls = f"sqlite:///{folder / 'crawls.db'}"
        if store != "sqlite":
            postgres = closing.enter_context(PostgresServer())
            stores["postgres"] = postgres
            control = crawls = postgres.dsn()
        if store == "redis":
            redis = closing.enter_context(_redis())
            stores["redis"] = redis
            crawls = redis.address()
        broker = closing.enter_context(_BROKERS[channel]()) if channel != "none" else None
        yield Engines(
            store=store,
            channel=channel,
            control_store=control,
            crawl_store=crawls,
            broker=broker.address() if broker else None,
            stores=stores,
            brokers={channel: broker} if broker else {},
        )


class _Addressed(Server, Protocol):
    def address(self) -> str: ...


def _redis() -> AbstractContextManager[_Addressed]:
    from crawlmesh.testing.servers.redis import RedisServer

    return RedisServer()


def _rabbitmq() -> AbstractContextManager[_Addressed]:
    from crawlmesh.testing.servers.rabbitmq import RabbitServer

    return RabbitServer()


def _kafka() -> AbstractContextManager[_Addressed]:
    from crawlmesh.testing.servers.kafka import KafkaServer

    return KafkaServer()


_BROKERS: dict[str, Callable[[], AbstractContextManager[_Addressed]]] = {
    "rabbitmq": _rabbitmq,
    "kafka": _kafka,
}
