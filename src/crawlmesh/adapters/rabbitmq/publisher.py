"""Publishing: many messages under way at once, each confirmed by the broker."""

import asyncio
from collections.abc import Coroutine, Iterator, Sequence
from typing import Any, TypeVar

from aiormq import Channel, spec
from aiormq.exceptions import PublishError

from crawlmesh.adapters.rabbitmq.connection import BrokerConnection
from crawlmesh.adapters.rabbitmq.failures import channel_errors
from crawlmesh.adapters.rabbitmq.messages import properties_of
from crawlmesh.adapters.rabbitmq.places import EXCHANGE, declare_exchange, declare_place, queue_of
from crawlmesh.errors import ChannelError
from crawlmesh.ports.task_channel import ChannelMessage

CONFIRM_TIMEOUT = 30.0  # seconds in which the broker must have taken what is under way
_MOST_UNDER_WAY = 500  # messages
_MOST_BYTES_UNDER_WAY = 8_000_000

_Ready = tuple[spec.Basic.Properties, bytes]
_T = TypeVar("_T")


class Publisher:
    """Has one channel in confirm mode, over a connection that nobody consumes over.

    The broker holds up connections that publish while it is short of memory; acks shall get through.
    """

    def __init__(self, connection: BrokerConnection) -> None:
        self._connection = connection
        self._channel: Channel | None = None
        self._declared: set[str] = set()
        self._opening = asyncio.Lock()

    async def publish(self, place: str, messages: Sequence[ChannelMessage]) -> None:
        """See TaskChannel.publish."""
        ready = [(properties_of(message), message.body) for message in messages]
        for part in parts(ready):
            with channel_errors(self._connection.address.shown):
                await self._publish_part(place, part)

    async def remove(self, place: str) -> None:
        """See TaskChannel.remove."""
        with channel_errors(self._connection.address.shown):
            await self._in_time(self._delete(place))

    async def _delete(self, place: str) -> None:
        channel = await self._open_channel()
        self._declared.discard(place)
        await channel.queue_delete(queue_of(place))

    async def _publish_part(self, place: str, part: Sequence[_Ready]) -> None:
        for _ in range(2):
            part = await self._in_time(self._try_part(place, part))
            if not part:
                return
            self._declared.discard(place)  # somebody removed its queue
        raise ChannelError(f"RabbitMQ has no queue {queue_of(place)}: something removes it again and again")

    async def _try_part(self, place: str, part: Sequence[_Ready]) -> Sequence[_Ready]:
        """Publish; what could not be routed comes back."""
        channel = await self._channel_for(place)
        calls = [
            channel.basic_publish(
                body, exchange=EXCHANGE, routing_key=place, properties=properties, mandatory=True, wait=False
            )
            for properties, body in part
        ]
        answers = await asyncio.gather(*calls, return_exceptions=True)
        for answer in answers:
            if isinstance(answer, BaseException) and not isinstance(answer, PublishError):
                raise answer
        return [each for each, answer in zip(part, answers, strict=True) if isinstance(answer, PublishError)]

    async def _channel_for(self, place: str) -> Channel:
        """The open channel, once the place's queue was declared over it."""
        channel = await self._open_channel()
        if place not in self._declared:
            async with self._opening:
                await declare_place(channel, place)
            if channel is self._channel:
                self._declared.add(place)
        return channel

    async def _open_channel(self) -> Channel:
        if self._channel is not None and not self._channel.is_closed:
            return self._channel
        await self._connection.ready()  # all who wait for it fail together
        async with self._opening:
            if self._channel is None or self._channel.is_closed:
                channel = await self._connection.channel(confirms=True)
                await declare_exchange(channel)
                self._channel, self._declared = channel, set()
        return self._channel

    async def _in_time(self, call: Coroutine[Any, Any, _T]) -> _T:
        """What a call brings. A broker that does not answer is connected to anew next time."""
        try:
            async with asyncio.timeout(CONFIRM_TIMEOUT):
                return await call
        except TimeoutError:
            self._channel = None
            self._connection.abandon()
            raise


def parts(ready: Sequence[_Ready]) -> Iterator[Sequence[_Ready]]:
    """Cut what is to be published into parts that may be under way at once."""
    start = size = 0
    for number, (_, body) in enumerate(ready):
        if number > start and (number - start >= _MOST_UNDER_WAY or size + len(body) > _MOST_BYTES_UNDER_WAY):
            yield ready[start:number]
            start, size = number, 0
        size += len(body)
    if start < len(ready):
        yield ready[start:]
