"""Publishing: what comes out is what went in, once each while nothing fails."""

import asyncio

import pytest

from crawlmesh.ports.task_channel import ChannelMessage, TaskChannel
from crawlmesh.testing.conformance.task_channel.case import (
    TaskChannelCase,
    accept,
    assert_empty,
    consume,
    ids,
    message,
    messages,
)

MESSAGES = [
    ChannelMessage("plain", b"body"),
    ChannelMessage("all fields", b"body", "key", 9, {"a": "1", "content-type": "application/json"}),
    ChannelMessage("empty body", b"", "key"),
    ChannelMessage("any bytes", bytes(range(256)), "key"),
    ChannelMessage(
        "schlüssel 键", "körper 体".encode(), "schlüssel 键", 1, {"größe": "體 \n\t “”", "empty": ""}
    ),
    ChannelMessage("i" * 200, b"body", "k" * 200, 10, {f"header-{n}": "v" * 100 for n in range(50)}),
]


class Publishing(TaskChannelCase):
    """One publisher and one consumer."""

    @pytest.mark.parametrize("sent", MESSAGES, ids=lambda sent: sent.id[:12])
    async def test_a_message_comes_as_it_was(
        self, channel: TaskChannel, place: str, sent: ChannelMessage
    ) -> None:
        """With every field."""
        await channel.publish(place, [sent])
        assert await accept(consume(channel, place), 1) == [sent]

    async def test_nothing_may_be_published(self, channel: TaskChannel, place: str) -> None:
        """An empty batch is no error."""
        await channel.publish(place, [])
        await assert_empty(channel, place)

    async def test_thousands_in_one_call(self, channel: TaskChannel, place: str) -> None:
        """Each comes exactly once."""
        sent = messages(5_000)
        await channel.publish(place, sent)
        came = await accept(consume(channel, place), 5_000)
        assert sorted(came, key=lambda each: each.id) == sorted(sent, key=lambda each: each.id)

    async def test_a_message_of_a_megabyte(self, channel: TaskChannel, place: str) -> None:
        """And small ones around it."""
        sent = [message("small"), message("x" * 1_000_000), message("small")]
        await channel.publish(place, sent)
        came = await accept(consume(channel, place), 3)
        assert {each.id: each.body for each in came} == {each.id: each.body for each in sent}

    async def test_what_is_published_waits_for_a_consumer(self, channel: TaskChannel, place: str) -> None:
        """Also when the publisher is gone."""
        publisher = await self.open_channel()
        sent = messages(10)
        await publisher.publish(place, sent)
        await publisher.aclose()
        assert ids(await accept(consume(channel, place), 10)) == ids(sent)

    async def test_a_consumer_waits_for_what_is_published(
        self, channel: TaskChannel, other: TaskChannel, place: str
    ) -> None:
        """It may come first, and the place comes into being with it."""
        coming = asyncio.create_task(accept(consume(channel, place), 1))
        sent = message()
        await other.publish(place, [sent])
        assert await coming == [sent]

    async def test_places_are_apart(self, channel: TaskChannel, place: str) -> None:
        """Nothing comes to a place that was published at another one."""
        here, there = message("here"), message("there")
        await channel.publish(place, [here])
        await channel.publish(f"{place}.dead", [there])
        deliveries = consume(channel, place)
        assert await accept(deliveries, 1) == [here]
        await deliveries.aclose()
        await assert_empty(channel, place)
        assert await accept(consume(channel, f"{place}.dead"), 1) == [there]

    async def test_many_publish_at_once(self, channel: TaskChannel, place: str) -> None:
        """Over one channel."""
        batches = [messages(50) for _ in range(20)]
        await asyncio.gather(*(channel.publish(place, batch) for batch in batches))
        came = await accept(consume(channel, place), 1_000)
        assert sorted(each.id for each in came) == sorted(each.id for batch in batches for each in batch)
