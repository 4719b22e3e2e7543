"""Executions with their indexes and counters."""

from collections.abc import Iterable
from itertools import chain, islice

from crawlmesh.adapters.memory.ordered_keys import OrderedKeys
from crawlmesh.model.execution import Execution, ExecutionStatus


class ExecutionTable:
    """All executions. Their ids grow with time."""

    def __init__(self) -> None:
        self.rows: dict[str, Execution] = {}
        self._of_task: dict[str, set[str]] = {}
        self._of_node: dict[str, OrderedKeys[str]] = {}
        self._running_of_task: dict[str, set[str]] = {}
        self._running_of_node: dict[str, set[str]] = {}
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
        else:
            self._stop_running(old)
        self.rows[execution.id] = execution
        if execution.status is ExecutionStatus.RUNNING:
            self._running_of_task.setdefault(execution.task_id, set()).add(execution.id)
            self._running_of_node.setdefault(execution.node_id, set()).add(execution.id)
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
        return self._oldest_first(self._of_task.get(task_id, ()))

    def of_node(self, node_id: str, limit: int, before: str) -> list[Execution]:
        """Those of a node, newest first, from below an id on."""
        ids = self._of_node.get(node_id)
        if ids is None:
            return []
        return [self.rows[execution_id] for execution_id in islice(ids.below(before or None), limit)]

    def running_of_tasks(self, task_ids: Iterable[str]) -> list[Execution]:
        """The running ones of tasks, oldest first."""
        running = (self._running_of_task.get(task_id, ()) for task_id in set(task_ids))
        return self._oldest_first(chain.from_iterable(running))

    def running_of_node(self, node_id: str) -> list[Execution]:
        """The running ones of a node, oldest first."""
        return self._oldest_first(self._running_of_node.get(node_id, ()))

    def overdue(self, now: float, limit: int) -> list[Execution]:
        """Running ones whose deadline has passed, longest overdue first."""
        first = islice(self._deadlines, limit)
        return [self.rows[execution_id] for deadline, execution_id in first if deadline <= now]

    def loads(self) -> dict[str, int]:
        """How many run on each node that has any."""
        return {node_id: len(running) for node_id, running in self._running_of_node.items()}

    def _oldest_first(self, ids: Iterable[str]) -> list[Execution]:
        found = [self.rows[execution_id] for execution_id in ids]
        found.sort(key=lambda execution: (execution.start_time, execution.id))
        return found

    def _stop_running(self, old: Execution) -> None:
        if old.status is not ExecutionStatus.RUNNING:
            return
        _discard(self._running_of_task, old.task_id, old.id)
        _discard(self._running_of_node, old.node_id, old.id)
        if old.deadline is not None:
            self._deadlines.remove((old.deadline, old.id))


def _discard(sets: dict[str, set[str]], key: str, member: str) -> None:
    members = sets[key]
    members.remove(member)
    if not members:
        del sets[key]
