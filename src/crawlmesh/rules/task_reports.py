"""What nodes tell of a task, or what their silence tells."""

from collections.abc import Sequence

from msgspec.structs import replace

from crawlmesh.model.change import TaskChange
from crawlmesh.model.event import EventType
from crawlmesh.model.execution import EndedBy, Execution
from crawlmesh.model.task import Task, TaskResult, TaskStatus
from crawlmesh.protocol.node_messages import ExecutionReport
from crawlmesh.rules.task_endings import (
    RetryOptions,
    done,
    failed_event,
    given_up,
    reopened,
    tried_again,
)
from crawlmesh.rules.task_moves import PLACEABLE, at_work, changed, ended, others, task_event

BEGUN = "begun_at"  # among the metrics of a go, until a report brings others
_HELD_ITS_PLACE = frozenset({None, EndedBy.RELEASED, EndedBy.FINISHED})  # by `Execution.stop`


def started(task: Task, execution: Execution, now: float) -> TaskChange:
    """A node began. Only an assigned task moves, and only for an execution that shall go on."""
    if task.status is not TaskStatus.ASSIGNED or execution.stop is not None:
        return changed(task, now)
    first = now if task.started_at is None else task.started_at
    return changed(task, now, status=TaskStatus.PROCESSING, started_at=first)


def begun(task: Task, execution: Execution, now: float) -> TaskChange:
    """A device said that it began: beside the task, its own go is marked, as several may be under way."""
    marked = replace(execution, metrics={**execution.metrics, BEGUN: now})
    change = started(task, execution, now)
    return replace(change, executions=(*change.executions, marked))


def is_begun(execution: Execution) -> bool:
    """Whether the device of this go said that it began."""
    return BEGUN in execution.metrics


def reported(
    task: Task,
    execution: Execution,
    report: ExecutionReport,
    running: Sequence[Execution],
    now: float,
    options: RetryOptions,
    jitter: float,
    crawl_finished: bool | None,
) -> TaskChange:
    """A node told how its go ended. `crawl_finished` is None where the task has no crawl.

    A go that fails while others work on the task leaves its share to them and its place closed,
    unless no retry can help: then the whole task fails.
    """
    gone = [_ended_as_told(execution, report, now)]
    left = others(running, gone)
    if _is_done(execution, report, crawl_finished):
        return done(task, gone, left, now, _final_result(execution, report, left, crawl_finished))
    if task.status not in PLACEABLE or execution.stop not in _HELD_ITS_PLACE:
        return changed(task, now, executions=gone)
    if report.outcome == "failed" and execution.stop is None:
        return _failed(task, gone[0], report, left, now, options, jitter)
    return reopened(task, gone, left, now)


def lost(
    task: Task,
    executions_on_node: Sequence[Execution],
    running: Sequence[Execution],
    now: float,
    max_losses: int,
    *,
    by: EndedBy = EndedBy.NODE_LOST,
) -> TaskChange:
    """A node went silent, or began anew (`by` RELEASED): what it had is done by others.

    A task that was on more than `max_losses` lost nodes may be what kills them, so it fails.
    """
    gone = [ended(execution, by, now) for execution in executions_on_node]
    left = others(running, gone)
    if any(execution.stop is EndedBy.FINISHED for execution in executions_on_node):
        return done(task, gone, left, now)
    places = sum(execution.stop in _HELD_ITS_PLACE for execution in executions_on_node)
    if task.status not in PLACEABLE or not places:
        return changed(task, now, executions=gone)
    if not at_work(executions_on_node):
        return reopened(task, gone, left, now, places=places)
    node_id = executions_on_node[0].node_id
    if task.losses + 1 > max_losses:
        return _lost_too_often(task, gone, left, now, node_id)
    event = task_event(EventType.TASK_REASSIGN, task, now, node_id=node_id)
    return reopened(task, gone, left, now, places=places, events=[event], losses=task.losses + 1)


