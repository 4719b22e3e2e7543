"""Placed work on its way into the task channel."""

import asyncio
import logging
from collections import deque
from collections.abc import Iterable

import msgspec

from crawlmesh.errors import ChannelError
from crawlmesh.model.change import TaskChange
from crawlmesh.model.execution import Assignment, ExecutionStatus
from crawlmesh.model.node import Node
from crawlmesh.observability.metrics import MESSAGES_PUBLISHED, Measurements
from crawlmesh.ports.task_channel import ChannelMessage, TaskChannel
from crawlmesh.protocol.channel_messages import CHANNEL_CAPABILITY, SESSION_HEADER, assignments_of

_MOST_WAITING = 10_000  # assignments; what is above that goes by the pulls
_AT_ONCE = 1_000
_NODES_AT_ONCE = 16
_PAUSE_AFTER_FAILURE = 1.0  # seconds

_log = logging.getLogger("crawlmesh.CHANNEL")
_encode = msgspec.json.Encoder().encode


class Outbox:
    """Assignments that this master wrote to the store, and places of nodes that are gone.

    Nothing depends on it: what is lost here, or with the broker, comes to the node by its pulls some
    seconds later. Where nobody empties it, it takes nothing in.
    """

    def __init__(self) -> None:
        self._open = False
        self._waiting: deque[tuple[str, ChannelMessage]] = deque()
        self._removed: set[str] = set()  # places
        self._filled = asyncio.Event()

    def placed(self, change: TaskChange, node: Node) -> None:
        """The store has taken a change that puts a task on a node."""
        if not self._open or not node.capabilities.get(CHANNEL_CAPABILITY):
            return
        for execution in change.executions:
            if execution.node_id == node.id and execution.status is ExecutionStatus.RUNNING:
                message = ChannelMessage(
                    id=execution.id,
                    body=_encode(Assignment(execution, change.task)),
                    key=change.task.id,
                    priority=change.task.priority,
                    headers={SESSION_HEADER: str(node.session)},
                )
                if execution.stop is None and len(self._waiting) < _MOST_WAITING:
                    self._waiting.append((assignments_of(node.id), message))
        self._filled.set()

    def removed(self, node_id: str) -> None:
        """The node is gone for good."""
        if self._open:
            self._removed.add(assignments_of(node_id))
            self._filled.set()

    async def run(self, channel: TaskChannel, measurements: Measurements) -> None:
        """Publish what comes, until this is cancelled."""
        self._open = True
        try:
            while True:
                await self._filled.wait()
                try:
                    measurements.add(MESSAGES_PUBLISHED, await self._publish(channel), "assignments")
                    await self._remove(channel)
                except ChannelError as error:
                    _log.warning("Work goes to the nodes by their pulls: %s", error)
                    await asyncio.sleep(_PAUSE_AFTER_FAILURE)
        finally:
            self._open = False
            self._waiting.clear()

    async def _publish(self, channel: TaskChannel) -> int:
        """Publish what waits; where that fails, it is dropped."""
        published = 0
        while self._waiting:
            places: dict[str, list[ChannelMessage]] = {}
            for _ in range(min(len(self._waiting), _AT_ONCE)):
                place, message = self._waiting.popleft()
                places.setdefault(place, []).append(message)
            await _publish_all(channel, places)
            published += sum(map(len, places.values()))
        return published

    async def _remove(self, channel: TaskChannel) -> None:
        """Remove places; one that could not be removed is tried again."""
        while self._removed:
            place = next(iter(self._removed))
            await channel.remove(place)
            self._removed.discard(place)
        if not self._waiting:
            self._filled.clear()


async def _publish_all(channel: TaskChannel, places: dict[str, list[ChannelMessage]]) -> None:
    """Publish at several places side by side. Raises the first ChannelError, when all calls have ended."""
    free = asyncio.Semaphore(_NODES_AT_ONCE)

    async def publish(place: str, messages: list[ChannelMessage]) -> None:
        async with free:
            await channel.publish(place, messages)

    answers = await asyncio.gather(
        *(publish(place, messages) for place, messages in places.items()), return_exceptions=True
    )
    _raise_first(answers)


def _raise_first(answers: Iterable[object]) -> None:
    for answer in answers:
        if isinstance(answer, BaseException):
            raise answer
