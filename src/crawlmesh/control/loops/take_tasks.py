"""Tasks that other systems put into the task channel."""

import asyncio
import hashlib
import logging
from collections.abc import Sequence

from crawlmesh.control.channel_tasks import task_in
from crawlmesh.control.context import ControlContext
from crawlmesh.control.lead import Lead
from crawlmesh.control.loops.leader_loop import LeaderLoop
from crawlmesh.control.submit_tasks import submit_each
from crawlmesh.control.task_checks import check_new_task
from crawlmesh.errors import CrawlmeshError, RequestError, StoreError, UsageError
from crawlmesh.observability.metrics import MESSAGES_REFUSED, MESSAGES_TAKEN
from crawlmesh.ports.task_channel import Deliveries, Delivery, TaskChannel
from crawlmesh.protocol.channel_messages import TASKS
from crawlmesh.protocol.task_messages import NewTask

_GROUP = "masters"
_BATCH = 500  # messages that become tasks in one transaction
_AT_ONCE = 16  # messages that are looked through without a pause
_LINGER = 0.005  # seconds that a batch waits for what else is there

_log = logging.getLogger("crawlmesh.CHANNEL")


class TakeTasks(LeaderLoop):
    """Takes what is there, stores it in one transaction, and then lets the broker forget it.

    A message that comes again after a crash is recognised by its id. One that can never be a task goes to
    the dead letters, with the reason, and holds up nobody.
    """

    def __init__(self, context: ControlContext, lead: Lead, channel: TaskChannel) -> None:
        super().__init__(context, lead)
        self._channel = channel
        self._deliveries: Deliveries | None = None
        self._next: asyncio.Task[Delivery] | None = None

    def interval(self) -> float:
        """It waits for messages, not for the time to pass."""
        return 0.0

    async def stop(self) -> None:
        """End, and leave what was not stored to the next leader."""
        await super().stop()
        deliveries, self._deliveries = self._deliveries, None
        if deliveries is not None:
            await deliveries.aclose()
        if self._next is not None:
            self._next.cancel()
            await asyncio.wait([self._next])
            self._next = None

    async def run_once(self, now: float) -> int:  # noqa: ARG002 (tasks get the moment at which they are stored)
        """Wait for messages and take them. Returns how many became tasks."""
        batch = await self._batch()
        try:
            return await self._take(batch)
        except BaseException:
            # The store is away, or this master does not lead any more: they come again.
            for delivery in batch:
                await delivery.release()
            raise

    async def _batch(self) -> list[Delivery]:
        """At least one message, and what else is there."""
        batch: list[Delivery] = []
        while len(batch) < _BATCH:
            waiting = self._waiting()
            done, _ = await asyncio.wait([waiting], timeout=_LINGER if batch else None)
            if not done:
                break
            self._next = None
            if waiting.exception() is not None and batch:
                break  # these first; the next go meets the error again
            batch.append(waiting.result())
        return batch

    def _waiting(self) -> "asyncio.Task[Delivery]":
        """The wait for the next message, which goes on from batch to batch."""
        if self._deliveries is None:
            self._deliveries = self._channel.consume(TASKS, group=_GROUP, prefetch=2 * _BATCH)
        if self._next is None:
            self._next = asyncio.ensure_future(self._deliveries.__anext__())
        return self._next

    async def _take(self, batch: Sequence[Delivery]) -> int:
        requests: dict[str, NewTask] = {}
        good: dict[str, list[Delivery]] = {}
        for number, delivery in enumerate(batch):
            if number % _AT_ONCE == _AT_ONCE - 1:
                await asyncio.sleep(0)  # a master must answer heartbeats meanwhile
            request = await self._checked(delivery)
            if request is not None:
                key = _key(delivery)
                requests[key] = request
                good.setdefault(key, []).append(delivery)
        refused = await self._store(requests) if requests else {}
        for key, deliveries in good.items():
            for delivery in deliveries:
                await (self._refuse(delivery, refused[key]) if key in refused else delivery.accept())
        taken = len(requests) - len(refused)
        self.context.measurements.add(MESSAGES_TAKEN, taken)
        return taken

    async def _checked(self, delivery: Delivery) -> NewTask | None:
        """The task of a message; None where it was refused."""
        try:
            request = task_in(delivery.message.body)
            check_new_task(self.context, request)
        except UsageError as error:
            await self._refuse(delivery, error)
            return None
        return request

    async def _store(self, requests: dict[str, NewTask]) -> dict[str, Exception]:
        """Store all; where one of them is to blame, each for itself. Returns what was refused."""
        self.lead.fence()
        try:
            await submit_each(self.context, requests)
        except StoreError:
            raise
        except Exception:
            return await self._store_singly(requests)
        return {}

    async def _store_singly(self, requests: dict[str, NewTask]) -> dict[str, Exception]:
        refused: dict[str, Exception] = {}
        for key, request in requests.items():
            try:
                await submit_each(self.context, {key: request})
            except StoreError:
                raise
            except Exception as error:
                refused[key] = error
        if len(refused) == len(requests):
            unexpected = [error for error in refused.values() if not isinstance(error, RequestError)]
            if unexpected:  # it is not the messages then
                raise unexpected[0]
        return refused

    async def _refuse(self, delivery: Delivery, error: Exception) -> None:
        reason = str(error) if isinstance(error, CrawlmeshError) else f"{type(error).__name__}: {error}"
        _log.warning("The message %s is no task: %s", delivery.message.id, reason)
        await delivery.reject(reason)
        self.context.measurements.add(MESSAGES_REFUSED)


def _key(delivery: Delivery) -> str:
    """The same when a message comes again. The content counts: ids of other systems need not be unique."""
    message = delivery.message
    return "channel:" + hashlib.sha256(message.id.encode() + b"\0" + message.body).hexdigest()
