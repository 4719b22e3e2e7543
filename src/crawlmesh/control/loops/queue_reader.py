"""Reads the tasks of one queue in order, a chunk at a time."""

from collections import defaultdict, deque
from collections.abc import Collection
from typing import NamedTuple

from crawlmesh.model.task import Task
from crawlmesh.ports.control_store import ControlStore

_LEAST_CHUNK = 8
_MOST_REFUSED = 1000  # tasks without a place in one round, all because of the nodes that they are on already
_MOST_UNPLACED = 16  # tasks without a place though every fitting node was open to them

Urgency = tuple[int, float, str]


class Waiting(NamedTuple):
    """A task with an open place, and the nodes that it may not be put on."""

    task: Task
    avoid: Collection[str]

    @property
    def urgency(self) -> Urgency:
        """Lower comes first: highest priority, then age."""
        return (-self.task.priority, self.task.created_at, self.task.id)


class QueueReader:
    """The tasks of one queue for one round. Each task comes once, so that it gets at most one node in it."""

    def __init__(self, store: ControlStore, queue: str, chunk: int) -> None:
        self._store = store
        self._queue = queue
        self._chunk = max(chunk, _LEAST_CHUNK)
        self._tasks: deque[Waiting] = deque()
        self._read: list[str] = []  # ids
        self._at_end = False
        self._refused = 0
        self._unplaced = 0
        self.current: Waiting

    @property
    def worth_reading(self) -> bool:
        """Whether a further task of this queue may still find a place."""
        return self._unplaced < _MOST_UNPLACED and self._refused < _MOST_REFUSED

    def found_no_place(self) -> None:
        """There was no node for the current task."""
        if self.current.avoid:
            self._refused += 1
        else:
            self._unplaced += 1

    async def next(self) -> Waiting | None:
        """Go on to the next task; None where there is no other."""
        if not self._tasks and not self._at_end:
            await self._read_chunk()
        if not self._tasks:
            return None
        self.current = self._tasks.popleft()
        return self.current

    async def _read_chunk(self) -> None:
        tasks = await self._store.open_tasks(self._queue, self._chunk, self._read)
        self._at_end = len(tasks) < self._chunk
        self._chunk *= 2
        self._read += [task.id for task in tasks]
        placed_before = [task.id for task in tasks if task.assigned_at is not None]
        nodes: defaultdict[str, set[str]] = defaultdict(set)
        if placed_before:
            # Two goes at one task on one node would be in each other's way, also while one winds down.
            for execution in await self._store.running_executions(placed_before):
                nodes[execution.task_id].add(execution.node_id)
        self._tasks.extend(Waiting(task, nodes.get(task.id, ())) for task in tasks)
