"""The task channel on RabbitMQ."""

from collections.abc import Sequence

from crawlmesh.adapters.rabbitmq.address import parse_address
from crawlmesh.adapters.rabbitmq.connection import BrokerConnection
from crawlmesh.adapters.rabbitmq.consumer import RabbitDeliveries
from crawlmesh.adapters.rabbitmq.publisher import Publisher
from crawlmesh.ports.task_channel import ChannelMessage


class RabbitTaskChannel:
    """One queue for each place: consumers of all groups share it.

    Publishes and consumes over two connections, so that a broker which holds up publishers still takes acks.
    """

    def __init__(self, address: str) -> None:
        """`address` is `amqp://user:password@host:port/vhost`, or `amqps://…`. Raises SettingError."""
        broker = parse_address(address)
        self._publishing = BrokerConnection(broker)
        self._consuming = BrokerConnection(broker)
        self._publisher = Publisher(self._publishing)
        self._consumers: set[RabbitDeliveries] = set()

    async def publish(self, place: str, messages: Sequence[ChannelMessage]) -> None:
        """See TaskChannel.publish."""
        await self._publisher.publish(place, messages)

    def consume(self, place: str, *, group: str, prefetch: int = 100) -> RabbitDeliveries:  # noqa: ARG002 (all groups share)
        """See TaskChannel.consume."""
        deliveries = RabbitDeliveries(self._consuming, self._publisher, place, prefetch)
        self._consumers = {consumer for consumer in self._consumers if not consumer.is_closed} | {deliveries}
        return deliveries

    @property
    def is_connected(self) -> bool:
        """See TaskChannel.is_connected."""
        return self._publishing.is_open or self._consuming.is_open

    async def remove(self, place: str) -> None:
        """See TaskChannel.remove."""
        await self._publisher.remove(place)

    async def aclose(self) -> None:
        """See TaskChannel.aclose."""
        for deliveries in list(self._consumers):
            await deliveries.aclose()
        self._consumers.clear()
        await self._consuming.aclose()
        await self._publishing.aclose()


async def open_rabbitmq(address: str) -> RabbitTaskChannel:
    """A channel; it connects when it is used."""
    return RabbitTaskChannel(address)
