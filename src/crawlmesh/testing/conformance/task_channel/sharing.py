"""Several consumers of a place, and the order in which messages come."""

import asyncio
from collections import defaultdict
from collections.abc import Iterable

import pytest

from crawlmesh.ports.task_channel import ChannelMessage, Deliveries, TaskChannel
from crawlmesh.testing.conformance.task_channel.case import (
    TaskChannelCase,
    accept,
    assert_empty,
    consume,
    ids,
    message,
    messages,
    take,
)

KEYS = [f"key {number}" for number in range(10)]


class Sharing(TaskChannelCase):
    """Groups of consumers."""

    async def test_a_group_shares_what_comes(
        self, channel: TaskChannel, other: TaskChannel, place: str
    ) -> None:
        """Everything is accepted by somebody, whoever comes and goes."""
        sent = [message(key=key) for key in KEYS for _ in range(30)]
        missing = ids(sent)
        everything = asyncio.Event()

        async def work(client: TaskChannel) -> None:
            deliveries = consume(client, place, prefetch=5)
            async for delivery in deliveries:
                await delivery.accept()
                missing.discard(delivery.message.id)
                if not missing:
                    everything.set()

        workers = [asyncio.create_task(work(client)) for client in (channel, other, channel)]
        await channel.publish(place, sent[:150])
        await other.publish(place, sent[150:])
        async with asyncio.timeout(120):
            await everything.wait()
        await channel.aclose()
        await other.aclose()
        await asyncio.gather(*workers)  # each iteration ends with its channel

    async def test_another_group_gets_everything_too(self, channel: TaskChannel, place: str) -> None:
        """Where the broker has such groups."""
        if not self.independent_groups:
            pytest.skip("the groups of this broker share")
        sent = messages(10)
        await channel.publish(place, sent)
        for group in ("one", "two"):
            assert ids(await accept(consume(channel, place, group=group), 10)) == ids(sent)


class Order(TaskChannelCase):
    """Which message comes first."""

    @pytest.fixture
    def keeps_order(self) -> None:
        """Skips the test where no order is promised."""
        if not self.ordered:
            pytest.skip("this broker promises no order")

    @pytest.mark.usefixtures("keeps_order")
    async def test_messages_with_one_key_keep_their_order(self, channel: TaskChannel, place: str) -> None:
        """Within one call and over calls."""
        sent = [message(key=key) for _ in range(20) for key in KEYS]
        for start in range(0, 200, 40):
            await channel.publish(place, sent[start : start + 40])
        came = await accept(consume(channel, place), 200)
        assert _by_key(came) == _by_key(sent)

    @pytest.mark.usefixtures("keeps_order")
    async def test_each_of_two_consumers_sees_the_order(
        self, channel: TaskChannel, other: TaskChannel, place: str
    ) -> None:
        """Of what comes to it for the first time."""
        sent = [message(key=key) for _ in range(30) for key in KEYS]
        position = {each.id: number for number, each in enumerate(sent)}
        missing = ids(sent)
        everything = asyncio.Event()

        async def work(deliveries: Deliveries) -> list[ChannelMessage]:
            came: dict[str, ChannelMessage] = {}
            async for delivery in deliveries:
                came.setdefault(delivery.message.id, delivery.message)
                await delivery.accept()
                missing.discard(delivery.message.id)
                if not missing:
                    everything.set()
            return list(came.values())

        consumers = [consume(client, place, prefetch=3) for client in (channel, other)]
        workers = [asyncio.create_task(work(deliveries)) for deliveries in consumers]
        await channel.publish(place, sent)
        async with asyncio.timeout(120):
            await everything.wait()
        for deliveries in consumers:
            await deliveries.aclose()
        for came in await asyncio.gather(*workers):
            for names in _by_key(came).values():
                assert names == sorted(names, key=lambda name: position[name])

    async def test_urgent_messages_come_first(self, channel: TaskChannel, place: str) -> None:
        """Of those that wait; among equals, the one that was published first."""
        if not self.priorities:
            pytest.skip("this broker knows no priorities")
        sent = [message(key="one", priority=priority) for priority in (5, 1, 10, 7, 10, 2, 5)]
        await channel.publish(place, sent)
        came = await take(consume(channel, place, prefetch=7), 7)
        assert [each.message.id for each in came] == [sent[number].id for number in (2, 4, 3, 0, 6, 5, 1)]


def _by_key(batch: Iterable[ChannelMessage]) -> dict[str, list[str]]:
    """The ids of messages in their order, by key."""
    names: dict[str, list[str]] = defaultdict(list)
    for each in batch:
        names[each.key].append(each.id)
    return names


class Removing(TaskChannelCase):
    """`remove`."""

    async def test_a_place_that_nobody_knows(self, channel: TaskChannel, place: str) -> None:
        """Is fine, also twice."""
        await channel.remove(place)
        await channel.remove(place)

    async def test_what_was_there_is_gone(self, channel: TaskChannel, place: str) -> None:
        """And the place can be used again."""
        await channel.publish(place, messages(10))
        await channel.remove(place)
        await assert_empty(channel, place)

    async def test_one_that_published_there_before_can_again(
        self, channel: TaskChannel, other: TaskChannel, place: str
    ) -> None:
        """Though another client removed the place meanwhile."""
        await channel.publish(place, messages(10))
        await other.remove(place)
        sent = messages(3)
        await channel.publish(place, sent)
        assert ids(await accept(consume(other, place), 3)) == ids(sent)

    async def test_dead_letters_stay(self, channel: TaskChannel, place: str) -> None:
        """They are a place of their own."""
        sent = messages(2)
        await channel.publish(f"{place}.dead", sent)
        await channel.publish(place, messages(2))
        await channel.remove(place)
        assert ids(await accept(consume(channel, f"{place}.dead"), 2)) == ids(sent)