def timed_out(
    task: Task,
    execution: Execution,
    running: Sequence[Execution],
    now: float,
    options: RetryOptions,
    jitter: float,
) -> TaskChange:
    """A go took longer than it may. The last one at work decides what becomes of the task."""
    why = f"It timed out on node {execution.node_id} after {now - execution.start_time:.0f} seconds."
    result = TaskResult(success=False, error=why, timestamp=now)
    gone = [ended(execution, EndedBy.TIMEOUT, now, result=result)]
    left = others(running, gone)
    if execution.stop is EndedBy.FINISHED:
        return done(task, gone, left, now)
    if task.status not in PLACEABLE or execution.stop not in _HELD_ITS_PLACE:
        return changed(task, now, executions=gone)
    if execution.stop is EndedBy.RELEASED:
        return reopened(task, gone, left, now)
    again = not at_work(left) and task.retry_count < task.max_retries
    count = task.retry_count + again
    event = task_event(EventType.TASK_TIMEOUT, task, now, node_id=execution.node_id, retry_count=count)
    if again:
        return tried_again(task, gone, now, options, jitter, why=why, events=[event])
    if at_work(left):
        return changed(task, now, executions=gone, events=[event])
    return given_up(
        task, gone, left, now, status=TaskStatus.TIMEOUT, result=result, reason=why, events=[event]
    )


def _is_done(execution: Execution, report: ExecutionReport, crawl_finished: bool | None) -> bool:
    if crawl_finished is False:
        return False
    # A go that stopped or failed may have done so before its crawl had any link, which looks finished too.
    return report.outcome == "completed" or execution.stop is EndedBy.FINISHED


def _final_result(
    execution: Execution, report: ExecutionReport, left: Sequence[Execution], crawl_finished: bool | None
) -> TaskResult | None:
    """The result of a task is that of the go that finished it; what one node of a crawl says is none."""
    if execution.stop is EndedBy.FINISHED or (crawl_finished and left):
        return None
    return report.result


def _ended_as_told(execution: Execution, report: ExecutionReport, now: float) -> Execution:
    if report.outcome == "completed":
        by = EndedBy.FINISHED
    elif report.outcome == "failed":
        by = EndedBy.ERROR
    else:
        by = execution.stop or EndedBy.RELEASED
    metrics = execution.metrics if report.result is None else report.result.metrics
    return ended(execution, by, now, result=report.result, metrics=metrics)


def _failed(
    task: Task,
    gone: Execution,
    report: ExecutionReport,
    left: Sequence[Execution],
    now: float,
    options: RetryOptions,
    jitter: float,
) -> TaskChange:
    error = (report.result.error if report.result else None) or "no error was told"
    why = f"It failed on node {gone.node_id}: {error.rstrip('.')}."
    if report.retry and at_work(left):
        return changed(task, now, executions=[gone], reason=f"{why} The other nodes go on.")
    if report.retry and task.retry_count < task.max_retries:
        return tried_again(task, [gone], now, options, jitter, why=why)
    result = replace(report.result or TaskResult(success=False, timestamp=now), success=False, error=error)
    event = failed_event(task, gone.node_id, result, now)
    return given_up(
        task, [gone], left, now, status=TaskStatus.FAILED, result=result, reason=why, events=[event]
    )


def _lost_too_often(
    task: Task, gone: Sequence[Execution], left: Sequence[Execution], now: float, node_id: str
) -> TaskChange:
    why = f"{task.losses + 1} nodes were lost while they worked on it, so it may be what kills them."
    result = TaskResult(success=False, error=why, timestamp=now)
    change = given_up(
        task,
        gone,
        left,
        now,
        status=TaskStatus.FAILED,
        result=result,
        reason=why,
        events=[failed_event(task, node_id, result, now)],
    )
    return replace(change, task=replace(change.task, losses=task.losses + 1))
