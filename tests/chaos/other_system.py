"""A program of somebody else: it publishes tasks to the broker, and listens to results and events."""

import asyncio
import json
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from typing import Any

from crawlmesh.errors import ChannelError
from crawlmesh.ports.task_channel import REASON_HEADER, ChannelMessage, TaskChannel

_QUIET = 3.0  # seconds without a message, once everything that is expected came


class OtherSystem:
    """Publishes until the broker has it, under the same ids: so some messages are there twice."""

    def __init__(self, channel: TaskChannel) -> None:
        self._channel = channel
        self.noops = 0
        self.tasks = 0  # in all, without what is malformed

    async def publish_noops(self, number: int, *, priority: int = 5) -> None:
        """Small tasks, whose parameters have a number of their own."""
        numbers = range(self.noops, self.noops + number)
        self.noops += number
        usual = {"task_type": "noop", "priority": priority, "max_retries": 100}
        await self.publish_tasks(
            {f"noop-{each}": {**usual, "parameters": {"number": each}} for each in numbers}
        )

    async def publish_tasks(self, tasks: Mapping[str, Any]) -> None:
        """Tasks by the ids of their messages."""
        self.tasks += len(tasks)
        await self.publish(tasks)

    async def publish(self, bodies: Mapping[str, Any]) -> None:
        """Messages by their ids; a body that is not bytes is written as JSON."""
        messages = [
            ChannelMessage(name, body if isinstance(body, bytes) else json.dumps(body).encode(), key=name)
            for name, body in bodies.items()
        ]
        while True:
            try:
                await self._channel.publish("tasks", messages)
            except ChannelError:
                await asyncio.sleep(0.05)
            else:
                return

    async def listen(self, place: str, ids: set[str]) -> Counter[str]:
        """Read a place until messages of all of these ids have come, also with more behind a colon."""
        found: Counter[str] = Counter()
        deliveries = self._channel.consume(place, group="other-system", prefetch=1000)
        try:
            while not ids <= found.keys():
                async with asyncio.timeout(60):
                    delivery = await anext(deliveries)
                found[delivery.message.id.partition(":")[0]] += 1
                await delivery.accept()
        finally:
            await deliveries.aclose()
        return found

    async def dead_letters(self, number: int) -> dict[str, str]:
        """The reasons of so many refused tasks, by the ids of their messages."""
        found: dict[str, str] = {}
        deliveries = self._channel.consume("tasks.dead", group="other-system")
        try:
            with suppress(TimeoutError):
                while True:
                    async with asyncio.timeout(60 if len(found) < number else _QUIET):
                        delivery = await anext(deliveries)
                    found[delivery.message.id] = delivery.message.headers[REASON_HEADER]
                    await delivery.accept()
        finally:
            await deliveries.aclose()
        return found

    async def aclose(self) -> None:
        """Let go of the broker."""
        await self._channel.aclose()
