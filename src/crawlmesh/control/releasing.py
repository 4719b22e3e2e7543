"""Take the running executions of a node away from it."""

import logging
from collections.abc import Iterable

from crawlmesh.control.changing import Candidate, LeaderFence, change_by_execution, nobody_leads
from crawlmesh.control.context import ControlContext
from crawlmesh.control.merge_result import with_merged_result
from crawlmesh.control.report import settled, settled_crawl
from crawlmesh.model.change import TaskChange
from crawlmesh.model.node import Node
from crawlmesh.model.task import WEB_CRAWL
from crawlmesh.protocol.node_messages import ExecutionReport
from crawlmesh.rules import task_lifecycle

_log = logging.getLogger("crawlmesh.RECOVER")


async def lose_executions(
    context: ControlContext, execution_ids: Iterable[str], fence: LeaderFence = nobody_leads
) -> int:
    """The node of these is lost: their tasks are pending again, and lost once more. Returns how many."""

    async def decide(candidates: list[Candidate]) -> list[TaskChange | None]:
        now = context.clock.now()
        most = context.options.max_losses
        changes = [
            task_lifecycle.lost(task, (execution,), running, now, most)
            for execution, task, running in candidates
        ]
        return [await with_merged_result(context, change) for change in changes]

    taken = await change_by_execution(context, execution_ids, decide, fence)
    _tell("executions lost with their node", len(taken))
    return len(taken)


async def release_executions(context: ControlContext, execution_ids: Iterable[str]) -> int:
    """The node gave these up in order: their tasks are pending again, and it counts as no loss."""

    async def decide(candidates: list[Candidate]) -> list[TaskChange | None]:
        return [await _given_up(context, candidate) for candidate in candidates]

    taken = await change_by_execution(context, execution_ids, decide)
    _tell("executions released by their node", len(taken))
    return len(taken)


async def lose_work(context: ControlContext, node: Node, fence: LeaderFence = nobody_leads) -> int:
    """Everything that runs on a node is lost.

    Its leases of hosts run out by themselves: a node that is silent may only be cut off, and go on fetching
    under them for as long as they last.
    """
    running = await context.store.node_assignments(node.id)
    return await lose_executions(context, [assignment.execution.id for assignment in running], fence)


async def release_work(context: ControlContext, node: Node) -> int:
    """Everything that runs on a node is given up in order; its leases of hosts run out by themselves."""
    running = await context.store.node_assignments(node.id)
    return await release_executions(context, [assignment.execution.id for assignment in running])


def _tell(message: str, number: int) -> None:
    if number:
        _log.info("%s: %d; their tasks go on elsewhere", message, number)


async def _given_up(context: ControlContext, candidate: Candidate) -> TaskChange:
    execution = candidate.execution
    told = ExecutionReport(execution_id=execution.id, fence=execution.fence, outcome="stopped")
    if candidate.task.task_type == WEB_CRAWL:
        return await settled_crawl(context, candidate, told)
    return settled(context, candidate, told, None)
