"""What comes to one consumer, and how each message is taken care of."""

import asyncio
import logging
from collections import deque
from collections.abc import Awaitable, Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Self, TypeVar

from crawlmesh.adapters.kafka.group_reader import Fetched, GroupReader
from crawlmesh.errors import ChannelError
from crawlmesh.ports.task_channel import ChannelMessage

_STAND_BY = 0.2  # seconds without room before nothing more is fetched; the group is served as often
_SHORTEST, _LONGEST = 0.1, 5.0  # seconds until a released message comes again, twice as long each time
_TRY_AGAIN = 1.0  # seconds between tries to find the topic
_log = logging.getLogger(__name__)

Result = TypeVar("Result")
Bury = Callable[[ChannelMessage, str], Awaitable[None]]


class KafkaDelivery:
    """One message that came."""

    def __init__(self, deliveries: "KafkaDeliveries", fetched: Fetched, releases: int = 0) -> None:
        self.fetched = fetched
        self.releases = releases
        self._deliveries = deliveries
        self._is_settled = False

    @property
    def message(self) -> ChannelMessage:
        """What came."""
        return self.fetched.message

    async def accept(self) -> None:
        """Count as done; the broker is told soon."""
        if self._settle():
            self._deliveries.accepted(self)

    async def release(self) -> None:
        """Come again from memory, or to whoever has the partition by then."""
        if self._settle():
            self._deliveries.released(self)

    async def reject(self, reason: str) -> None:
        """Move to the dead letters; where that fails, come again."""
        if self._settle():
            await self._deliveries.rejected(self, reason)

    def _settle(self) -> bool:
        first, self._is_settled = not self._is_settled, True
        return first


class KafkaDeliveries:
    """Iterates over deliveries. A task of its own reads on while nobody asks."""

    def __init__(self, prefetch: int, open_reader: Callable[[], Awaitable[GroupReader]], bury: Bury) -> None:
        """`open_reader` raises ChannelError while the broker is away; `bury` publishes a dead letter."""
        self._prefetch = max(1, prefetch)
        self._open_reader = open_reader
        self._bury = bury
        self._ready: deque[KafkaDelivery] = deque()
        self._held = 0  # fetched and not taken care of
        self._came = asyncio.Event()  # something is ready, or it is over
        self._made_room = asyncio.Event()
        self._stopping = asyncio.Event()
        self._returning: dict[KafkaDelivery, asyncio.TimerHandle] = {}  # released
        self._reader: GroupReader | None = None
        self._reading: asyncio.Task[None] | None = None
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="kafka-consumer")

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> KafkaDelivery:
        """Wait for the next one. Raises ChannelError where the broker forbids to consume."""
        if self._reading is None and not self._stopping.is_set():
            self._reading = asyncio.create_task(self._read_on())
        while not self._stopping.is_set():
            while self._ready:
                delivery = self._ready.popleft()
                if not delivery.fetched.partition.is_lost:
                    return delivery
                self._give_room()
            assert self._reading is not None
            if self._reading.done():
                self._reading.result()
                break
            self._came.clear()
            await self._came.wait()
        raise StopAsyncIteration

    async def aclose(self) -> None:
        """Commit what was accepted and leave the group. Twice is fine."""
        self._stopping.set()
        self._came.set()
        self._made_room.set()
        for handle in self._returning.values():
            handle.cancel()
        self._returning.clear()
        if self._reading is not None:
            await asyncio.gather(self._reading, return_exceptions=True)
        self._thread.shutdown(wait=False)  # nothing runs in it any more

    def accepted(self, delivery: KafkaDelivery) -> None:
        """For `KafkaDelivery`: it is done."""
        if self._reader is not None and not self._is_over(delivery):
            self._reader.accept(delivery.fetched.partition, delivery.fetched.offset)
        self._give_room()

    def released(self, delivery: KafkaDelivery) -> None:
        """For `KafkaDelivery`: it comes again after a pause, longer each time."""
        if self._is_over(delivery):
            self._give_room()
            return
        pause = min(_SHORTEST * 2 ** min(delivery.releases, 10), _LONGEST)
        again = KafkaDelivery(self, delivery.fetched, delivery.releases + 1)
        self._returning[again] = asyncio.get_running_loop().call_later(pause, self._return, again)

    async def rejected(self, delivery: KafkaDelivery, reason: str) -> None:
        """For `KafkaDelivery`: bury it, then it is done."""
        if self._is_over(delivery):
            self._give_room()
            return
        try:
            await self._bury(delivery.message, reason)
        except ChannelError as error:
            _log.warning(
                "The message %s could not be moved to the dead letters: %s", delivery.message.id, error
            )
            self.released(delivery)
        except asyncio.CancelledError:
            self.released(delivery)
            raise
        else:
            self.accepted(delivery)

    def _is_over(self, delivery: KafkaDelivery) -> bool:
        """Whether the message comes again anyway: the partition is another consumer's, or will be."""
        return delivery.fetched.partition.is_lost or self._stopping.is_set()

    def _return(self, delivery: KafkaDelivery) -> None:
        del self._returning[delivery]
        self._ready.append(delivery)
        self._came.set()

    def _give_room(self) -> None:
        self._held -= 1
        self._made_room.set()

    async def _read_on(self) -> None:
        try:
            self._reader = await self._opened()
            if self._reader is not None:
                await self._read_until_stopped(self._reader)
        finally:
            if self._reader is not None:
                await self._in_thread(self._reader.close)
            self._came.set()

    async def _opened(self) -> GroupReader | None:
        complaint = ""
        while not self._stopping.is_set():
            try:
                return await _unless(self._stopping, self._open_reader())
            except ChannelError as error:
                if str(error) != complaint:
                    complaint = str(error)
                    _log.warning("%s", complaint)
                await _wait(self._stopping, _TRY_AGAIN)
        return None

    async def _read_until_stopped(self, reader: GroupReader) -> None:
        while not self._stopping.is_set():
            room = self._prefetch - self._held
            if room > 0:
                self._keep(await self._in_thread(partial(reader.read, room)))
                continue
            self._made_room.clear()
            if not await _wait(self._made_room, _STAND_BY):
                await self._in_thread(reader.stand_by)

    def _keep(self, fetched: list[Fetched]) -> None:
        self._held += len(fetched)
        self._ready.extend(KafkaDelivery(self, each) for each in fetched)
        if fetched:
            self._came.set()

    async def _in_thread(self, call: Callable[[], Result]) -> Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, call)


async def _unless(event: asyncio.Event, call: Awaitable[Result]) -> Result | None:
    """What a call returns; None where the event came first: then the call is given up."""
    calling, waiting = asyncio.ensure_future(call), asyncio.ensure_future(event.wait())
    try:
        await asyncio.wait([calling, waiting], return_when=asyncio.FIRST_COMPLETED)
        return await calling if calling.done() else None
    finally:
        for each in (calling, waiting):
            each.cancel()


async def _wait(event: asyncio.Event, seconds: float) -> bool:
    """Wait for an event; False where the seconds passed before."""
    try:
        async with asyncio.timeout(seconds):
            await event.wait()
    except TimeoutError:
        return False
    return True
