"""Consuming: a subscription that is made again when it was lost, and what it delivers."""

import asyncio
import logging
import random
from collections import deque
from collections.abc import Coroutine
from contextlib import suppress
from typing import Self
from uuid import uuid4

import msgspec
from aiormq import Channel, spec
from aiormq.abc import DeliveredMessage

from crawlmesh.adapters.rabbitmq.connection import CLOSE_TIMEOUT, BrokerConnection
from crawlmesh.adapters.rabbitmq.failures import CLIENT_FAILURES, channel_errors
from crawlmesh.adapters.rabbitmq.messages import message_of
from crawlmesh.adapters.rabbitmq.places import declare_exchange, declare_place, queue_of
from crawlmesh.adapters.rabbitmq.publisher import Publisher
from crawlmesh.errors import ChannelError
from crawlmesh.ports.task_channel import (
    PLACE_HEADER,
    REASON_HEADER,
    REASON_LENGTH,
    ChannelMessage,
    dead_letters_of,
)

_log = logging.getLogger(__name__)

_SUBSCRIBE_TIMEOUT = 30.0  # seconds
_SEND_TIMEOUT = 30.0  # seconds for an ack; it waits only where the broker reads nothing
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0  # seconds between two tries


class Subscription:
    """One channel that consumes. What it delivered can be taken care of only as long as it lives."""

    def __init__(self, channel: Channel) -> None:
        self.channel = channel
        self.is_ending = False
        self._ended = asyncio.Event()
        channel.closing.add_done_callback(self._lost)
        channel.on_consumer_cancel_callbacks.add(self._cancelled)

    async def wait_ended(self) -> None:
        """Wait until it is lost."""
        await self._ended.wait()

    async def acknowledge(self, tag: int) -> None:
        """The broker may forget a message. It keeps it where the subscription is over."""
        if not self.is_ending:  # after the channel's end it would cost the whole connection
            await self._send(self.channel.basic_ack(tag, wait=False))

    async def give_back(self, tag: int) -> None:
        """The broker shall deliver a message again."""
        if not self.is_ending:
            await self._send(self.channel.basic_nack(tag, requeue=True, wait=False))

    async def _send(self, call: Coroutine[None, None, None]) -> None:
        """What cannot be sent ends the subscription: then the broker takes everything back."""
        try:
            async with asyncio.timeout(_SEND_TIMEOUT):
                await call
        except CLIENT_FAILURES:
            self.end()
        except asyncio.CancelledError:
            self.end()
            raise

    def end(self) -> None:
        """Acknowledge nothing more, and end the wait for its end."""
        self.is_ending = True
        self._ended.set()

    async def aclose(self) -> None:
        """End it; the broker takes back what was not acknowledged."""
        self.end()
        with suppress(CLIENT_FAILURES):
            await self.channel.close(ConnectionAbortedError("closed"), timeout=CLOSE_TIMEOUT)

    def _lost(self, closing: "asyncio.Future[object]") -> None:
        if not closing.cancelled():
            closing.exception()
        self.end()

    def _cancelled(self, _: spec.Basic.Cancel) -> None:
        """The queue was removed."""
        self._ended.set()


class RabbitDelivery:
    """A message that the broker keeps until it was taken care of."""

    def __init__(
        self, deliveries: "RabbitDeliveries", subscription: Subscription, tag: int, message: ChannelMessage
    ) -> None:
        self._deliveries = deliveries
        self._subscription = subscription
        self._tag = tag
        self._message = message
        self._done = False

    @property
    def message(self) -> ChannelMessage:
        """See Delivery.message."""
        return self._message

    async def accept(self) -> None:
        """See Delivery.accept."""
        if self._first_call():
            await self._subscription.acknowledge(self._tag)

    async def release(self) -> None:
        """See Delivery.release."""
        if self._first_call():
            await self._subscription.give_back(self._tag)

    async def reject(self, reason: str) -> None:
        """See Delivery.reject."""
        if self._first_call():
            place = self._deliveries.place
            beside = {REASON_HEADER: reason[:REASON_LENGTH], PLACE_HEADER: place}
            dead = msgspec.structs.replace(self._message, headers=self._message.headers | beside)
            await self.replace(dead_letters_of(place), dead)

    async def replace(self, place: str, message: ChannelMessage) -> None:
        """Publish something in its stead, and let go of it when the broker has that."""
        try:
            await self._deliveries.publisher.publish(place, [message])
        except ChannelError:
            await self._subscription.give_back(self._tag)
        except BaseException:
            await asyncio.shield(self._subscription.give_back(self._tag))
            raise
        else:
            await self._subscription.acknowledge(self._tag)

    def _first_call(self) -> bool:
        first, self._done = not self._done, True
        return first


