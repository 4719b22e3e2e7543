"""The task channel: a message broker that others run, between masters, workers and other systems."""

from collections.abc import AsyncIterator, Sequence
from typing import Protocol

import msgspec


class ChannelMessage(msgspec.Struct, frozen=True):
    """One message. `key` says which messages keep their order; `id` is the same when it comes again."""

    id: str
    body: bytes
    key: str = ""
    priority: int = 5  # 1 … 10, 10 first, where the broker knows priorities
    headers: dict[str, str] = {}


class Delivery(Protocol):
    """A message that came, and that the broker keeps until one of these calls; it comes again otherwise."""

    @property
    def message(self) -> ChannelMessage:
        """What came."""
        ...

    async def accept(self) -> None:
        """It was taken care of for good. Twice is fine; so it is after the connection was lost."""
        ...

    async def release(self) -> None:
        """It could not be taken care of now: it comes again, to this consumer or another one."""
        ...

    async def reject(self, reason: str) -> None:
        """It never can be: move it to the dead letters of its place, with the reason beside it."""
        ...


class TaskChannel(Protocol):
    """Carries messages at least once. Whoever takes them sees to it that a second time changes nothing.

    A place is a name such as `tasks`, `results`, `events` or `assignments.NODE_ID`; its dead letters are at
    the place `PLACE.dead`. Places come into being when they are first used, and what is published is kept
    while nobody consumes. Lost connections are made again with back-off, in silence; `is_connected` tells.
    """

    async def publish(self, place: str, messages: Sequence[ChannelMessage]) -> None:
        """Return when the broker holds all of them durably. Raises ChannelError where it cannot be reached.

        After an error, any part of them may have been taken: publish them again under the same ids.
        """
        ...

    def consume(self, place: str, *, group: str, prefetch: int = 100) -> AsyncIterator[Delivery]:
        """Deliveries, for as long as they are iterated over; at most `prefetch` not yet taken care of.

        Consumers of one group share the messages of a place. Broker restarts do not end the iteration.
        """
        ...

    @property
    def is_connected(self) -> bool:
        """Whether the broker was reachable at the last try."""
        ...

    async def remove(self, place: str) -> None:
        """Forget a place and what is in it, as of a node that was removed. Unknown places are fine."""
        ...

    async def aclose(self) -> None:
        """Stop all consumers and let go of everything; what was not accepted comes again. Twice is fine."""
        ...
