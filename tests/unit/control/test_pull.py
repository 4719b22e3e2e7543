import asyncio

import pytest

from crawlmesh.control.drain_node import drain_node
from crawlmesh.control.steer_tasks import cancel_task
from crawlmesh.errors import NotFoundError, StaleSessionError
from crawlmesh.model.execution import EndedBy
from crawlmesh.model.node import NodeStatus
from crawlmesh.model.task import TaskStatus
from crawlmesh.protocol.node_messages import PullAnswer, Registered
from tests.unit.control.kit import ControlKit

_FOREVER = 1e6  # seconds that a poll waits where nothing wakes it
_SOON = 10.0  # seconds; a test that needs them fails


async def test_work_is_given_again_until_the_node_knows_it() -> None:
    kit = ControlKit()
    node = await kit.join()
    await kit.submit()
    await kit.place()
    [first] = (await kit.pull(node)).assignments
    [again] = (await kit.pull(node)).assignments
    assert again == first
    assert (await kit.pull(node, known=(first.execution.id,))).assignments == ()


async def test_what_has_begun_is_processing() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit()
    await kit.place()
    [assignment] = (await kit.pull(node)).assignments
    assert (await kit.task(task.id)).status is TaskStatus.ASSIGNED
    known = (assignment.execution.id,)
    await kit.pull(node, known=known, started=known)
    assert (await kit.task(task.id)).status is TaskStatus.PROCESSING
    kit.store.calls.clear()
    await kit.pull(node, known=known, started=known)
    assert "change_tasks" not in kit.store.calls


async def test_what_is_not_its_own_is_gone() -> None:
    kit = ControlKit()
    node = await kit.join()
    assert (await kit.pull(node, known=("exec-none",))).gone == ("exec-none",)


async def test_an_execution_that_shall_stop_before_it_came_to_the_node_ends_at_once() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit()
    await kit.place()
    await cancel_task(kit.context, task.id)
    answer = await kit.pull(node)
    assert (answer.assignments, answer.stop) == ((), ())
    assert [each.ended_by for each in await kit.executions(task.id)] == [EndedBy.CANCELLED]


async def _waiting(
    kit: ControlKit, node: Registered, *known: str, wait: float = 25.0
) -> "asyncio.Task[PullAnswer]":
    """A long poll that is known to wait."""
    waits = asyncio.Event()

    async def note() -> None:
        waits.set()

    kit.store.before["wait"] = note
    poll = asyncio.create_task(kit.pull(node, wait=wait, known=known))
    await waits.wait()
    return poll


async def test_a_long_poll_is_answered_as_soon_as_there_is_work() -> None:
    kit = ControlKit()
    node = await kit.join()
    poll = await _waiting(kit, node)
    await kit.submit()
    await kit.place()
    assert len((await poll).assignments) == 1


async def test_a_stop_order_is_told_at_once_and_then_not_over_and_over() -> None:
    kit = ControlKit()
    node = await kit.join()
    [task] = await kit.submit()
    await kit.place()
    [assignment] = (await kit.pull(node)).assignments
    poll = await _waiting(kit, node, assignment.execution.id)
    await cancel_task(kit.context, task.id)
    [order] = (await poll).stop
    assert order.reason is EndedBy.CANCELLED
    second = await _waiting(kit, node, assignment.execution.id)  # it waits, though the order still holds
    await kit.submit()
    await kit.place()
    answer = await second
    assert len(answer.stop) == len(answer.assignments) == 1


async def test_a_drain_is_told_at_once_and_then_not_over_and_over() -> None:
    kit = ControlKit(longest_pull=_FOREVER)
    node = await kit.join()
    await kit.submit()
    await kit.place()
    [assignment] = (await kit.pull(node)).assignments
    poll = await _waiting(kit, node, assignment.execution.id, wait=_FOREVER)
    await drain_node(kit.context, "a")
    assert (await asyncio.wait_for(poll, _SOON)).status == "draining"
    second = await _waiting(kit, node, assignment.execution.id)
    second.cancel()


async def test_a_node_without_work_is_told_at_once_that_it_is_drained() -> None:
    kit = ControlKit(longest_pull=_FOREVER)
    node = await kit.join()
    poll = await _waiting(kit, node, wait=_FOREVER)
    await drain_node(kit.context, "a")
    assert (await asyncio.wait_for(poll, _SOON)).status == "offline"
    assert (await kit.node("a")).status is NodeStatus.OFFLINE


async def test_only_the_latest_session_of_a_known_node_gets_work() -> None:
    kit = ControlKit()
    node = await kit.join()
    await kit.join()
    with pytest.raises(StaleSessionError):
        await kit.pull(node)
    with pytest.raises(NotFoundError):
        await kit.pull(
            Registered(**{**{f: getattr(node, f) for f in node.__struct_fields__}, "node_id": "b"})
        )
