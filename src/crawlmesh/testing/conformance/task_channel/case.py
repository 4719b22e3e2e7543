"""What every part of the suite stands on: how a channel is opened, and short ways to use it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from itertools import count
from typing import Any, ClassVar
from uuid import uuid4

import pytest
import pytest_asyncio

from crawlmesh.errors import ChannelError
from crawlmesh.ports.task_channel import ChannelMessage, Deliveries, Delivery, TaskChannel
from crawlmesh.testing.conformance.task_channel.consumer_process import open_by_name

PATIENCE = 120.0  # seconds that anything may take before the test fails
GROUP = "suite"


class TaskChannelCase:
    """Base of all parts. An adapter gives `opener` and `address`, or overrides `open_channel`.

    All tests may share one broker: each has a place of its own.
    """

    opener: ClassVar[str] = ""  # "module:function", async: makes of an address a channel, in any process
    unreachable: ClassVar[str] = ""  # an address where nobody listens, with a user and the password s3cret
    ordered: ClassVar[bool] = (
        False  # messages with one key come to a consumer in the order of their publishing
    )
    priorities: ClassVar[bool] = False  # the higher of two waiting messages comes first
    independent_groups: ClassVar[bool] = False  # each group gets every message
    restartable: ClassVar[bool] = False  # `kill_broker` and `start_broker` do what they say

    def address(self) -> str:
        """The address of the broker."""
        raise NotImplementedError

    async def open_channel(self) -> TaskChannel:
        """One more client of the broker."""
        return await open_by_name(self.opener, self.address())

    async def kill_broker(self) -> None:
        """End the broker with SIGKILL."""
        raise NotImplementedError

    async def start_broker(self) -> None:
        """Start it again, with its data, at the same address; return when it takes connections."""
        raise NotImplementedError

    @pytest_asyncio.fixture
    async def channel(self, place: str) -> AsyncIterator[TaskChannel]:  # noqa: ARG002 (removed after it is closed)
        """A client of the broker."""
        channel = await self.open_channel()
        yield channel
        await channel.aclose()

    @pytest_asyncio.fixture
    async def other(self, place: str) -> AsyncIterator[TaskChannel]:  # noqa: ARG002
        """Another client of the same broker."""
        channel = await self.open_channel()
        yield channel
        await channel.aclose()

    @pytest_asyncio.fixture
    async def place(self) -> AsyncIterator[str]:
        """A place that nobody used before, and that is removed in the end."""
        place = f"suite.{uuid4().hex}"
        yield place
        channel = await self.open_channel()
        try:
            await until_taken(lambda: channel.remove(place))
            await until_taken(lambda: channel.remove(f"{place}.dead"))
        finally:
            await channel.aclose()

    @pytest.fixture
    def restarts(self) -> None:
        """Skips the test where the broker cannot be restarted."""
        if not self.restartable:
            pytest.skip("this broker cannot be restarted")


_NUMBERS = count(1)


def message(body: str = "", **fields: Any) -> ChannelMessage:
    """A message with an id of its own."""
    name = f"m{next(_NUMBERS)}"
    return ChannelMessage(name, (body or name).encode(), **fields)


def messages(number: int, **fields: Any) -> list[ChannelMessage]:
    """As many messages, with ids of their own."""
    return [message(**fields) for _ in range(number)]


def consume(channel: TaskChannel, place: str, prefetch: int = 100, group: str = GROUP) -> Deliveries:
    """One more consumer of the suite's group."""
    return channel.consume(place, group=group, prefetch=prefetch)


async def take(deliveries: Deliveries, number: int) -> list[Delivery]:
    """The next deliveries, not yet taken care of."""
    taken: list[Delivery] = []
    try:
        async with asyncio.timeout(PATIENCE):
            while len(taken) < number:
                taken.append(await anext(deliveries))
    except TimeoutError:
        came = [delivery.message.id for delivery in taken]
        pytest.fail(f"of {number} messages came {len(came)} in {PATIENCE:g} s: {came[:20]}")
    return taken


async def take_one(deliveries: Deliveries) -> Delivery:
    """The next delivery, not yet taken care of."""
    return (await take(deliveries, 1))[0]


async def accept(deliveries: Deliveries, number: int) -> list[ChannelMessage]:
    """The next messages, accepted."""
    taken = []
    for _ in range(number):
        delivery = await take_one(deliveries)
        await delivery.accept()
        taken.append(delivery.message)
    return taken


async def accept_until_all(deliveries: Deliveries, wanted: Sequence[ChannelMessage]) -> list[str]:
    """Accept what comes until every wanted message came at least once; the ids in their order."""
    missing = ids(wanted)
    came: list[str] = []
    while missing:
        taken = (await accept(deliveries, 1))[0].id
        missing.discard(taken)
        came.append(taken)
    return came


async def assert_empty(channel: TaskChannel, place: str) -> None:
    """Assert that nothing waits at a place: a message that is published now is the next that comes."""
    marker = message("marker")
    await channel.publish(place, [marker])
    deliveries = consume(channel, place)
    try:
        assert (await accept(deliveries, 1)) == [marker]
    finally:
        await deliveries.aclose()


async def publish_until_taken(channel: TaskChannel, place: str, batch: Sequence[ChannelMessage]) -> None:
    """Publish again and again, as somebody does whose broker is away for a while."""
    await until_taken(lambda: channel.publish(place, batch))


async def until_taken(call: Callable[[], Awaitable[None]]) -> None:
    """Call until it raises no ChannelError."""
    async with asyncio.timeout(PATIENCE):
        while True:
            try:
                return await call()
            except ChannelError:
                await asyncio.sleep(0.1)  # between two tries


def ids(batch: Sequence[ChannelMessage] | Sequence[Delivery]) -> set[str]:
    """The ids of messages or deliveries."""
    return {each.id if isinstance(each, ChannelMessage) else each.message.id for each in batch}
