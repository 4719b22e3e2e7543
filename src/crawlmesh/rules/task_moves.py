"""The one table of a task's moves, and what every change of a task has in common.

An execution that was asked to stop holds no place any more: its task may be put on other nodes while it
still winds down. Only completion waits for it, because a task is completed when all its executions ended.
"""

from collections.abc import Collection, Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec.structs import replace

from crawlmesh.errors import ConflictError
from crawlmesh.model.change import TaskChange
from crawlmesh.model.event import Event, EventType
from crawlmesh.model.execution import EndedBy, Execution, ExecutionStatus
from crawlmesh.model.task import Task, TaskStatus

_S = TaskStatus

MOVES: Final[Mapping[TaskStatus, frozenset[TaskStatus]]] = MappingProxyType(
    {
        _S.WAITING: frozenset({_S.PENDING, _S.PROCESSING, _S.PAUSED, _S.COMPLETED, _S.CANCELLED}),
        _S.PENDING: frozenset({_S.ASSIGNED, _S.PROCESSING, _S.PAUSED, _S.COMPLETED, _S.CANCELLED}),
        _S.ASSIGNED: frozenset(_S) - {_S.ASSIGNED},
        _S.PROCESSING: frozenset(_S) - {_S.ASSIGNED, _S.PROCESSING},
        _S.PAUSED: frozenset({_S.PENDING, _S.COMPLETED, _S.CANCELLED}),
        _S.COMPLETED: frozenset({_S.PENDING}),
        _S.FAILED: frozenset({_S.PENDING}),
        _S.TIMEOUT: frozenset({_S.PENDING}),
        _S.CANCELLED: frozenset({_S.PENDING}),
    }
)

PLACEABLE: Final = frozenset({_S.PENDING, _S.ASSIGNED, _S.PROCESSING})  # where places may be open


def check_move(task: Task, to: TaskStatus) -> None:
    """Raise `ConflictError` unless the task may move to this status."""
    if to in MOVES[task.status]:
        return
    possible = ", ".join(sorted(MOVES[task.status]))
    raise ConflictError(f"Task {task.id} is {task.status} and cannot become {to}; possible: {possible}.")


def changed(
    task: Task,
    now: float,
    *,
    executions: Iterable[Execution] = (),
    events: Iterable[Event] = (),
    **fields: Any,
) -> TaskChange:
    """A change of the task with these fields; a new status must be one that the table allows."""
    status = fields.get("status", task.status)
    if status is not task.status:
        check_move(task, status)
    after = replace(task, fence=task.fence + 1, updated_at=now, **fields)
    return TaskChange(task=after, executions=tuple(executions), events=tuple(events))


def task_event(kind: EventType, task: Task, now: float, *, node_id: str | None = None, **data: Any) -> Event:
    """An event about a task; its data begins with `task_id`, and `node_id` where there is one."""
    node = {} if node_id is None else {"node_id": node_id}
    return Event(
        type=kind, at=now, task_id=task.id, node_id=node_id, data={"task_id": task.id, **node, **data}
    )


def status_event(task: Task, to: TaskStatus, now: float, **data: Any) -> Event:
    """The event of a status that changed."""
    return task_event(EventType.TASK_STATUS_CHANGED, task, now, status=to, old_status=task.status, **data)


def others(running: Iterable[Execution], than: Collection[Execution]) -> list[Execution]:
    """The running executions but for these."""
    ids = {execution.id for execution in than}
    return [execution for execution in running if execution.id not in ids]


def at_work(executions: Iterable[Execution]) -> list[Execution]:
    """Those that were not asked to stop: each holds a place."""
    return [execution for execution in executions if execution.stop is None]


def stopping(executions: Iterable[Execution], reason: EndedBy) -> list[Execution]:
    """The executions, asked to stop for this reason."""
    return [replace(execution, stop=reason) for execution in executions]


def ended(execution: Execution, by: EndedBy, now: float, **fields: Any) -> Execution:
    """The execution after its end."""
    failed = by in {EndedBy.ERROR, EndedBy.TIMEOUT, EndedBy.NODE_LOST}
    status = ExecutionStatus.FAILED if failed else ExecutionStatus.COMPLETED
    return replace(execution, status=status, ended_by=by, end_time=now, **fields)
