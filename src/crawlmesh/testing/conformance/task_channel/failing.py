"""A broker that is away, and one that is killed and comes back."""

import asyncio

import pytest

from crawlmesh.errors import ChannelError
from crawlmesh.ports.task_channel import ChannelMessage, TaskChannel
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
from crawlmesh.testing.conformance.task_channel.consumer_process import open_by_name


class Unreachable(TaskChannelCase):
    """An address where nobody listens."""

    @pytest.fixture
    def nowhere(self) -> str:
        """The address; skips the test where there is no such thing."""
        if not self.unreachable:
            pytest.skip("this channel needs no broker")
        return self.unreachable

    async def test_publishing_says_which_broker_is_away(self, nowhere: str, place: str) -> None:
        """Naming the address, and not the password."""
        channel = await open_by_name(self.opener, nowhere)
        with pytest.raises(ChannelError) as caught:
            await channel.publish(place, messages(1))
        assert not channel.is_connected
        await channel.aclose()
        assert nowhere.rpartition("@")[2].partition("/")[0] in str(caught.value)
        assert "s3cret" not in str(caught.value)

    async def test_a_consumer_of_a_broker_that_is_away_can_be_closed(self, nowhere: str, place: str) -> None:
        """It waits in silence until then."""
        channel = await open_by_name(self.opener, nowhere)
        wait = asyncio.ensure_future(anext(consume(channel, place)))
        await asyncio.sleep(0)
        await channel.aclose()
        with pytest.raises(StopAsyncIteration):
            await wait


class Restarting(TaskChannelCase):
    """The broker is killed with SIGKILL, and started again. Needs the flag `restartable`."""

    @pytest.mark.usefixtures("restarts")
    async def test_what_was_published_is_still_there(self, channel: TaskChannel, place: str) -> None:
        """Every message that `publish` returned for."""
        sent = messages(500)
        await channel.publish(place, sent)
        await self.kill_broker()
        await self.start_broker()
        deliveries = consume(channel, place)
        await accept_until_all(deliveries, sent)

    @pytest.mark.usefixtures("restarts")
    async def test_it_is_told_that_the_broker_is_away(self, channel: TaskChannel, place: str) -> None:
        """And that it is back, once something was published."""
        await channel.publish(place, messages(1))
        assert _connected(channel)
        await self.kill_broker()
        try:
            with pytest.raises(ChannelError):
                await channel.publish(place, messages(1))
            assert not _connected(channel)
        finally:
            await self.start_broker()
        await publish_until_taken(channel, place, messages(1))
        assert _connected(channel)

    @pytest.mark.usefixtures("restarts")
    async def test_a_consumer_goes_on(self, channel: TaskChannel, other: TaskChannel, place: str) -> None:
        """What it held comes again; accepting that from before the restart is harmless."""
        sent = messages(10)
        await other.publish(place, sent)
        deliveries = consume(channel, place)
        held = await take(deliveries, 10)
        await self.kill_broker()
        for delivery in held[:5]:
            await delivery.accept()
        await self.start_broker()
        await accept_until_all(deliveries, sent[5:])
        for delivery in held[5:]:
            await delivery.accept()
        later = messages(10)
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
        (again,) = await take(deliveries, 1)
        await again.reject("malformed")
        assert ids(await accept(consume(channel, f"{place}.dead"), 1)) == ids(sent)

    @pytest.mark.usefixtures("restarts")
    async def test_nothing_is_lost_while_it_is_killed_in_the_middle(
        self, channel: TaskChannel, other: TaskChannel, place: str
    ) -> None:
        """Twice, while one client publishes and another one consumes."""
        batches = [messages(50) for _ in range(40)]
        sent = [each for batch in batches for each in batch]
        progress = [asyncio.Event(), asyncio.Event()]

        async def publish() -> None:
            for number, batch in enumerate(batches):
                await publish_until_taken(channel, place, batch)
                if number in (10, 25):
                    progress[number > 10].set()

        publishing = asyncio.create_task(publish())
        consuming = asyncio.create_task(_accept_everything(other, place, sent))
        for event in progress:
            await event.wait()
            await self.kill_broker()
            await self.start_broker()
        async with asyncio.timeout(240):
            await publishing
            assert await consuming >= len(sent)


async def _accept_everything(channel: TaskChannel, place: str, sent: list[ChannelMessage]) -> int:
    return len(await accept_until_all(consume(channel, place, prefetch=20), sent))


def _connected(channel: TaskChannel) -> bool:
    return channel.is_connected
