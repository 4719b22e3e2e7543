"""The task channel: a message broker that others run, between masters, workers and other systems."""

from collections.abc import Sequence
from typing import Protocol, Self

import msgspec

REASON_HEADER = "x-crawlmesh-reason"  # of a dead letter: why it was rejected
PLACE_HEADER = "x-crawlmesh-place"  # of a dead letter: where it was rejected
REASON_LENGTH = 2_000  # characters of a reason that are kept


def dead_letters_of(place: str) -> str:
    """The place to which what is rejected at `place` goes."""
    return f"{place}.dead"


class ChannelMessage(msgspec.Struct, frozen=True):
    """One message. `key` says which messages keep their order; `id` is the same when it comes again."""

    id: str
    body: bytes
    key: str = ""
    priority: int = 5  # 1 … 10, 10 first, where the broker knows priorities
    headers: dict[str, str] = {}


class Delivery(Protocol):
    """A message that came, and that the broker keeps until one of these calls; it comes again otherwise.

    The first of the calls counts, the others do nothing. None of them raises because the connection was
    lost: then the message comes again.
    """

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
        """It never can be: move it to the dead letters of its place, with the reason beside it.

        There it has the same id, body, key and headers, and the headers REASON_HEADER and PLACE_HEADER.
        """
        ...


class Deliveries(Protocol):
    """What comes to one consumer. A wait for the next one may be cancelled: nothing is lost by that."""

    def __aiter__(self) -> Self: ...

    async def __anext__(self) -> Delivery:
        """Wait for the next one, also while the broker is away. Ends when this or the channel is closed."""
        ...

    async def aclose(self) -> None:
        """Consume no more; what was not taken care of comes again. Twice is fine."""
        ...


class TaskChannel(Protocol):
    """Carries messages at least once. Whoever takes them sees to it that a second time changes nothing.

    Making one does not connect: a broker that is away shows when something is published.

    A place is a name such as `tasks`, `results`, `events` or `assignments.NODE_ID`, of letters, digits,
    dots, hyphens and underscores; its dead letters are at the place `PLACE.dead`. Places come into being
    when they are first used, and what is published is kept while nobody consumes. Lost connections are
    made again with back-off, in silence; `is_connected` tells.
    """

    async def publish(self, place: str, messages: Sequence[ChannelMessage]) -> None:
        """Return when the broker holds all of them durably. Raises ChannelError where it cannot be reached.

        After an error, any part of them may have been taken: publish them again under the same ids.
        """
        ...

    def consume(self, place: str, *, group: str, prefetch: int = 100) -> Deliveries:
        """Deliveries, until they are closed; at most `prefetch` not yet taken care of.

        Consumers of one group share the messages of a place. Whether another group gets them too depends
        on the broker. Broker restarts do not end the iteration.
        """
        ...

    @property
    def is_connected(self) -> bool:
        """Whether the broker was reachable at the last try."""
        ...

    async def remove(self, place: str) -> None:
        """Forget a place and what is in it, as of a node that was removed. Unknown places are fine.

        Nobody consumes from it any more. Its dead letters are a place of their own, and stay.
        """
        ...

    async def aclose(self) -> None:
        """Stop all consumers and let go of everything; what was not accepted comes again. Twice is fine."""
        ...
