"""A control store that looks at everything it is told, and objects where an invariant is broken."""

from collections import Counter
from collections.abc import Collection, Sequence

from crawlmesh.adapters.memory.control_store import MemoryControlStore
from crawlmesh.model.change import NodeChange, TaskChange
from crawlmesh.model.execution import Execution, ExecutionStatus
from crawlmesh.model.node import Node
from crawlmesh.model.query import Submission
from crawlmesh.model.task import ENDED, Task, TaskStatus
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
        before = [self._tasks.rows[change.task.id] for change in changes]
        ended = self._ended_among(changes)
        taken = await super().change_tasks(changes, leader_fence=leader_fence, now=now)
        for old, change, done in zip(before, changes, taken, strict=True):
            if done:
                self._check_move(old, change.task)
                self._check_executions(change, ended)
            else:
                self.refusals += 1
                if self._tasks.rows[old.id] != old:
                    raise BrokenInvariantError(f"a refused change left a trace in {old.id}")
        return taken

    async def change_nodes(
        self, changes: Sequence[NodeChange], *, leader_fence: int | None = None, now: float = 0.0
    ) -> list[bool]:
        """Change nodes, and compare each with what it was."""
        before = [self._nodes.rows.get(change.node.id) for change in changes]
        taken = await super().change_nodes(changes, leader_fence=leader_fence, now=now)
        for old, change, done in zip(before, changes, taken, strict=True):
            if done and old is not None:
                _check_node_move(old, change.node)
        return taken

    def _ended_among(self, changes: Sequence[TaskChange]) -> set[str]:
        """The executions that are to be changed though they have ended."""
        rows = self._executions.rows
        ids = [execution.id for change in changes for execution in change.executions if execution.id in rows]
        return {each for each in ids if rows[each].status is not ExecutionStatus.RUNNING}

    def _check_move(self, old: Task, new: Task) -> None:
        if new.fence != old.fence + 1:
            raise BrokenInvariantError(f"the fence of {old.id} went from {old.fence} to {new.fence}")
        if new.status is old.status:
            return
        if new.status not in task_lifecycle.MOVES[old.status]:
            raise BrokenInvariantError(f"{old.id} went from {old.status} to {new.status}")
        if new.status in ENDED and old.status not in ENDED:
            self.ends[old.id] += 1
            self.unfinished.pop(old.id, None)
        elif old.status in ENDED and new.status not in ENDED:
            self.revivals[old.id] += 1
            self.unfinished[old.id] = None

    def _check_executions(self, change: TaskChange, ended: set[str]) -> None:
        task = change.task
        running = self._executions.running_of_task(task.id)
        if running:
            _check_running(task, running)
        if task.open_places > task.max_nodes:
            raise BrokenInvariantError(f"{task.id} has {task.open_places} places of {task.max_nodes}")
        for execution in change.executions:
            if execution.id in ended:
                raise BrokenInvariantError(f"{execution.id} changed after its end")
            if execution.fence == task.fence and execution.status is ExecutionStatus.RUNNING:
                self.placements += 1


def _check_running(task: Task, running: Collection[Execution]) -> None:
    at_work = sum(execution.stop is None for execution in running)
    if at_work > task.max_nodes:
        raise BrokenInvariantError(f"{task.id} is on {at_work} nodes at once")
    if len({execution.node_id for execution in running}) != len(running):
        raise BrokenInvariantError(f"{task.id} is twice on one node")
    places = task.open_places + at_work
    if places > task.max_nodes:
        raise BrokenInvariantError(f"{task.id} has {places} places of {task.max_nodes}")
    if task.status is TaskStatus.COMPLETED:
        raise BrokenInvariantError(f"{task.id} is completed while {len(running)} executions run")


def _check_node_move(old: Node, new: Node) -> None:
    if new.fence != old.fence + 1:
        raise BrokenInvariantError(f"the fence of node {old.id} went to {new.fence}")
    if new.session < old.session:
        raise BrokenInvariantError(f"the session of node {old.id} went back")
    again = new.session > old.session  # a registration may come in any status
    if new.status is not old.status and not again and new.status not in node_lifecycle.MOVES[old.status]:
        raise BrokenInvariantError(f"node {old.id} went from {old.status} to {new.status}")
