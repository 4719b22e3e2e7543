"""A master with a task channel in memory."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import msgspec

from crawlmesh.adapters.memory.task_channel import MemoryTaskChannel
from crawlmesh.control.broker import Broker
from crawlmesh.control.context import ControlContext
from crawlmesh.model.execution import Assignment
from crawlmesh.protocol.node_messages import Registered
from tests.unit.control.kit import ControlKit

_SOON = 10.0  # seconds; a test that needs them fails


class ChannelKit(ControlKit):
    """A master with a task channel."""

    def __init__(self, channel: MemoryTaskChannel | None = None, **options: Any) -> None:
        self.channel = channel or MemoryTaskChannel()
        super().__init__(**options)

    def another_master(self, **options: Any) -> ControlContext:
        context = super().another_master(**options)
        fields = {name: getattr(context, name) for name in context.__slots__ if name != "ids"}
        return ControlContext(**{**fields, "task_channel": Broker("memory", self.channel)})

    async def join_channel(self, name: str = "a", **fields: Any) -> Registered:
        return await self.join(name, capabilities={"task_channel": True}, **fields)

    @asynccontextmanager
    async def publishing(self) -> AsyncIterator[None]:
        run = asyncio.ensure_future(self.context.outbox.run(self.channel, self.context.measurements))
        await asyncio.sleep(0)
        try:
            yield
        finally:
            run.cancel()
            await asyncio.wait([run])
            await self.channel.aclose()

    async def pass_time(self, _topic: str, seen: int, timeout: float) -> int:
        """As the store's `wait`, where nothing happens: the time is over at once."""
        self.clock.advance(timeout)
        return seen

    async def come(self, node_id: str = "a") -> list[Assignment]:
        deliveries = self.channel.consume(f"assignments.{node_id}", group="test")
        async with asyncio.timeout(_SOON):
            first = await anext(deliveries)
        found = [first]
        try:
            while True:
                async with asyncio.timeout(0.01):
                    found.append(await anext(deliveries))
        except TimeoutError:
            pass
        for each in found:
            await each.accept()
        assert all(each.message.headers == {"x-crawlmesh-session": "1"} for each in found)
        return [msgspec.json.decode(each.message.body, type=Assignment) for each in found]
