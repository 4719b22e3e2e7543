import asyncio
from typing import Any

import pytest

from crawlmesh.adapters.memory.task_channel import MemoryTaskChannel
from crawlmesh.control.assign_task import assign_task
from crawlmesh.control.remove_node import remove_node
from crawlmesh.control.steer_tasks import cancel_task
from crawlmesh.errors import ChannelError
from crawlmesh.model.task import TaskStatus
from tests.unit.control.channel_kit import ChannelKit

_SOON = 10.0  # seconds; a test that needs them fails


async def test_placed_work_is_published_as_a_pull_would_bring_it() -> None:
    kit = ChannelKit()
    async with kit.publishing():
        node = await kit.join_channel()
        tasks = await kit.submit(3, priority=8)
        await kit.place()
        come = await kit.come()
        assert {each.task.id for each in come} == {task.id for task in tasks}
        pulled = (await kit.pull(node)).assignments
        assert {each.execution.id: each for each in come} == {each.execution.id: each for each in pulled}


async def test_a_node_without_a_channel_gets_its_work_by_pulls_alone() -> None:
    kit = ChannelKit()
    async with kit.publishing():
        old = await kit.join("old")
        await kit.submit(1)
        await kit.place()
        assert len((await kit.pull(old)).assignments) == 1


async def test_work_that_was_assigned_by_hand_is_published_too() -> None:
    kit = ChannelKit()
    async with kit.publishing():
        await kit.join_channel()
        [task] = await kit.submit()
        await assign_task(kit.context, task.id, "a")
        assert [each.task.id for each in await kit.come()] == [task.id]


async def test_the_pull_leaves_young_work_to_the_channel() -> None:
    kit = ChannelKit(channel_grace=5.0)
    async with kit.publishing():
        node = await kit.join_channel()
        await kit.submit()
        await kit.place()
        assert (await kit.pull(node, channel=True)).assignments == ()
        assert len((await kit.pull(node)).assignments) == 1
        kit.clock.advance(5.0)
        assert len((await kit.pull(node, channel=True)).assignments) == 1


async def test_a_poll_is_answered_soon_so_that_the_node_can_tell_what_has_come(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kit = ChannelKit()
    async with kit.publishing():
        node = await kit.join_channel()
        await kit.pull(node, channel=True)
        await kit.submit()
        await kit.place()
        begun = kit.clock.monotonic()
        monkeypatch.setattr(kit.context.store, "wait", kit.pass_time)
        assert (await kit.pull(node, channel=True, wait=50.0)).assignments == ()
        assert kit.clock.monotonic() - begun < 1.0


async def test_a_task_that_is_cancelled_while_it_is_under_way_is_not_taken_for_unknown_at_once() -> None:
    kit = ChannelKit(channel_grace=5.0)
    async with kit.publishing():
        node = await kit.join_channel()
        [task] = await kit.submit()
        await kit.place()
        [assignment] = await kit.come()
        await cancel_task(kit.context, task.id)
        await kit.pull(node, channel=True)
        [execution] = await kit.executions(task.id)
        assert execution.ended_by is None
        known = (assignment.execution.id,)
        assert [each.execution_id for each in (await kit.pull(node, channel=True, known=known)).stop] == [
            assignment.execution.id
        ]
        kit.clock.advance(5.0)
        await kit.pull(node, channel=True)
        [execution] = await kit.executions(task.id)
        assert execution.ended_by is not None
        assert (await kit.task(task.id)).status is TaskStatus.CANCELLED


async def test_a_node_that_is_removed_takes_its_place_with_it() -> None:
    removed: list[str] = []
    twice = asyncio.Event()

    class Watched(MemoryTaskChannel):
        async def remove(self, place: str) -> None:
            removed.append(place)
            if len(removed) == 2:
                twice.set()
            if len(removed) == 1:
                raise ChannelError("away for a moment")
            await super().remove(place)

    kit = ChannelKit(Watched())
    async with kit.publishing():
        await kit.join_channel()
        await remove_node(kit.context, "a")
        async with asyncio.timeout(_SOON):
            await twice.wait()
    assert removed == ["assignments.a"] * 2


async def test_while_the_broker_is_away_nothing_fails_and_nothing_grows() -> None:
    tried = asyncio.Event()

    class Away(MemoryTaskChannel):
        async def publish(self, *_: Any) -> None:
            tried.set()
            raise ChannelError("away")

    kit = ChannelKit(Away())
    async with kit.publishing():
        node = await kit.join_channel()
        await kit.submit()
        await kit.place()
        async with asyncio.timeout(_SOON):
            await tried.wait()
        assert len((await kit.pull(node, channel=False)).assignments) == 1
