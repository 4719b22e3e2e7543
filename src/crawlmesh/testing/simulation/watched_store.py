"""A control store that looks at everything it is told, and objects where an invariant is broken."""

from collections import Counter
from collections.abc import Sequence

from crawlmesh.adapters.memory.control_store import MemoryControlStore
from crawlmesh.model.change import NodeChange, TaskChange
from crawlmesh.model.execution import Execution, ExecutionStatus
from crawlmesh.model.node import Node
from crawlmesh.model.query import Submission
from crawlmesh.model.task import ENDED, Task
from crawlmesh.rules import node_lifecycle, task_lifecycle


class BrokenInvariantError(AssertionError):
    """Something happened that must never happen."""


class WatchedStore(MemoryControlStore):
    """Checks invariants 2, 5 and 6 with every change, and counts how often each task ended."""

    def __init__(self) -> None:
        super().__init__()
        self.ends: Counter[str] = Counter()  # how often a task came to an end
        self.revivals: Counter[str] = Counter()  # how often somebody had it begin again
        self.unfinished: dict[str, None] = {}  # ids
        self.placements = 0
        self.refusals = 0

    async def submit(self, submissions: Sequence[Submission], now: float) -> list[Task]:
        """Store new tasks."""
        tasks = await super().submit(submissions, now)
        self.unfinished.update(dict.fromkeys(task.id for task in tasks))
        return tasks

    async def change_tasks(
        self, changes: Sequence[TaskChange], *, leader_fence: int | None = None, now: float = 0.0
    ) -> list[bool]:
        """Change tasks, and compare each with what it was."""
        before = {task.id: task for task in await self.tasks_by_id([change.task.id for change in changes])}
        executions = [execution.id for change in changes for execution in change.executions]
        ended = {
            assignment.execution.id
            for assignment in await self.assignments(executions)
            if assignment.execution.status is not ExecutionStatus.RUNNING
        }
        taken = await super().change_tasks(changes, leader_fence=leader_fence, now=now)
        after = {task.id: task for task in await self.tasks_by_id(list(before))}
        for change, done in zip(changes, taken, strict=True):
            old = before[change.task.id]
            if done:
                self._check_move(old, change)
                self._check_executions(change, await self.running_executions([old.id]))
                again = [execution.id for execution in change.executions if execution.id in ended]
                _require(not again, f"executions changed after their end: {again}")
            else:
                self.refusals += 1
                _require(after[old.id] == old, f"a refused change left a trace in {old.id}")
        return taken

    async def change_nodes(
        self, changes: Sequence[NodeChange], *, leader_fence: int | None = None, now: float = 0.0
    ) -> list[bool]:
        """Change nodes, and compare each with what it was."""
        before = {change.node.id: await self.node(change.node.id) for change in changes}
        taken = await super().change_nodes(changes, leader_fence=leader_fence, now=now)
        for change, done in zip(changes, taken, strict=True):
            if done:
                _check_node_move(before[change.node.id], change.node)
        return taken

    def _check_move(self, old: Task, change: TaskChange) -> None:
        new = change.task
        _require(new.fence == old.fence + 1, f"the fence of {old.id} went from {old.fence} to {new.fence}")
        if new.status is not old.status:
            allowed = new.status in task_lifecycle.MOVES[old.status]
            _require(allowed, f"{old.id} went from {old.status} to {new.status}")
        if new.status in ENDED and old.status not in ENDED:
            self.ends[old.id] += 1
            self.unfinished.pop(old.id, None)
        elif old.status in ENDED and new.status not in ENDED:
            self.revivals[old.id] += 1
            self.unfinished[old.id] = None

    def _check_executions(self, change: TaskChange, running: list[Execution]) -> None:
        task = change.task
        at_work = [execution for execution in running if execution.stop is None]
        _require(len(at_work) <= task.max_nodes, f"{task.id} is on {len(at_work)} nodes at once")
        nodes = {execution.node_id for execution in running}
        _require(len(nodes) == len(running), f"{task.id} is twice on one node")
        places = task.open_places + len(at_work)
        _require(places <= task.max_nodes, f"{task.id} has {places} places of {task.max_nodes}")
        if task.status is task.status.COMPLETED:
            _require(not running, f"{task.id} is completed while {len(running)} executions run")
        for execution in change.executions:
            if execution.fence == task.fence and execution.status is ExecutionStatus.RUNNING:
                self.placements += 1


def _check_node_move(old: Node | None, new: Node) -> None:
    if old is None:
        return
    _require(new.fence == old.fence + 1, f"the fence of node {old.id} went to {new.fence}")
    _require(new.session >= old.session, f"the session of node {old.id} went back")
    again = new.session > old.session  # a registration may come in any status
    if new.status is not old.status and not again:
        allowed = new.status in node_lifecycle.MOVES[old.status]
        _require(allowed, f"node {old.id} went from {old.status} to {new.status}")


def _require(holds: bool, what: str) -> None:
    if not holds:
        raise BrokenInvariantError(what)
