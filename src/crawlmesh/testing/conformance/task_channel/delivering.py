"""Deliveries: what becomes of them when they are accepted, released, or left alone."""

import asyncio

from crawlmesh.ports.task_channel import ChannelMessage, TaskChannel
from crawlmesh.testing.conformance.task_channel.case import (
    TaskChannelCase,
    accept,
    accept_until_all,
    assert_empty,
    consume,
    ids,
    message,
    messages,
    take,
    take_one,
)


class Accepting(TaskChannelCase):
    """`accept` and `release`."""

    async def test_what_was_accepted_does_not_come_again(self, channel: TaskChannel, place: str) -> None:
        """Neither to this consumer nor to a later one."""
        await channel.publish(place, messages(20))
        deliveries = consume(channel, place)
        await accept(deliveries, 20)
        await deliveries.aclose()
        await assert_empty(channel, place)

    async def test_accepting_twice_is_fine(self, channel: TaskChannel, place: str) -> None:
        """And what comes after the first call does nothing."""
        await channel.publish(place, messages(1))
        deliveries = consume(channel, place)
        delivery = await take_one(deliveries)
        await delivery.accept()
        await delivery.accept()
        await delivery.release()
        await delivery.reject("too late")
        await deliveries.aclose()
        await assert_empty(channel, place)
        await assert_empty(channel, f"{place}.dead")

    async def test_any_order_of_accepting(self, channel: TaskChannel, place: str) -> None:
        """The last first, all at once."""
        await channel.publish(place, messages(50))
        deliveries = consume(channel, place)
        taken = await take(deliveries, 50)
        await asyncio.gather(*(delivery.accept() for delivery in reversed(taken)))
        await deliveries.aclose()
        await assert_empty(channel, place)

    async def test_what_was_released_comes_again(self, channel: TaskChannel, place: str) -> None:
        """With the same id, and once more only."""
        sent = message()
        await channel.publish(place, [sent])
        deliveries = consume(channel, place, prefetch=1)
        first = await take_one(deliveries)
        await first.release()
        await first.release()
        await first.accept()
        assert await accept(deliveries, 1) == [sent]
        await deliveries.aclose()
        await assert_empty(channel, place)

    async def test_one_that_is_released_holds_up_no_other(self, channel: TaskChannel, place: str) -> None:
        """The others are accepted meanwhile."""
        sent = messages(20)
        await channel.publish(place, sent)
        deliveries = consume(channel, place)
        taken = await take(deliveries, 20)
        for number, delivery in enumerate(taken):
            await (delivery.release() if number % 5 == 0 else delivery.accept())
        again = await accept(deliveries, 4)
        assert ids(again) == ids(taken[::5])
        await deliveries.aclose()
        await assert_empty(channel, place)


class Prefetching(TaskChannelCase):
    """How many deliveries a consumer holds."""

    async def test_no_more_than_prefetch_are_out(
        self, channel: TaskChannel, other: TaskChannel, place: str
    ) -> None:
        """The next one comes when one was taken care of, in any of the ways."""
        sent = messages(6, key="one")
        await channel.publish(place, sent)
        deliveries = consume(channel, place, prefetch=2)
        out = await take(deliveries, 2)
        waiting = asyncio.ensure_future(anext(deliveries))
        await self._round_trip(other, place)
        assert not waiting.done()
        await out[0].accept()
        async with asyncio.timeout(60):
            third = await waiting
        waiting = asyncio.ensure_future(anext(deliveries))
        await self._round_trip(other, place)
        assert not waiting.done()
        await out[1].reject("no")
        async with asyncio.timeout(60):
            fourth = await waiting
        assert ids([*out, third, fourth]) == ids(sent[:4])
        for delivery in (third, fourth):
            await delivery.accept()
        assert ids(await accept(deliveries, 2)) == ids(sent[4:])

    async def _round_trip(self, channel: TaskChannel, place: str) -> None:
        """Time enough for a message to come through the broker: three do, at another place."""
        deliveries = consume(channel, f"{place}.dead", group="round trip")
        for _ in range(3):
            marker = message("marker")
            await channel.publish(f"{place}.dead", [marker])
            await accept_until_all(deliveries, [marker])
        await deliveries.aclose()

    async def test_all_come_however_small_it_is(self, channel: TaskChannel, place: str) -> None:
        """One after another."""
        sent = messages(200)
        await channel.publish(place, sent)
        assert ids(await accept(consume(channel, place, prefetch=1), 200)) == ids(sent)


class ComingAgain(TaskChannelCase):
    """What was delivered and not taken care of."""

    async def test_after_the_consumer_was_closed(
        self, channel: TaskChannel, other: TaskChannel, place: str
    ) -> None:
        """All that it had, and only that."""
        sent = messages(10)
        await channel.publish(place, sent)
        deliveries = consume(channel, place)
        taken = await take(deliveries, 10)
        for delivery in taken[:4]:
            await delivery.accept()
        await deliveries.aclose()
        assert ids(await accept_six(other, place)) == ids(taken[4:])
        await assert_empty(other, place)

    async def test_after_the_channel_was_closed(self, channel: TaskChannel, place: str) -> None:
        """What it had fetched ahead as well."""
        sent = messages(6)
        await channel.publish(place, sent)
        leaving = await self.open_channel()
        await take(consume(leaving, place), 1)
        await leaving.aclose()
        assert ids(await accept_six(channel, place)) == ids(sent)

    async def test_taking_care_of_what_went_back_is_harmless(
        self, channel: TaskChannel, other: TaskChannel, place: str
    ) -> None:
        """All three calls do nothing, or come too late, when the channel is closed."""
        sent = messages(3)
        await channel.publish(place, sent)
        leaving = await self.open_channel()
        first, second, third = await take(consume(leaving, place), 3)
        await leaving.aclose()
        deliveries = consume(other, place)
        again = await take(deliveries, 3)
        await first.accept()
        await second.release()
        await third.reject("too late")
        assert ids(again) == ids(sent)
        for delivery in again:
            await delivery.accept()
        await deliveries.aclose()
        await assert_empty(channel, place)

    async def test_a_wait_that_was_cancelled_loses_nothing(self, channel: TaskChannel, place: str) -> None:
        """The consumer goes on, and each message comes once."""
        deliveries = consume(channel, place)
        came: set[str] = set()
        sent = messages(20)
        for each in sent:
            waiting = asyncio.ensure_future(anext(deliveries))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            await channel.publish(place, [each])
            came |= ids(await accept(deliveries, 1))
        assert came == ids(sent)
        await deliveries.aclose()
        await assert_empty(channel, place)


async def accept_six(channel: TaskChannel, place: str) -> list[ChannelMessage]:
    """Six messages, to a new consumer."""
    deliveries = consume(channel, place)
    try:
        return await accept(deliveries, 6)
    finally:
        await deliveries.aclose()