class RabbitDeliveries:
    """One consumer of a place's queue. Subscribes when the first delivery is asked for."""

    def __init__(self, connection: BrokerConnection, publisher: Publisher, place: str, prefetch: int) -> None:
        self.place = place
        self.publisher = publisher
        self._connection = connection
        self._prefetch = prefetch
        self._came: deque[RabbitDelivery] = deque()
        self._news = asyncio.Event()
        self._subscribing: asyncio.Task[None] | None = None
        self._subscription: Subscription | None = None  # while it lives
        self._closed = False

    @property
    def is_closed(self) -> bool:
        """Whether nothing more comes of it."""
        return self._closed

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> RabbitDelivery:
        if self._subscribing is None and not self._closed:
            self._subscribing = asyncio.create_task(self._keep_subscribed())
        while not self._closed:
            if self._came:
                return self._came.popleft()
            self._news.clear()
            await self._news.wait()
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """See Deliveries.aclose."""
        self._closed = True
        self._news.set()
        if self._subscription is not None:
            self._subscription.end()
        elif self._subscribing is not None:
            self._subscribing.cancel()  # the client may swallow it, but then it ends by itself
        if self._subscribing is not None:
            await asyncio.wait([self._subscribing])

    async def _keep_subscribed(self) -> None:
        """Subscribe, again and again, until this is closed."""
        pause = _FIRST_PAUSE
        while not self._closed:
            try:
                await self._serve()
                pause = _FIRST_PAUSE
            except ChannelError as error:
                if pause == _FIRST_PAUSE:  # once for each time that it is away
                    _log.warning("%s. Trying again.", error)
                pause = min(2 * pause, _LONGEST_PAUSE)
            if not self._closed:
                await asyncio.sleep(pause * random.uniform(0.5, 1.0))  # noqa: S311 (so that not all come at once)

    async def _serve(self) -> None:
        """Subscribe, and return when the subscription was lost. Raises ChannelError."""
        subscription = Subscription(await self._connection.channel(confirms=False))
        try:
            with channel_errors(self._connection.address.shown):
                async with asyncio.timeout(_SUBSCRIBE_TIMEOUT):
                    await self._subscribe(subscription)
            if not self._closed:
                self._subscription = subscription
                await subscription.wait_ended()
        finally:
            self._subscription = None
            subscription.end()
            self._came.clear()  # the broker delivers them again
            await subscription.aclose()

    async def _subscribe(self, subscription: Subscription) -> None:
        async def take(delivered: DeliveredMessage) -> None:
            await self._take(subscription, delivered)

        channel = subscription.channel
        await channel.basic_qos(prefetch_count=self._prefetch)
        await declare_exchange(channel)
        await declare_place(channel, self.place)
        await channel.basic_consume(queue_of(self.place), take)

    async def _take(self, subscription: Subscription, delivered: DeliveredMessage) -> None:
        assert isinstance(delivered.delivery, spec.Basic.Deliver)
        tag = delivered.delivery.delivery_tag or 0
        message = message_of(delivered.header.properties, delivered.body)
        delivery = RabbitDelivery(self, subscription, tag, message)
        if not message.id:  # another system's: give it an id that is the same when it comes again
            await delivery.replace(self.place, msgspec.structs.replace(message, id=uuid4().hex))
        elif not subscription.is_ending:
            self._came.append(delivery)
            self._news.set()
