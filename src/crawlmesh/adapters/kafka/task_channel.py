"""The task channel on Kafka.

Kafka knows no priorities: within a partition, messages come in the order in which they were published.
"""

import asyncio
from collections.abc import Sequence

from confluent_kafka import KafkaError

from crawlmesh.adapters.kafka.address import parse_address
from crawlmesh.adapters.kafka.deliveries import KafkaDeliveries
from crawlmesh.adapters.kafka.error_codes import AWAY, TOPIC_GONE
from crawlmesh.adapters.kafka.group_reader import GroupReader
from crawlmesh.adapters.kafka.publisher import Publisher
from crawlmesh.adapters.kafka.reachability import Reachability
from crawlmesh.adapters.kafka.records import Record, to_record
from crawlmesh.adapters.kafka.topics import PREFIX, Topics, away, topic_of
from crawlmesh.errors import ChannelError
from crawlmesh.ports.task_channel import (
    PLACE_HEADER,
    REASON_HEADER,
    REASON_LENGTH,
    ChannelMessage,
    dead_letters_of,
)


async def open_kafka_channel(address: str) -> "KafkaTaskChannel":
    """A channel to the brokers at an address. Does not connect. Raises SettingError."""
    return KafkaTaskChannel(address)


class KafkaTaskChannel:
    """Places are topics, keys choose partitions, groups are consumer groups."""

    def __init__(self, address: str) -> None:
        """Raises SettingError where the address cannot be understood."""
        self._address = parse_address(address)
        self._reachability = Reachability()
        self._topics = Topics(self._address, self._reachability)
        self._publisher = Publisher(self._address, self._reachability)
        self._consumers: list[KafkaDeliveries] = []
        self._is_closed = False

    @property
    def is_connected(self) -> bool:
        """Whether a broker was reachable at the last try."""
        return self._reachability.connected

    async def publish(self, place: str, messages: Sequence[ChannelMessage]) -> None:
        """Return when all replicas that are in step have all of them. Raises ChannelError."""
        if self._is_closed:
            raise ChannelError(f"Nothing can be published at {place}: the task channel is closed.")
        records = [to_record(message) for message in messages]
        if not records:
            return
        topic = await self._topics.ensure(place)
        errors = await self._publisher.publish(topic, records)
        gone = [number for number, error in errors.items() if error.code() in TOPIC_GONE]
        if gone and len(gone) == len(errors):  # somebody removed the place
            errors = await self._publish_anew(place, [records[number] for number in sorted(gone)])
        if errors:
            raise ChannelError(self._complaint(topic, errors, len(records)))

    def consume(self, place: str, *, group: str, prefetch: int = 100) -> KafkaDeliveries:
        """Join the consumer group of a group at a place, with the first wait. Raises ChannelError."""
        topic = topic_of(place)

        async def open_reader() -> GroupReader:
            await self._topics.ensure(place)
            name = f"{PREFIX}{group}.{place}"
            return GroupReader(self._address, topic, name, prefetch, self._reachability)

        async def bury(message: ChannelMessage, reason: str) -> None:
            await self.publish(dead_letters_of(place), [_dead(message, place, reason)])

        deliveries = KafkaDeliveries(prefetch, open_reader, bury)
        self._consumers.append(deliveries)
        return deliveries

    async def remove(self, place: str) -> None:
        """Delete the topic, unless topics are not ours to make. Raises ChannelError."""
        await self._topics.remove(place)

    async def aclose(self) -> None:
        """Leave all groups, give up what is being published. Twice is fine."""
        self._is_closed = True
        await asyncio.gather(*(deliveries.aclose() for deliveries in self._consumers))
        self._consumers.clear()
        await self._publisher.aclose()
        await self._topics.aclose()

    async def _publish_anew(self, place: str, records: Sequence[Record]) -> dict[int, KafkaError]:
        self._topics.forget(topic_of(place))
        topic = await self._topics.ensure(place)
        await self._publisher.refresh(topic)
        return await self._publisher.publish(topic, records)

    def _complaint(self, topic: str, errors: dict[int, KafkaError], number: int) -> str:
        error = next(iter(errors.values()))
        if error.code() in AWAY:
            return away(self._address, self._reachability)
        return (
            f"The Kafka broker {self._address.servers} did not take {len(errors)} of {number} messages "
            f"for the topic {topic}: {error.str()}."
        )


def _dead(message: ChannelMessage, place: str, reason: str) -> ChannelMessage:
    """The dead letter of a message."""
    headers = message.headers | {REASON_HEADER: reason[:REASON_LENGTH], PLACE_HEADER: place}
    return ChannelMessage(message.id, message.body, message.key, message.priority, headers)
