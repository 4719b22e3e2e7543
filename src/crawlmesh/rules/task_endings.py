"""What becomes of a task when executions have ended: done, tried again, given up, or placed anew."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from crawlmesh.model.change import TaskChange
from crawlmesh.model.event import Event, EventType
from crawlmesh.model.execution import EndedBy, Execution
from crawlmesh.model.task import Task, TaskResult, TaskStatus
from crawlmesh.rules.event_data import result_data
from crawlmesh.rules.retry_delay import retry_delay
from crawlmesh.rules.task_moves import at_work, changed, status_event, stopping, task_event


class RetryOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How long a task waits before it is tried again: exponential with full jitter."""

    base: float = 5.0  # seconds, at most, before the first retry
    cap: float = 600.0  # seconds


def done(
    task: Task,
    gone: Sequence[Execution],
    left: Sequence[Execution],
    now: float,
    result: TaskResult | None = None,
) -> TaskChange:
    """Nothing is left to do: completed where no execution is left either, else those are told to end.

    A result that is given before the last one ended is kept for the end.
    """
    if task.ended:
        return changed(task, now, executions=gone)
    result = result or task.result
    if left:
        told = stopping((one for one in left if one.stop is not EndedBy.FINISHED), EndedBy.FINISHED)
        status = task.status if task.status is TaskStatus.PAUSED else TaskStatus.PROCESSING
        return changed(
            task,
            now,
            executions=[*gone, *told],
            status=status,
            open_places=0,
            not_before=0.0,
            result=result,
            reason=None,
        )
    node_id = gone[-1].node_id if gone else task.assigned_node
    final = result or TaskResult(success=True, timestamp=now)
    event = task_event(EventType.TASK_COMPLETED, task, now, node_id=node_id, result=result_data(final))
    return changed(
        task,
        now,
        executions=gone,
        events=[event],
        status=TaskStatus.COMPLETED,
        open_places=0,
        not_before=0.0,
        completed_at=now,
        result=final,
        reason=None,
    )


def reopened(
    task: Task,
    gone: Sequence[Execution],
    left: Sequence[Execution],
    now: float,
    *,
    places: int = 1,
    events: Iterable[Event] = (),
    **fields: Any,
) -> TaskChange:
    """The places of the executions that are gone are open again; pending where nobody works on it."""
    working = len(at_work(left))
    if not working:
        fields |= {"status": TaskStatus.PENDING, "open_places": task.max_nodes}
    else:
        fields |= {"open_places": max(0, min(task.open_places + places, task.max_nodes - working))}
    return changed(task, now, executions=gone, events=events, **fields)


def tried_again(
    task: Task,
    gone: Sequence[Execution],
    now: float,
    options: RetryOptions,
    jitter: float,
    *,
    why: str,
    events: Iterable[Event] = (),
) -> TaskChange:
    """Wait, then try again."""
    attempt = task.retry_count + 1
    delay = retry_delay(attempt, options.base, options.cap, jitter)
    reason = f"{why} Retry {attempt} of {task.max_retries} follows."
    event = status_event(task, TaskStatus.WAITING, now, retry_count=attempt, reason=reason)
    return changed(
        task,
        now,
        executions=gone,
        events=[*events, event],
        status=TaskStatus.WAITING,
        open_places=0,
        not_before=now + delay,
        retry_count=attempt,
        reason=reason,
    )


def given_up(
    task: Task,
    gone: Sequence[Execution],
    left: Sequence[Execution],
    now: float,
    *,
    status: TaskStatus,
    result: TaskResult,
    reason: str,
    events: Iterable[Event] = (),
) -> TaskChange:
    """A dead letter: failed or timed out for good. What still runs is told to end."""
    return changed(
        task,
        now,
        executions=[*gone, *stopping(at_work(left), EndedBy.RELEASED)],
        events=events,
        status=status,
        open_places=0,
        not_before=0.0,
        completed_at=now,
        result=result,
        reason=reason,
    )


def failed_event(task: Task, node_id: str, result: TaskResult, now: float) -> Event:
    """The event of a task that failed for good."""
    return task_event(EventType.TASK_FAILED, task, now, node_id=node_id, result=result_data(result))
