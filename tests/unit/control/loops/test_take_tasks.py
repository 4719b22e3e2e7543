import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from crawlmesh.adapters.memory.task_channel import MemoryBroker, MemoryTaskChannel
from crawlmesh.control.loops.take_tasks import TakeTasks
from crawlmesh.errors import ChannelError, StoreUnavailableError
from crawlmesh.model.query import TaskQuery
from crawlmesh.model.task import Task
from crawlmesh.ports.task_channel import REASON_HEADER, ChannelMessage
from tests.unit.control.kit import ControlKit


def _message(number: int, body: Any = None) -> ChannelMessage:
    content = {"task_type": "noop", "parameters": {"value": number}} if body is None else body
    return ChannelMessage(
        f"m-{number}", content if isinstance(content, bytes) else json.dumps(content).encode()
    )


class Source:
    """A leader that takes tasks from a channel, and the channel of somebody who publishes."""

    def __init__(self) -> None:
        self.kit = ControlKit()
        self.broker = MemoryBroker()
        self.channel = MemoryTaskChannel(self.broker)
        self.loop = self.loop_of_another_master()

    def loop_of_another_master(self) -> TakeTasks:
        return TakeTasks(self.kit.context, self.kit.lead, MemoryTaskChannel(self.broker))

    async def tasks(self) -> list[Task]:
        return list((await self.kit.store.list_tasks(TaskQuery(limit=1000, order="created_at"))).tasks)

    async def waiting(self, place: str = "tasks") -> list[ChannelMessage]:
        """What the broker still has."""
        found = []
        deliveries = self.channel.consume(place, group="test", prefetch=1000)
        try:
            while True:
                async with asyncio.timeout(0.01):
                    found.append((await anext(deliveries)).message)
        except TimeoutError:
            return found
        finally:
            await deliveries.aclose()


@asynccontextmanager
async def _source() -> AsyncIterator[Source]:
    source = Source()
    await source.kit.leads()
    source.loop = source.loop_of_another_master()
    yield source
    await source.loop.stop()
    await source.channel.aclose()


async def test_messages_become_tasks_in_one_call_and_are_forgotten_by_the_broker() -> None:
    async with _source() as source:
        await source.channel.publish("tasks", [_message(number) for number in range(20)])
        assert await source.loop.run_once(0.0) == 20
        assert {task.parameters["value"] for task in await source.tasks()} == set(range(20))
        assert source.kit.store.calls.count("submit") == 1
        await source.loop.stop()
        assert await source.waiting() == []


async def test_a_message_that_comes_again_is_the_same_task() -> None:
    async with _source() as source:
        await source.channel.publish("tasks", [_message(1), _message(1)])
        assert await source.loop.run_once(0.0) == 1
        await source.channel.publish("tasks", [_message(1), _message(2)])
        await source.loop.run_once(0.0)
        assert len(await source.tasks()) == 2


async def test_an_id_that_was_used_for_something_else_is_another_task() -> None:
    async with _source() as source:
        await source.channel.publish("tasks", [_message(1), _message(1, {"task_type": "noop"})])
        await source.loop.run_once(0.0)
        assert len(await source.tasks()) == 2


async def test_what_is_no_task_goes_to_the_dead_letters_and_holds_up_nobody() -> None:
    async with _source() as source:
        bad = [_message(2, b"{nope"), _message(3, {"task_type": "noop", "priority": 11})]
        await source.channel.publish("tasks", [_message(1), *bad, _message(4)])
        assert await source.loop.run_once(0.0) == 2
        dead = {message.id: message for message in await source.waiting("tasks.dead")}
        assert dead.keys() == {"m-2", "m-3"}
        assert "not JSON" in dead["m-2"].headers[REASON_HEADER]
        assert "priority is 11" in dead["m-3"].headers[REASON_HEADER]
        assert dead["m-2"].body == b"{nope"


async def test_while_the_store_is_away_messages_wait() -> None:
    async with _source() as source:

        async def away() -> None:
            raise StoreUnavailableError("The store is away.")

        source.kit.store.before["submit"] = away
        await source.channel.publish("tasks", [_message(1), _message(2, b"[]")])
        with pytest.raises(StoreUnavailableError):
            await source.loop.run_once(0.0)
        assert await source.tasks() == []
        assert await source.loop.run_once(0.0) == 1
        assert len(await source.waiting("tasks.dead")) == 1


async def test_a_task_that_the_store_cannot_take_does_not_take_the_others_with_it() -> None:
    async with _source() as source:
        submit = source.kit.store.submit

        async def picky(submissions: Any, now: float) -> Any:
            if any(each.task.parameters.get("value") == 2 for each in submissions):
                raise ValueError("not this one")
            return await submit(submissions, now)

        object.__setattr__(source.kit.store, "submit", picky)
        await source.channel.publish("tasks", [_message(number) for number in range(4)])
        assert await source.loop.run_once(0.0) == 3
        (dead,) = await source.waiting("tasks.dead")
        assert dead.headers[REASON_HEADER] == "ValueError: not this one"


async def test_another_leader_goes_on_with_what_was_not_stored() -> None:
    async with _source() as source:
        await source.channel.publish("tasks", [_message(number) for number in range(5)])
        began = asyncio.Event()

        async def hang() -> None:
            began.set()
            await asyncio.get_running_loop().create_future()

        source.kit.store.before["submit"] = hang
        source.loop.start()
        await began.wait()
        await source.loop.stop()
        source.loop = source.loop_of_another_master()
        assert await source.loop.run_once(0.0) == 5


async def test_a_channel_that_fails_for_a_moment_is_asked_again() -> None:
    async with _source() as source:
        await source.channel.publish("tasks", [_message(1)])
        found = source.loop._waiting

        def fail() -> Any:
            source.loop._waiting = found  # type: ignore[method-assign]  # once is enough
            waiting: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
            waiting.set_exception(ChannelError("no group"))
            return waiting

        source.loop._waiting = fail  # type: ignore[method-assign]
        with pytest.raises(ChannelError):
            await source.loop.run_once(0.0)
        assert await source.loop.run_once(0.0) == 1
