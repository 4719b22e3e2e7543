"""Tasks with their indexes and counters."""

from collections import Counter
from collections.abc import Callable, Container, Iterator
from itertools import islice

import msgspec

from crawlmesh.adapters.memory.ordered_keys import OrderedKeys
from crawlmesh.model.query import QueueHead, TaskCounts, TaskPage, TaskQuery
from crawlmesh.model.task import ENDED, Task, TaskStatus
from crawlmesh.protocol.cursors import task_cursor, task_position

Moment = tuple[float, str]  # a moment or another number, and the id of the row

_NOT_REPEATED = frozenset({TaskStatus.FAILED, TaskStatus.TIMEOUT, TaskStatus.CANCELLED})

_ORDERED_BY: dict[str, Callable[[Task], float]] = {
    "created_at": lambda task: task.created_at,
    "updated_at": lambda task: task.updated_at,
    "priority": lambda task: task.priority,
}


class TaskTable:
    """All tasks. An index that a list needs is made when it is first asked for, and kept from then on."""

    def __init__(self) -> None:
        self.rows: dict[str, Task] = {}
        self._by_status: Counter[TaskStatus] = Counter()
        self._queues: dict[str, OrderedKeys[tuple[int, float, str]]] = {}
        self._waiting: OrderedKeys[Moment] = OrderedKeys()
        self._ended: OrderedKeys[Moment] = OrderedKeys()
        self._orders: dict[str, OrderedKeys[Moment]] = {}
        self._repeatable: dict[str, list[str]] = {}  # ids by dedup key

    def put(self, task: Task) -> bool:
        """Add or replace a task. Whether it has more open places than before."""
        old = self.rows.get(task.id)
        if old is None:
            if task.dedup_key is not None:
                self._repeatable.setdefault(task.dedup_key, []).append(task.id)
        else:
            self._unlist(old)
        self.rows[task.id] = task
        self._list(task)
        self._order(old, task)
        return task.open_places > (0 if old is None else max(0, old.open_places))

    def remove(self, task_id: str) -> None:
        """Forget a task."""
        task = self.rows.pop(task_id)
        self._unlist(task)
        for field, order in self._orders.items():
            order.remove((_ORDERED_BY[field](task), task.id))
        if task.dedup_key is not None:
            self._repeatable[task.dedup_key].remove(task_id)
            if not self._repeatable[task.dedup_key]:
                del self._repeatable[task.dedup_key]

    def repeated(self, dedup_key: str | None) -> Task | None:
        """The newest task with this key that a submission may repeat."""
        for task_id in reversed(self._repeatable.get(dedup_key or "", ())):
            if self.rows[task_id].status not in _NOT_REPEATED:
                return self.rows[task_id]
        return None

    def counts(self) -> TaskCounts:
        """How many tasks are in which status."""
        return TaskCounts({status.value: number for status, number in self._by_status.items() if number})

    def heads(self) -> list[QueueHead]:
        """The queues with open places."""
        return [
            QueueHead(queue, len(keys), self.rows[keys.first()[2]]) for queue, keys in self._queues.items()
        ]

    def open(self, queue: str, limit: int, skip: Container[str]) -> list[Task]:
        """The first tasks of a queue that have open places."""
        keys = self._queues.get(queue, ())
        return [self.rows[task_id] for task_id in islice(_without(skip, keys), limit)]

    def due(self, now: float, limit: int) -> list[Task]:
        """Waiting tasks whose time has come."""
        return [self.rows[task_id] for task_id in _until(self._waiting, now, limit)]

    def ended_before(self, moment: float, limit: int) -> list[str]:
        """Ids of tasks that ended before a moment, longest ago first."""
        return list(islice((task_id for at, task_id in _while_below(self._ended, moment)), limit))

    def page(self, query: TaskQuery) -> TaskPage:
        """A page of tasks."""
        field = query.order.removeprefix("-")
        value_of = _ORDERED_BY[field]
        if field not in self._orders:
            self._orders[field] = OrderedKeys((value_of(task), task.id) for task in self.rows.values())
        keys = self._orders[field]
        start = None if query.cursor is None else task_position(query.cursor, query.order)
        if query.order.startswith("-"):
            found = keys.below(start)
        else:
            found = iter(keys) if start is None else keys.above(start)
        matching = (self.rows[task_id] for _, task_id in found if matches(self.rows[task_id], query))
        tasks = tuple(islice(matching, query.limit + 1))
        if len(tasks) <= query.limit:
            return TaskPage(tasks)
        tasks = tasks[: query.limit]
        return TaskPage(tasks, task_cursor(query.order, value_of(tasks[-1]), tasks[-1].id))

    def _list(self, task: Task) -> None:
        self._by_status[task.status] += 1
        if task.open_places > 0:
            keys = self._queues.get(task.queue)
            if keys is None:
                keys = self._queues[task.queue] = OrderedKeys()
            keys.add(_queue_key(task))
        if task.status is TaskStatus.WAITING:
            self._waiting.add((task.not_before, task.id))
        elif task.status in ENDED and task.completed_at is not None:
            self._ended.add((task.completed_at, task.id))

    def _unlist(self, task: Task) -> None:
        self._by_status[task.status] -= 1
        if task.open_places > 0:
            keys = self._queues[task.queue]
            keys.remove(_queue_key(task))
            if not keys:
                del self._queues[task.queue]
        if task.status is TaskStatus.WAITING:
            self._waiting.remove((task.not_before, task.id))
        elif task.status in ENDED and task.completed_at is not None:
            self._ended.remove((task.completed_at, task.id))

    def _order(self, old: Task | None, task: Task) -> None:
        for field, order in self._orders.items():
            value_of = _ORDERED_BY[field]
            value = value_of(task)
            if old is not None:
                if value_of(old) == value:
                    continue
                order.remove((value_of(old), task.id))
            order.add((value, task.id))


def matches(task: Task, query: TaskQuery) -> bool:
    """Whether all conditions of a query hold."""
    wanted = (
        (query.project_id, task.project_id),
        (query.workflow_id, task.workflow_id),
        (query.task_type, task.task_type),
        (query.node_id, task.assigned_node),
        (query.priority, task.priority),
    )
    return (
        all(value is None or value == found for value, found in wanted)
        and (not query.statuses or task.status in query.statuses)
        and (query.category is None or query.category in task.categories)
        and (query.created_after is None or task.created_at >= query.created_after)
        and (query.created_before is None or task.created_at < query.created_before)
        and (query.search is None or _contains(task, query.search.lower()))
    )


def _contains(task: Task, search: str) -> bool:
    return search in task.id.lower() or search in msgspec.json.encode(task.parameters).decode().lower()


def _queue_key(task: Task) -> tuple[int, float, str]:
    return (-task.priority, task.created_at, task.id)


def _without(skip: Container[str], keys: "OrderedKeys[tuple[int, float, str]] | tuple[()]") -> Iterator[str]:
    return (task_id for _, _, task_id in keys if task_id not in skip)


def _until(keys: OrderedKeys[Moment], now: float, limit: int) -> Iterator[str]:
    for moment, row_id in islice(keys, limit):
        if moment > now:
            return
        yield row_id


def _while_below(keys: OrderedKeys[Moment], moment: float) -> Iterator[Moment]:
    for key in keys:
        if key[0] >= moment:
            return
        yield key
