"""What is special to Kafka, on librdkafka's mock cluster."""

import asyncio
import threading
from collections.abc import AsyncIterator, Sequence

import pytest
import pytest_asyncio
from confluent_kafka import KafkaError, Producer

from crawlmesh.adapters.kafka.records import Record
from crawlmesh.adapters.kafka.task_channel import KafkaTaskChannel
from crawlmesh.adapters.kafka.topics import partitions_of, topic_of
from crawlmesh.errors import ChannelError
from crawlmesh.ports.task_channel import ChannelMessage
from crawlmesh.testing.servers.kafka_mock import MockKafka


@pytest_asyncio.fixture
async def channel(mock_kafka: MockKafka) -> AsyncIterator[KafkaTaskChannel]:
    channel = KafkaTaskChannel(mock_kafka.address("session_timeout=2"))
    yield channel
    await channel.aclose()


async def test_a_message_of_another_system_has_an_id_that_stays(
    channel: KafkaTaskChannel, mock_kafka: MockKafka
) -> None:
    producer = Producer({"bootstrap.servers": mock_kafka.servers})
    producer.produce(
        "crawlmesh.tasks", b'{"url": "http://a/"}', b"\xff", headers=[("n", None), ("b", b"\xff")]
    )
    producer.produce("crawlmesh.tasks", None, partition=0)  # a tombstone
    producer.flush()
    ids = []
    for _ in range(2):
        deliveries = channel.consume("tasks", group="g")
        came = [(await anext(deliveries)).message for _ in range(2)]
        came.sort(key=lambda message: message.body)
        ids.append([message.id for message in came])
        assert [message.body for message in came] == [b"", b'{"url": "http://a/"}']
        assert came[1].headers == {"n": "", "b": "\ufffd"}
        assert (came[1].key, came[1].priority) == ("\ufffd", 5)
        await deliveries.aclose()
    assert ids[0] == ids[1]
    assert all(name.startswith("crawlmesh.tasks-") for name in ids[0])


async def test_what_waited_for_a_leader_that_is_gone_is_published_again(
    channel: KafkaTaskChannel, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As where another client removed the topic between two publishes."""
    publish = channel._publisher.publish
    answers = [{number: KafkaError(KafkaError._DESTROY_BROKER) for number in range(3)}]

    async def fail_once(topic: str, records: Sequence[Record]) -> dict[int, KafkaError]:
        return answers.pop() if answers else await publish(topic, records)

    monkeypatch.setattr(channel._publisher, "publish", fail_once)
    await channel.publish("tasks", [ChannelMessage(str(number), b"") for number in range(3)])
    deliveries = channel.consume("tasks", group="g")
    assert {(await anext(deliveries)).message.id for _ in range(3)} == {"0", "1", "2"}


async def test_what_moves_to_another_consumer_is_not_accepted_by_the_first(
    channel: KafkaTaskChannel, mock_kafka: MockKafka
) -> None:
    """A rebalance with deliveries in flight: each message is accepted by whoever has its partition."""
    sent = [ChannelMessage(str(number), b"", key=str(number)) for number in range(40)]
    await channel.publish("tasks", sent)
    first = channel.consume("tasks", group="g")
    held = [await anext(first) for _ in sent]
    other = KafkaTaskChannel(mock_kafka.address("session_timeout=2"))
    second = other.consume("tasks", group="g")
    moved = await anext(second)
    twin = next(delivery for delivery in held if delivery.message.id == moved.message.id)
    await twin.accept()  # too late, and harmless
    await second.aclose()
    back = await anext(first)
    while back.message.id != moved.message.id:
        back = await anext(first)
    assert back is not twin  # the accept of before did not count, so that it came again
    await other.aclose()


async def test_a_consumer_can_be_closed_while_the_broker_does_not_answer_its_commit(
    channel: KafkaTaskChannel, mock_kafka: MockKafka
) -> None:
    await channel.publish("tasks", [ChannelMessage(str(number), b"") for number in range(10)])
    deliveries = channel.consume("tasks", group="g")
    held = [await anext(deliveries) for _ in range(10)]
    mock_kafka.stop()
    for delivery in held[:5]:
        await delivery.accept()
    async with asyncio.timeout(60):
        await deliveries.aclose()
    mock_kafka.start()


async def test_no_thread_is_left_behind(mock_kafka: MockKafka) -> None:
    before = set(threading.enumerate())
    channel = KafkaTaskChannel(mock_kafka.address("session_timeout=2"))
    await channel.publish("tasks", [ChannelMessage("1", b"")])
    await anext(channel.consume("tasks", group="g"))
    await channel.aclose()
    left = {thread for thread in set(threading.enumerate()) - before if thread.name.startswith("kafka")}
    await asyncio.gather(*(asyncio.to_thread(thread.join, 10) for thread in left))
    assert not any(thread.is_alive() for thread in left)


async def test_a_message_that_is_too_large_is_named(channel: KafkaTaskChannel) -> None:
    with pytest.raises(ChannelError, match=r"1 of 2 messages for the topic crawlmesh\.tasks.*size"):
        await channel.publish("tasks", [ChannelMessage("1", b""), ChannelMessage("2", b"x" * 11_000_000)])


@pytest.mark.parametrize("place", ["", "a b", "ä", "a/b", "x" * 201])
async def test_a_place_that_no_topic_can_have(channel: KafkaTaskChannel, place: str) -> None:
    with pytest.raises(ChannelError, match="letters, digits"):
        await channel.publish(place, [ChannelMessage("1", b"")])
    with pytest.raises(ChannelError, match="letters, digits"):
        channel.consume(place, group="g")


def test_topics() -> None:
    assert topic_of("assignments.node-1a2b3c4d") == "crawlmesh.assignments.node-1a2b3c4d"
    assert partitions_of("assignments.node-1a2b3c4d", 8) == 1
    assert partitions_of("tasks.dead", 8) == 1
    assert partitions_of("tasks", 8) == 8
