"""A node asks for work, and waits for it."""

from collections.abc import Sequence
from typing import NamedTuple

from crawlmesh.control.changing import Candidate, change_by_execution
from crawlmesh.control.context import ControlContext
from crawlmesh.control.heartbeat import revive
from crawlmesh.control.ids import moment_of
from crawlmesh.control.node_steps import set_offline
from crawlmesh.control.releasing import release_executions
from crawlmesh.control.sessions import node_in_session
from crawlmesh.model.change import TaskChange
from crawlmesh.model.execution import Execution, ExecutionStatus, RunningExecution
from crawlmesh.model.node import Node, NodeStatus
from crawlmesh.model.task import Task, TaskStatus
from crawlmesh.protocol.node_messages import PullAnswer, PullMessage, StopOrder
from crawlmesh.rules import task_lifecycle

_STOP_ORDER_PAUSE = 1.0  # seconds until an order that is not yet obeyed is worth an answer of its own again
_CHANNEL_PAUSE = 0.25  # seconds until a node to which work is under way is asked what of it has come
_GONE_PAUSE = 1.0  # seconds that news of what is over may wait: mostly the node ended it itself


class _View(NamedTuple):
    """A node and what runs on it, at one moment."""

    node: Node
    running: Sequence[RunningExecution]


async def pull(context: ControlContext, node_id: str, message: PullMessage) -> PullAnswer:
    """Work that the node does not know of, what it shall stop, and what is no longer its own.

    Answers as soon as there is any of it, or after `message.wait` seconds. Raises NotFoundError and
    StaleSessionError.
    """
    clock = context.clock
    topic = f"node:{node_id}"
    begun = clock.monotonic()
    until = begun + min(max(message.wait, 0.0), context.options.longest_pull)
    while True:
        seen = context.store.mark(topic)
        view = await _look(context, node_id, message)
        if view is None:
            continue  # what was just changed is read again, under a mark that knows of it
        under_way = _under_way(context, message, view.running)
        answer = await _answer(context, message, view, under_way)
        now = clock.monotonic()
        if now >= until or _is_urgent(context, node_id, answer, now - begun):
            _remember(context, node_id, answer)
            return answer
        if under_way:
            until = min(until, now + _CHANNEL_PAUSE)
        pause = until - now
        if answer.stop or answer.gone:
            pause = min(pause, _STOP_ORDER_PAUSE, _GONE_PAUSE)
        await context.store.wait(topic, seen, pause)


async def _look(context: ControlContext, node_id: str, message: PullMessage) -> _View | None:
    """What there is for the node; None where looking at it led to a change."""
    node = await node_in_session(context, node_id, message.session)
    if node.status is NodeStatus.UNRESPONSIVE:
        node = await revive(context, node_id, message.session, context.clock.now())
    running = await context.store.node_executions(node_id)
    if await _begin(context, message, running) or await _end_unknown(context, message, running):
        return None
    if node.status is NodeStatus.DRAINING and not running:
        node = await set_offline(context, node_id)
    return _View(node, running)


async def _begin(context: ControlContext, message: PullMessage, running: Sequence[RunningExecution]) -> bool:
    """Mark what the node has begun. Returns whether there was something to mark."""
    if not message.started:
        return False
    told = set(message.started)
    begun = [each.id for each in running if each.id in told and each.stop is None]

    async def decide(candidates: list[Candidate]) -> list[TaskChange | None]:
        now = context.clock.now()
        return [
            task_lifecycle.started(task, execution, now) if _may_begin(execution, task) else None
            for execution, task, _ in candidates
        ]

    return bool(begun) and bool(await change_by_execution(context, begun, decide))


def _may_begin(execution: Execution, task: Task) -> bool:
    return task.status is TaskStatus.ASSIGNED and execution.stop is None


async def _end_unknown(
    context: ControlContext, message: PullMessage, running: Sequence[RunningExecution]
) -> bool:
    """End what shall stop and never came to the node. Returns whether there was any."""
    known = {*message.known, *_under_way(context, message, running)}
    unknown = [each.id for each in running if each.stop is not None and each.id not in known]
    return bool(unknown) and bool(await release_executions(context, unknown))


def _under_way(
    context: ControlContext, message: PullMessage, running: Sequence[RunningExecution]
) -> set[str]:
    """What the node does not know, but should have from the task channel any moment."""
    if not message.channel or context.task_channel is None:
        return set()
    known = set(message.known)
    now, grace = context.clock.now(), context.options.channel_grace
    return {each.id for each in running if each.id not in known and 0 <= now - moment_of(each.id) < grace}


async def _answer(
    context: ControlContext, message: PullMessage, view: _View, under_way: set[str]
) -> PullAnswer:
    known = {*message.known, *under_way}
    own = {each.id for each in view.running}
    new = [each.id for each in view.running if each.id not in known]
    assignments = await context.store.assignments(new) if new else []
    return PullAnswer(
        assignments=tuple(each for each in assignments if each.execution.status is ExecutionStatus.RUNNING),
        stop=tuple(StopOrder(each.id, each.stop) for each in view.running if each.stop is not None),
        gone=tuple(execution_id for execution_id in message.known if execution_id not in own),
        status=view.node.status.value,
    )


def _is_urgent(context: ControlContext, node_id: str, answer: PullAnswer, waited: float) -> bool:
    """Whether the node should hear it now. What it has heard of already does not have to hurry again."""
    if answer.assignments or (answer.gone and waited >= _GONE_PAUSE):
        return True
    remembered = context.remembered
    if answer.status != remembered.status_told(node_id):
        return True
    last = context.clock.monotonic() - _STOP_ORDER_PAUSE
    return any(remembered.stop_ordered(order.execution_id) <= last for order in answer.stop)


def _remember(context: ControlContext, node_id: str, answer: PullAnswer) -> None:
    moment = context.clock.monotonic()
    context.remembered.keep_status_told(node_id, answer.status)
    for order in answer.stop:
        context.remembered.keep_stop_order(order.execution_id, moment)
