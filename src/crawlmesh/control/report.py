"""A node reports executions that ended."""

from crawlmesh.control.changing import Candidate, change_by_execution
from crawlmesh.control.context import ControlContext
from crawlmesh.control.crawl_state import crawl_progress, is_finished
from crawlmesh.control.merge_result import with_merged_result
from crawlmesh.control.sessions import node_in_session
from crawlmesh.model.change import TaskChange
from crawlmesh.model.execution import EndedBy
from crawlmesh.model.task import WEB_CRAWL
from crawlmesh.protocol.node_messages import ExecutionReport, ReportAnswer, ReportMessage
from crawlmesh.rules import task_lifecycle


async def report(context: ControlContext, node_id: str, message: ReportMessage) -> ReportAnswer:
    """Settle the reports, each for itself; one whose execution does not run under its fence leaves no trace.

    Raises NotFoundError and StaleSessionError; ConflictError where it has to be sent again.
    """
    await node_in_session(context, node_id, message.session)
    reports = {each.execution_id: each for each in message.reports}

    async def decide(candidates: list[Candidate]) -> list[TaskChange | None]:
        return [
            await _decided(context, node_id, candidate, reports[candidate.execution.id])
            for candidate in candidates
        ]

    taken = await change_by_execution(context, reports, decide)
    return ReportAnswer(
        taken=tuple(
            each.execution_id in taken and reports[each.execution_id] is each for each in message.reports
        )
    )


async def _decided(
    context: ControlContext, node_id: str, candidate: Candidate, told: ExecutionReport
) -> TaskChange | None:
    execution = candidate.execution
    if execution.node_id != node_id or execution.fence != told.fence:
        return None
    if candidate.task.task_type != WEB_CRAWL:
        return settled(context, candidate, told, None)
    return await settled_crawl(context, candidate, told)


async def settled_crawl(context: ControlContext, candidate: Candidate, told: ExecutionReport) -> TaskChange:
    """What a report makes of a crawl: it is done when the store says so, not when a node does.

    A device may crawl by means of its own (S4). Then the store knows no crawl, and its word counts.
    """
    finished: bool | None = False
    if told.outcome == "completed" or candidate.execution.stop is EndedBy.FINISHED:
        progress = await crawl_progress(context, candidate.task.id)
        finished = None if progress is None else is_finished(candidate.task, progress)
    return await with_merged_result(context, settled(context, candidate, told, finished))


def settled(
    context: ControlContext, candidate: Candidate, told: ExecutionReport, crawl_finished: bool | None
) -> TaskChange:
    """What a report makes of a task."""
    execution, task, running = candidate
    return task_lifecycle.reported(
        task,
        execution,
        told,
        running,
        context.clock.now(),
        context.options.retry,
        context.jitter(),
        crawl_finished,
    )
