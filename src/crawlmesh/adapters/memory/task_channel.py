"""A task channel in the memory of one event loop: for tests, and as the reference reading of its port."""

import asyncio
from collections.abc import Sequence
from heapq import heappop, heappush
from itertools import count
from typing import Self

import msgspec

from crawlmesh.errors import ChannelError
from crawlmesh.ports.task_channel import (
    PLACE_HEADER,
    REASON_HEADER,
    REASON_LENGTH,
    ChannelMessage,
    dead_letters_of,
)

_Waiting = tuple[int, int, ChannelMessage]  # by priority, then in the order of publishing


class MemoryBroker:
    """What the channels of one event loop share: the messages that wait, most urgent first."""

    def __init__(self) -> None:
        self._numbers = count()
        self._places: dict[str, list[_Waiting]] = {}
        self._waiters: set[asyncio.Future[None]] = set()

    def put(self, place: str, message: ChannelMessage) -> None:
        """Add a message."""
        self.put_back(place, (-message.priority, next(self._numbers), message))

    def put_back(self, place: str, waiting: _Waiting) -> None:
        """Add a message that was taken, at the position that it had."""
        heappush(self._places.setdefault(place, []), waiting)
        self.wake_all()

    def take(self, place: str) -> _Waiting | None:
        """The most urgent message of a place, if there is any."""
        waiting = self._places.get(place)
        return heappop(waiting) if waiting else None

    def forget(self, place: str) -> None:
        """Drop a place and its messages."""
        self._places.pop(place, None)

    async def wait(self) -> None:
        """Wait until something changed."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.add(waiter)
        try:
            await waiter
        finally:
            self._waiters.discard(waiter)

    def wake_all(self) -> None:
        """Something changed."""
        for waiter in self._waiters:
            if not waiter.done():
                waiter.set_result(None)


class MemoryDelivery:
    """A message that a consumer holds."""

    def __init__(self, deliveries: "MemoryDeliveries", waiting: _Waiting) -> None:
        self._deliveries = deliveries
        self._waiting = waiting

    @property
    def message(self) -> ChannelMessage:
        """See Delivery.message."""
        return self._waiting[2]

    async def accept(self) -> None:
        """See Delivery.accept."""
        self._deliveries.let_go(self)

    async def release(self) -> None:
        """See Delivery.release."""
        if self._deliveries.let_go(self):
            self._deliveries.broker.put_back(self._deliveries.place, self._waiting)

    async def reject(self, reason: str) -> None:
        """See Delivery.reject."""
        if self._deliveries.let_go(self):
            place = self._deliveries.place
            beside = {REASON_HEADER: reason[:REASON_LENGTH], PLACE_HEADER: place}
            dead = msgspec.structs.replace(self.message, headers=self.message.headers | beside)
            self._deliveries.broker.put(dead_letters_of(place), dead)

    def put_back(self) -> None:
        """Its consumer is gone."""
        self._deliveries.broker.put_back(self._deliveries.place, self._waiting)


class MemoryDeliveries:
    """One consumer."""

    def __init__(self, broker: MemoryBroker, place: str, prefetch: int) -> None:
        self.broker = broker
        self.place = place
        self._prefetch = prefetch
        self._held: set[MemoryDelivery] = set()
        self._closed = False

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> MemoryDelivery:
        while not self._closed:
            waiting = self.broker.take(self.place) if len(self._held) < self._prefetch else None
            if waiting is not None:
                delivery = MemoryDelivery(self, waiting)
                self._held.add(delivery)
                return delivery
            await self.broker.wait()
        raise StopAsyncIteration

    @property
    def is_closed(self) -> bool:
        """Whether nothing more comes of it."""
        return self._closed

    def let_go(self, delivery: MemoryDelivery) -> bool:
        """Hold it no more; False where it was not held."""
        if delivery not in self._held:
            return False
        self._held.discard(delivery)
        self.broker.wake_all()
        return True

    async def aclose(self) -> None:
        """See Deliveries.aclose."""
        self._closed = True
        held, self._held = self._held, set()
        for delivery in held:
            delivery.put_back()
        self.broker.wake_all()


class MemoryTaskChannel:
    """Consumers of all groups share what is at a place."""

    def __init__(self, broker: MemoryBroker | None = None) -> None:
        """Channels of one `broker` see each other's messages."""
        self._broker = broker or MemoryBroker()
        self._consumers: list[MemoryDeliveries] = []
        self._closed = False

    async def publish(self, place: str, messages: Sequence[ChannelMessage]) -> None:
        """See TaskChannel.publish."""
        if self._closed:
            raise ChannelError("The task channel is closed; open another one to publish")
        for message in messages:
            self._broker.put(place, message)

    def consume(self, place: str, *, group: str, prefetch: int = 100) -> MemoryDeliveries:  # noqa: ARG002 (all groups share)
        """See TaskChannel.consume."""
        deliveries = MemoryDeliveries(self._broker, place, prefetch)
        self._consumers = [consumer for consumer in self._consumers if not consumer.is_closed] + [deliveries]
        return deliveries

    @property
    def is_connected(self) -> bool:
        """See TaskChannel.is_connected."""
        return not self._closed

    async def remove(self, place: str) -> None:
        """See TaskChannel.remove."""
        self._broker.forget(place)

    async def aclose(self) -> None:
        """See TaskChannel.aclose."""
        self._closed = True
        for deliveries in self._consumers:
            await deliveries.aclose()
        self._consumers.clear()
