"""Changing tasks and their executions by compare-and-set."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from crawlmesh.adapters.sqlite.control.leading import check_leader
from crawlmesh.adapters.sqlite.control.rows import (
    EXECUTION,
    EXECUTION_STATE,
    TASK_STATE,
    execution_row,
    execution_state_row,
    names,
    task_state_row,
)
from crawlmesh.adapters.sqlite.control.session import Session, json_list
from crawlmesh.adapters.sqlite.control.statements import insert, update
from crawlmesh.adapters.sqlite.control.submitting import write_new_tasks
from crawlmesh.model.change import TaskChange
from crawlmesh.model.event import Event
from crawlmesh.model.execution import Execution
from crawlmesh.model.task import Task

_TASK_STATES = """
SELECT json_group_array(json_array(id, fence, status, queue, open_places, priority)) FROM crawler_tasks
WHERE id IN (SELECT value FROM json_each(?))
"""

_EXECUTION_STATES = """
SELECT json_group_array(json_array(id, node_id, status)) FROM crawler_task_executions
WHERE id IN (SELECT value FROM json_each(?))
"""

# What a task was submitted with does not change, and its priority seldom does: columns that are not
# written cost no index.
_UPDATE_TASKS = update("crawler_tasks", "id", TASK_STATE)
_UPDATE_PRIORITIES = update("crawler_tasks", "id", ("priority",))
_INSERT_EXECUTIONS = insert("crawler_task_executions", names(EXECUTION))
_UPDATE_EXECUTIONS = update("crawler_task_executions", "id", EXECUTION_STATE)


class _TaskState(msgspec.Struct, array_like=True, frozen=True):
    """What counters and the fence depend on."""

    id: str
    fence: int
    status: str
    queue: str
    open_places: int
    priority: int


class _ExecutionState(msgspec.Struct, array_like=True, frozen=True):
    """What counters depend on."""

    id: str
    node_id: str
    status: str


_decode_tasks = msgspec.json.Decoder(list[_TaskState]).decode
_decode_executions = msgspec.json.Decoder(list[_ExecutionState]).decode


def change_tasks(
    session: Session, changes: Sequence[TaskChange], leader_fence: int | None, now: float
) -> list[bool]:
    """Change tasks, their executions, and tell it; one bool each."""
    check_leader(session, leader_fence, now)
    stored = _stored_tasks(session, changes)
    fences = {task_id: state.fence for task_id, state in stored.items()}
    tasks: dict[str, Task] = {}
    executions: dict[str, Execution] = {}
    events: list[Event] = []
    taken: list[bool] = []
    for change in changes:
        task = change.task
        follows = task.fence == fences.get(task.id, 0) + 1
        taken.append(follows)
        if follows:
            fences[task.id] = task.fence
            tasks[task.id] = task
            executions.update((execution.id, execution) for execution in change.executions)
            events += change.events
    _write_tasks(session, tasks, stored)
    _write_executions(session, executions)
    session.append_events(events)
    return taken


def _stored_tasks(session: Session, changes: Sequence[TaskChange]) -> dict[str, _TaskState]:
    found = session.one(_TASK_STATES, json_list(change.task.id for change in changes))
    return {state.id: state for state in _decode_tasks(found)}


def _write_tasks(session: Session, tasks: dict[str, Task], stored: dict[str, _TaskState]) -> None:
    write_new_tasks(session, [task for task in tasks.values() if task.id not in stored])
    known = [(task, stored[task.id]) for task in tasks.values() if task.id in stored]
    session.write(_UPDATE_TASKS, [task_state_row(task) for task, _ in known])
    priorities = [(task.id, task.priority) for task, old in known if task.priority != old.priority]
    session.write(_UPDATE_PRIORITIES, priorities)
    _count_tasks(session, known)
    if any(task.open_places > old.open_places for task, old in known):
        session.told.add("tasks")


def _count_tasks(session: Session, known: list[tuple[Task, _TaskState]]) -> None:
    statuses: Counter[str] = Counter()
    queues: Counter[str] = Counter()
    for task, old in known:
        statuses[task.status.value] += 1
        statuses[old.status] -= 1
        queues[task.queue] += task.open_places > 0
        queues[old.queue] -= old.open_places > 0
    session.count("task_counts", statuses)
    session.count("queue_counts", queues)


def _write_executions(session: Session, executions: dict[str, Execution]) -> None:
    if not executions:
        return
    found = _decode_executions(session.one(_EXECUTION_STATES, json_list(executions)))
    stored = {state.id: state for state in found}
    session.write(
        _INSERT_EXECUTIONS, [execution_row(each) for each in executions.values() if each.id not in stored]
    )
    session.write(_UPDATE_EXECUTIONS, [execution_state_row(executions[state.id]) for state in found])
    running = Counter(each.node_id for each in executions.values() if each.status.value == "running")
    running.subtract(state.node_id for state in found if state.status == "running")
    session.count("node_loads", running)
    session.told.update(f"node:{each.node_id}" for each in executions.values())
    if any(state.status == "running" != executions[state.id].status.value for state in found):
        session.told.add("tasks")
