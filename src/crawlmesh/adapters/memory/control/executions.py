"""Executions with their indexes and counters."""

from collections.abc import Collection, Iterable
from itertools import chain, islice
from operator import attrgetter

from crawlmesh.adapters.memory.ordered_keys import OrderedKeys
from crawlmesh.model.execution import Execution, ExecutionStatus

_AGE = attrgetter("start_time", "id")


class ExecutionTable:
    """All executions. Their ids grow with time."""

    def __init__(self) -> None:
        self.rows: dict[str, Execution] = {}
        self._of_task: dict[str, set[str]] = {}
        self._of_node: dict[str, OrderedKeys[str]] = {}
        self._running_of_task: dict[str, dict[str, Execution]] = {}
        self._running_of_node: dict[str, dict[str, Execution]] = {}
        self._deadlines: OrderedKeys[tuple[float, str]] = OrderedKeys()

    def put(self, execution: Execution) -> bool:
        """Add or replace an execution. Whether it has ended by that, and so left a place on its node."""
        old = self.rows.get(execution.id)
        if old is None:
            self._of_task.setdefault(execution.task_id, set()).add(execution.id)
            ids = self._of_node.get(execution.node_id)
            if ids is None:
                ids = self._of_node[execution.node_id] = OrderedKeys()
            ids.add(execution.id)
        elif _stays_as_it_is(old, execution):
            self.rows[execution.id] = execution
            self._running_of_task[execution.task_id][execution.id] = execution
            self._running_of_node[execution.node_id][execution.id] = execution
            return False
        else:
            self._stop_running(old)
        self.rows[execution.id] = execution
        if execution.status is ExecutionStatus.RUNNING:
            _put(self._running_of_task, execution.task_id, execution)
            _put(self._running_of_node, execution.node_id, execution)
            if execution.deadline is not None:
                self._deadlines.add((execution.deadline, execution.id))
            return False
        return old is not None and old.status is ExecutionStatus.RUNNING

    def remove_of_task(self, task_id: str) -> None:
        """Forget the executions of a task."""
        for execution_id in self._of_task.pop(task_id, ()):
            execution = self.rows.pop(execution_id)
            self._stop_running(execution)
            ids = self._of_node[execution.node_id]
            ids.remove(execution_id)
            if not ids:
                del self._of_node[execution.node_id]

    def of_task(self, task_id: str) -> list[Execution]:
        """All of a task, oldest first."""
        return _oldest_first(self.rows[execution_id] for execution_id in self._of_task.get(task_id, ()))

    def of_node(self, node_id: str, limit: int, before: str) -> list[Execution]:
        """Those of a node, newest first, from below an id on."""
        ids = self._of_node.get(node_id)
        if ids is None:
            return []
        return [self.rows[execution_id] for execution_id in islice(ids.below(before or None), limit)]

    def running_of_tasks(self, task_ids: Iterable[str]) -> list[Execution]:
        """The running ones of tasks, oldest first."""
        running = self._running_of_task
        found = [running[task_id].values() for task_id in set(task_ids) if task_id in running]
        return _oldest_first(chain.from_iterable(found))

    def running_of_task(self, task_id: str) -> Collection[Execution]:
        """The running ones of a task, in no order."""
        return self._running_of_task.get(task_id, {}).values()

    def running_of_node(self, node_id: str) -> list[Execution]:
        """The running ones of a node, oldest first."""
        running = self._running_of_node.get(node_id)
        return [] if running is None else _oldest_first(running.values())

    def overdue(self, now: float, limit: int) -> list[Execution]:
        """Running ones whose deadline has passed, longest overdue first."""
        first = islice(self._deadlines, limit)
        return [self.rows[execution_id] for deadline, execution_id in first if deadline <= now]

    def loads(self) -> dict[str, int]:
        """How many run on each node that has any."""
        return {node_id: len(running) for node_id, running in self._running_of_node.items()}

    def _stop_running(self, old: Execution) -> None:
        if old.status is not ExecutionStatus.RUNNING:
            return
        _discard(self._running_of_task, old.task_id, old.id)
        _discard(self._running_of_node, old.node_id, old.id)
        if old.deadline is not None:
            self._deadlines.remove((old.deadline, old.id))


def _stays_as_it_is(old: Execution, new: Execution) -> bool:
    """Whether it ran before and runs on, for as long, so that no index changes."""
    running = ExecutionStatus.RUNNING
    return old.status is running and new.status is running and old.deadline == new.deadline


def _put(groups: dict[str, dict[str, Execution]], key: str, execution: Execution) -> None:
    group = groups.get(key)
    if group is None:
        groups[key] = {execution.id: execution}
    else:
        group[execution.id] = execution


def _discard(groups: dict[str, dict[str, Execution]], key: str, execution_id: str) -> None:
    group = groups[key]
    del group[execution_id]
    if not group:
        del groups[key]


def _oldest_first(executions: Iterable[Execution]) -> list[Execution]:
    found = list(executions)
    if len(found) > 1:
        found.sort(key=_AGE)
    return found
