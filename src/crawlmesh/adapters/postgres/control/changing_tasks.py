"""Changing tasks by compare-and-set, together with their executions."""

from collections.abc import Sequence

import msgspec

from crawlmesh.adapters.postgres.control.columns import document
from crawlmesh.adapters.postgres.control.tables import EXECUTIONS, INSERT_TASKS, TASKS
from crawlmesh.adapters.postgres.control.transaction import Transaction
from crawlmesh.model.change import TaskChange
from crawlmesh.model.execution import Execution, ExecutionStatus
from crawlmesh.model.task import Task

# Rows are locked in the order of their ids, so that no two transactions wait for each other.
_LOCK = """
SELECT id, fence, status, queue, open_places FROM crawler_tasks WHERE id = ANY($1) ORDER BY id FOR UPDATE
"""
_UPDATE_TASKS = TASKS.update()

# Read after the lock, in a statement of its own: one that waits for a lock still sees what was before.
_OLD_EXECUTIONS = "SELECT id, node_id, status FROM crawler_task_executions WHERE id = ANY($1)"
_PUT_EXECUTIONS = EXECUTIONS.replace


class _Stored(msgspec.Struct, frozen=True):
    """What counts of a task as it was."""

    fence: int
    status: str
    queue: str
    open_places: int


class _Taken:
    """The changes that are taken, the later ones of a row over the earlier."""

    def __init__(self) -> None:
        self.new: dict[str, Task] = {}
        self.changed: dict[str, Task] = {}
        self.executions: dict[str, Execution] = {}


async def change_tasks(transaction: Transaction, changes: Sequence[TaskChange]) -> list[bool]:
    """Make the changes whose fences follow those that are stored; one bool each."""
    ids = list({change.task.id for change in changes})
    rows = await transaction.connection.fetch(_LOCK, ids)
    stored = {row[0]: _Stored(*row[1:]) for row in map(tuple, rows)}
    taken = _Taken()
    answers = [_take(transaction, stored, taken, change) for change in changes]
    if taken.changed:
        await transaction.connection.execute(_UPDATE_TASKS, document(taken.changed.values()))
    if taken.new:
        await transaction.connection.execute(INSERT_TASKS, document(taken.new.values()))
    if taken.executions:
        await _put_executions(transaction, taken.executions)
    return answers


def _take(transaction: Transaction, stored: dict[str, _Stored], taken: _Taken, change: TaskChange) -> bool:
    task = change.task
    before = stored.get(task.id)
    if task.fence != (1 if before is None else before.fence + 1):
        return False
    _count(transaction, before, task)
    stored[task.id] = _Stored(task.fence, task.status, task.queue, task.open_places)
    if before is None or task.id in taken.new:
        taken.new[task.id] = task
    else:
        taken.changed[task.id] = task
    taken.executions.update((execution.id, execution) for execution in change.executions)
    transaction.topics.update(f"node:{execution.node_id}" for execution in change.executions)
    transaction.tell(change.events)
    return True


def _count(transaction: Transaction, before: _Stored | None, task: Task) -> None:
    transaction.statuses[task.status] += 1
    transaction.queues[task.queue] += task.open_places > 0
    if before is not None:
        transaction.statuses[before.status] -= 1
        transaction.queues[before.queue] -= before.open_places > 0
    if task.open_places > (0 if before is None else before.open_places):
        transaction.topics.add("tasks")


async def _put_executions(transaction: Transaction, executions: dict[str, Execution]) -> None:
    rows = await transaction.connection.fetch(_OLD_EXECUTIONS, list(executions))
    for execution_id, node_id, status in rows:
        if status == ExecutionStatus.RUNNING:
            transaction.nodes[node_id] -= 1
            if executions[execution_id].status is not ExecutionStatus.RUNNING:
                transaction.topics.add("tasks")  # a node has a free place
    for execution in executions.values():
        transaction.nodes[execution.node_id] += execution.status is ExecutionStatus.RUNNING
    await transaction.connection.execute(_PUT_EXECUTIONS, document(executions.values()))
