"""What the scheduler and users do with a task."""

from collections.abc import Sequence

from msgspec.structs import replace

from crawlmesh.errors import ConflictError, InvalidError
from crawlmesh.model.change import TaskChange
from crawlmesh.model.event import EventType
from crawlmesh.model.execution import EndedBy, Execution
from crawlmesh.model.task import Task, TaskResult, TaskStatus
from crawlmesh.rules.event_data import task_info
from crawlmesh.rules.task_endings import done, reopened
from crawlmesh.rules.task_moves import (
    PLACEABLE,
    at_work,
    changed,
    check_move,
    others,
    status_event,
    stopping,
    task_event,
)

LOWEST_PRIORITY = 1
HIGHEST_PRIORITY = 10


def placed(task: Task, execution: Execution, now: float) -> TaskChange:
    """A node was chosen; the new execution gets the fence that the task has from now on."""
    if task.status not in PLACEABLE or task.open_places < 1:
        raise ConflictError(f"Task {task.id} is {task.status} and has no open place.")
    status = TaskStatus.ASSIGNED if task.status is TaskStatus.PENDING else task.status
    event = task_event(
        EventType.TASK_ASSIGNED,
        task,
        now,
        node_id=execution.node_id,
        execution_id=execution.id,
        strategy=execution.strategy,
        choice=execution.choice,
        task_info=task_info(task) | {"status": status},
    )
    return changed(
        task,
        now,
        executions=[replace(execution, fence=task.fence + 1)],
        events=[event],
        status=status,
        open_places=task.open_places - 1,
        assigned_node=execution.node_id,
        assigned_at=now,
        reason=None,
    )


def released(
    task: Task, executions: Sequence[Execution], running: Sequence[Execution], now: float
) -> TaskChange:
    """Their node shall hand them over: they are told to stop, and their places are open at once."""
    told = stopping(at_work(executions), EndedBy.RELEASED)
    if task.status not in PLACEABLE or not told:
        return changed(task, now, executions=told)
    return reopened(task, told, others(running, told), now, places=len(told))


def moved(task: Task, old: Execution, new: Execution, running: Sequence[Execution], now: float) -> TaskChange:
    """A task that nobody has begun goes from one node to another."""
    freed = released(task, [old], running, now)
    change = placed(replace(freed.task, fence=task.fence), new, now)
    return replace(
        change,
        executions=(*freed.executions, *change.executions),
        events=(*freed.events, *change.events),
    )


def finished(
    task: Task, running: Sequence[Execution], now: float, result: TaskResult | None = None
) -> TaskChange:
    """Its crawl was found to have nothing left: completed, or as soon as what runs has ended."""
    return done(task, [], running, now, result)


def woken(task: Task, now: float) -> TaskChange:
    """The time of a waiting task has come."""
    if task.status is not TaskStatus.WAITING:
        raise ConflictError(f"Task {task.id} is {task.status}, not waiting.")
    return changed(task, now, status=TaskStatus.PENDING, open_places=task.max_nodes, not_before=0.0)


def paused(task: Task, running: Sequence[Execution], now: float) -> TaskChange:
    """It rests until it is resumed; nodes that work on it are told to stop."""
    check_move(task, TaskStatus.PAUSED)
    return changed(
        task,
        now,
        executions=stopping(at_work(running), EndedBy.PAUSED),
        events=[status_event(task, TaskStatus.PAUSED, now)],
        status=TaskStatus.PAUSED,
        open_places=0,
        not_before=0.0,
        reason=None,
    )


def resumed(task: Task, running: Sequence[Execution], now: float) -> TaskChange:
    """A paused task goes on. What still runs of it was told to stop and ends by itself."""
    if task.status is not TaskStatus.PAUSED:
        raise ConflictError(f"Task {task.id} is {task.status}; only a paused task can be resumed.")
    return _pending_again(task, running, now)


def cancelled(task: Task, running: Sequence[Execution], now: float) -> TaskChange:
    """It ends here; nodes that work on it are told to stop."""
    check_move(task, TaskStatus.CANCELLED)
    told = stopping((one for one in running if one.stop is not EndedBy.CANCELLED), EndedBy.CANCELLED)
    return changed(
        task,
        now,
        executions=told,
        events=[status_event(task, TaskStatus.CANCELLED, now)],
        status=TaskStatus.CANCELLED,
        open_places=0,
        not_before=0.0,
        completed_at=now,
        reason=None,
    )


def retried(task: Task, running: Sequence[Execution], now: float) -> TaskChange:
    """An ended task begins again, with all its retries."""
    if not task.ended:
        raise ConflictError(f"Task {task.id} is {task.status}; only an ended task can be retried.")
    change = _pending_again(task, running, now)
    fresh = replace(
        change.task, retry_count=0, losses=0, started_at=None, completed_at=None, result=None, not_before=0.0
    )
    return replace(change, task=fresh)


def reprioritized(task: Task, priority: int, now: float) -> TaskChange:
    """It gets another priority; what runs is not touched."""
    if not LOWEST_PRIORITY <= priority <= HIGHEST_PRIORITY:
        raise InvalidError(
            f"The priority {priority} is not in {LOWEST_PRIORITY} … {HIGHEST_PRIORITY}.", "priority"
        )
    if task.ended:
        raise ConflictError(f"Task {task.id} is {task.status}; a priority means nothing to it any more.")
    return changed(task, now, priority=priority)


def _pending_again(task: Task, running: Sequence[Execution], now: float) -> TaskChange:
    return changed(
        task,
        now,
        executions=stopping(at_work(running), EndedBy.RELEASED),
        events=[status_event(task, TaskStatus.PENDING, now)],
        status=TaskStatus.PENDING,
        open_places=task.max_nodes,
        reason=None,
    )
