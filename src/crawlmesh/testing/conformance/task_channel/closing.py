"""Closing, and consumers that end without a word."""

import asyncio
import sys
from collections.abc import Awaitable

import pytest

from crawlmesh.errors import ChannelError
from crawlmesh.ports.task_channel import TaskChannel
from crawlmesh.testing.conformance.task_channel.case import (
    GROUP,
    PATIENCE,
    TaskChannelCase,
    accept,
    consume,
    ids,
    message,
    messages,
    take,
)

_MODULE = "crawlmesh.testing.conformance.task_channel.consumer_process"


class Closing(TaskChannelCase):
    """`aclose` of channels and consumers."""

    async def test_closing_twice_is_fine(self, channel: TaskChannel, place: str) -> None:
        """And the fixture closes it a third time."""
        await channel.publish(place, messages(1))
        deliveries = consume(channel, place)
        await take(deliveries, 1)
        await deliveries.aclose()
        await deliveries.aclose()
        await channel.aclose()
        await channel.aclose()
        await deliveries.aclose()

    async def test_closing_what_was_never_used(self) -> None:
        """Neither published nor consumed."""
        channel = await self.open_channel()
        await channel.aclose()

    async def test_closing_ends_a_wait(self, channel: TaskChannel, place: str) -> None:
        """Of the consumer itself, and of all of the channel."""
        alone, together = consume(channel, place), consume(channel, place)
        waits = [asyncio.ensure_future(anext(each)) for each in (alone, together)]
        await alone.aclose()
        with pytest.raises(StopAsyncIteration):
            await self._ended(waits[0])
        await channel.aclose()
        with pytest.raises(StopAsyncIteration):
            await self._ended(waits[1])

    async def _ended(self, wait: Awaitable[object]) -> None:
        async with asyncio.timeout(60):
            await wait

    async def test_a_closed_consumer_stays_closed(self, channel: TaskChannel, place: str) -> None:
        """It says so, and takes nothing from others."""
        deliveries = consume(channel, place)
        await deliveries.aclose()
        with pytest.raises(StopAsyncIteration):
            await anext(deliveries)
        sent = message()
        await channel.publish(place, [sent])
        assert await accept(consume(channel, place), 1) == [sent]

    async def test_publishing_over_a_closed_channel(self, channel: TaskChannel, place: str) -> None:
        """Is an error, not silence."""
        await channel.aclose()
        with pytest.raises(ChannelError):
            await channel.publish(place, messages(1))


class Killing(TaskChannelCase):
    """A consumer in another process, killed with SIGKILL."""

    async def test_what_a_killed_consumer_had_comes_again(self, channel: TaskChannel, place: str) -> None:
        """All of it: it accepted nothing."""
        if not self.opener:
            pytest.skip("no other process can use this channel")
        sent = messages(10)
        await channel.publish(place, sent)
        program = [sys.executable, "-m", _MODULE, self.opener, self.address(), place, GROUP, "10"]
        victim = await asyncio.create_subprocess_exec(*program, stdout=asyncio.subprocess.PIPE)
        try:
            assert victim.stdout is not None
            async with asyncio.timeout(PATIENCE):
                held = {(await victim.stdout.readline()).decode().strip() for _ in range(10)}
        finally:
            victim.kill()
            await victim.communicate()
        assert held == ids(sent)
        assert ids(await accept(consume(channel, place), 10)) == ids(sent)
