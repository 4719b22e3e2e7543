"""Work that comes from the task channel."""

import asyncio
import logging
from typing import NamedTuple

import msgspec

from crawlmesh.model.execution import Assignment
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.task_channel import Delivery, TaskChannel
from crawlmesh.protocol.channel_messages import SESSION_HEADER, assignments_of
from crawlmesh.protocol.node_messages import Registered
from crawlmesh.worker.executions import Executions

_GROUP = "workers"
_LATE = 10.0  # seconds after its placement: then the pull has brought it, or it is no longer ours
_LONGEST_HELD = 600.0  # seconds; brokers lose patience with what is not accepted for long
_LOOK_AGAIN = 60.0  # seconds
_PAUSE_AFTER_FAILURE = 1.0  # seconds

_log = logging.getLogger("crawlmesh.CHANNEL")
_decode = msgspec.json.Decoder(Assignment).decode


class _Held(NamedTuple):
    """A delivery whose execution is under way."""

    delivery: Delivery
    since: float  # monotonic seconds


class AssignmentIntake:
    """Hands assignments to the executions, and accepts a delivery when a master has the report of its end.

    A worker that was killed gets them again: they were for its earlier session, and are passed over.
    """

    def __init__(self, channel: TaskChannel | None, executions: Executions, clock: Clock, slots: int) -> None:
        self._channel = channel
        self._executions = executions
        self._clock = clock
        self._prefetch = max(100, 2 * slots)
        self._held: dict[str, list[_Held]] = {}  # by execution
        self._over: asyncio.Queue[Delivery] = asyncio.Queue()
        if channel is not None:
            executions.on_over = self._let_go

    @property
    def exists(self) -> bool:
        """Whether there is a channel."""
        return self._channel is not None

    def is_open(self) -> bool:
        """Whether work can come this way at the moment."""
        return self._channel is not None and self._channel.is_connected

    async def run(self, registered: Registered, heard_at: float) -> None:
        """Take what comes for this session, until this is cancelled. Without a channel, nothing comes."""
        if self._channel is None:
            await asyncio.get_running_loop().create_future()
            return
        ahead = registered.registration_time - heard_at  # of the master's clock, in seconds
        accepting = asyncio.ensure_future(self._accept())
        try:
            while True:
                try:
                    await self._consume(self._channel, registered, ahead)
                except Exception:
                    _log.exception("Work could not be taken from the task channel; it is tried again")
                await asyncio.sleep(_PAUSE_AFTER_FAILURE)
        finally:
            accepting.cancel()
            await asyncio.wait([accepting])
            self._held.clear()

    async def _consume(self, channel: TaskChannel, registered: Registered, ahead: float) -> None:
        deliveries = channel.consume(
            assignments_of(registered.node_id), group=_GROUP, prefetch=self._prefetch
        )
        try:
            async for delivery in deliveries:
                await self._take(delivery, registered.session, ahead)
        finally:
            await deliveries.aclose()

    async def _take(self, delivery: Delivery, session: int, ahead: float) -> None:
        try:
            assignment = _decode(delivery.message.body)
        except msgspec.MsgspecError as error:
            await delivery.reject(f"This is no assignment: {error}")
            return
        execution = assignment.execution
        is_late = self._clock.now() + ahead - execution.start_time > _LATE
        if is_late or delivery.message.headers.get(SESSION_HEADER) != str(session):
            await delivery.accept()
            return
        self._executions.take(assignment)
        if self._executions.is_over(execution.id):
            await delivery.accept()
        else:  # where this node leaves, it was not taken: it stays unaccepted, and goes with the session
            held = self._held.setdefault(execution.id, [])
            held.append(_Held(delivery, self._clock.monotonic()))

    def _let_go(self, execution_id: str) -> None:
        for held in self._held.pop(execution_id, ()):
            self._over.put_nowait(held.delivery)

    async def _accept(self) -> None:
        while True:
            try:
                async with asyncio.timeout(_LOOK_AGAIN):
                    delivery = await self._over.get()
                await delivery.accept()
            except TimeoutError:
                self._let_go_of_old()
            except Exception:
                _log.exception("A delivery could not be accepted; it comes again, and changes nothing")

    def _let_go_of_old(self) -> None:
        oldest = self._clock.monotonic() - _LONGEST_HELD
        for execution_id in [name for name, held in self._held.items() if held[0].since < oldest]:
            self._let_go(execution_id)
