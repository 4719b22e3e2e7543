"""What differs on Kafka: the broker knows nothing of deliveries, so they outlive it if it is back soon."""

import asyncio

import pytest

from crawlmesh.ports.task_channel import Deliveries, TaskChannel
from crawlmesh.testing.conformance.task_channel.case import (
    TaskChannelCase,
    accept,
    accept_until_all,
    assert_empty,
    consume,
    ids,
    messages,
    publish_until_taken,
    take,
)


class DeliveriesOutliveTheBroker(TaskChannelCase):
    """In place of the tests of the suite that expect what was held to come again."""

    @pytest.mark.usefixtures("restarts")
    async def test_a_consumer_goes_on(self, channel: TaskChannel, other: TaskChannel, place: str) -> None:
        """What it held stays its own, or comes again; accepting it is fine in either case."""
        sent = messages(10, key="one")
        await other.publish(place, sent)
        deliveries = consume(channel, place)
        held = await take(deliveries, 10)
        await self.kill_broker()
        for delivery in held[:5]:
            await delivery.accept()
        await self.start_broker()
        for delivery in held[5:]:
            await delivery.accept()
        later = messages(10, key="one")
        await publish_until_taken(other, place, later)
        await accept_until_all(deliveries, later)
        await deliveries.aclose()
        await assert_empty(other, place)

    @pytest.mark.usefixtures("restarts")
    async def test_a_dead_letter_is_in_one_of_the_places(self, channel: TaskChannel, place: str) -> None:
        """Though the broker is away when the message is rejected."""
        sent = messages(1)
        await channel.publish(place, sent)
        deliveries = consume(channel, place)
        (held,) = await take(deliveries, 1)
        await self.kill_broker()
        rejected = asyncio.create_task(held.reject("malformed"))
        await self.start_broker()
        async with asyncio.timeout(120):
            await rejected
        rejecting = asyncio.create_task(_reject_all(deliveries))
        assert ids(await accept(consume(channel, f"{place}.dead"), 1)) == ids(sent)
        await deliveries.aclose()
        await rejecting


async def _reject_all(deliveries: Deliveries) -> None:
    async for delivery in deliveries:
        await delivery.reject("malformed")
