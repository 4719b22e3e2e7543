"""Tasks: taking them in, changing and finding them."""

from collections.abc import Sequence

from crawlmesh.adapters.postgres.control import tables
from crawlmesh.adapters.postgres.control.changing_tasks import change_tasks
from crawlmesh.adapters.postgres.control.conditions import Conditions
from crawlmesh.adapters.postgres.control.database import Database
from crawlmesh.adapters.postgres.control.gathering import Gathering
from crawlmesh.adapters.postgres.control.leading import check_leader
from crawlmesh.adapters.postgres.control.part import Part
from crawlmesh.adapters.postgres.control.submitting import SubmitCall, submit
from crawlmesh.adapters.postgres.control.tables import TASKS
from crawlmesh.adapters.postgres.control.transaction import Transaction
from crawlmesh.errors import CrawlmeshError
from crawlmesh.model.change import TaskChange
from crawlmesh.model.query import QueueHead, Submission, TaskCounts, TaskPage, TaskQuery
from crawlmesh.model.task import Task
from crawlmesh.protocol.cursors import task_cursor, task_position

_SELECT = f"SELECT {TASKS.names} FROM crawler_tasks"  # noqa: S608
_BY_ID = f"{_SELECT} WHERE id = ANY($1)"
_COUNTS = "SELECT status, tasks FROM task_counts WHERE tasks > 0"
_HEADS = f"""
SELECT head.queue, head.tasks, {TASKS.prefixed("task")}
FROM queue_counts AS head CROSS JOIN LATERAL (
    SELECT * FROM crawler_tasks WHERE queue = head.queue AND open_places > 0
    ORDER BY priority DESC, created_at, id LIMIT 1
) AS task
WHERE head.tasks > 0
"""  # noqa: S608
_OPEN = f"""
{_SELECT} WHERE queue = $1 AND open_places > 0 AND id <> ALL ($3)
ORDER BY priority DESC, created_at, id LIMIT $2
"""
_DUE = f"{_SELECT} WHERE status = 'waiting' AND not_before <= $1 ORDER BY not_before, id LIMIT $2"


class Tasks(Part):
    """The part of the store that keeps tasks."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._submitting: Gathering[SubmitCall, list[Task]] = Gathering(
            self._submit_together, lambda call: len(call.submissions)
        )
        self._changing: Gathering[Sequence[TaskChange], list[bool]] = Gathering(self._change_together, len)

    async def submit(self, submissions: Sequence[Submission], now: float) -> list[Task]:
        """Store new tasks, with their events. One task each: the new one, or the one it repeats."""
        return await self._submitting.call(SubmitCall(submissions, now)) if submissions else []

    async def change_tasks(
        self, changes: Sequence[TaskChange], *, leader_fence: int | None = None, now: float = 0.0
    ) -> list[bool]:
        """Change tasks, their executions, and tell it. One bool each: taken, or refused for its fence."""
        if leader_fence is None:
            return await self._changing.call(changes) if changes else []

        async def work(transaction: Transaction) -> list[bool]:
            await check_leader(transaction, leader_fence, now)
            return await change_tasks(transaction, changes)

        return await self._database.write(work)

    async def tasks_by_id(self, ids: Sequence[str]) -> list[Task]:
        """The tasks that exist, in no order."""
        return await self._tasks(_BY_ID, list(set(ids)))

    async def list_tasks(self, query: TaskQuery) -> TaskPage:
        """A page of tasks."""
        conditions = _conditions(query)
        column, direction, beyond = query.order.removeprefix("-"), "", ">"
        if query.order.startswith("-"):
            direction, beyond = "DESC", "<"
        if query.cursor is not None:
            value, task_id = task_position(query.cursor, query.order)
            start = int(value) if column == "priority" else value
            conditions.add(f"({column}, id) {beyond} ({{}}, {{}})", start, task_id)
        order = f"ORDER BY {column} {direction}, id {direction} LIMIT {conditions.value(query.limit + 1)}"
        tasks = await self._tasks(f"{_SELECT} {conditions.where} {order}", *conditions.values)
        if len(tasks) <= query.limit:
            return TaskPage(tuple(tasks))
        last = tasks[query.limit - 1]
        cursor = task_cursor(query.order, getattr(last, column), last.id)
        return TaskPage(tuple(tasks[: query.limit]), cursor)

    async def count_tasks(self) -> TaskCounts:
        """How many tasks are in which status."""
        return TaskCounts({row[0]: row[1] for row in await self._fetch(_COUNTS)})

    async def queue_heads(self) -> list[QueueHead]:
        """The queues that have tasks with open places, each with how many."""
        rows = await self._fetch(_HEADS)
        return [QueueHead(queue, number, tables.task(values)) for queue, number, *values in rows]

    async def open_tasks(self, queue: str, limit: int, skip: Sequence[str] = ()) -> list[Task]:
        """Tasks of a queue with open places: highest priority first, then oldest."""
        return await self._tasks(_OPEN, queue, limit, list(skip))

    async def due_tasks(self, now: float, limit: int) -> list[Task]:
        """Waiting tasks whose `not_before` has come, longest due first."""
        return await self._tasks(_DUE, now, limit)

    async def _tasks(self, statement: str, *values: object) -> list[Task]:
        return list(map(tables.task, await self._fetch(statement, *values)))

    async def _submit_together(self, calls: Sequence[SubmitCall]) -> list[list[Task] | CrawlmeshError]:
        return await self._database.write(lambda transaction: submit(transaction, calls))

    async def _change_together(
        self, calls: Sequence[Sequence[TaskChange]]
    ) -> list[list[bool] | CrawlmeshError]:
        changes = [change for call in calls for change in call]
        taken = iter(await self._database.write(lambda transaction: change_tasks(transaction, changes)))
        return [[next(taken) for _ in call] for call in calls]


def _conditions(query: TaskQuery) -> Conditions:
    conditions = Conditions()
    conditions.equal(
        project_id=query.project_id,
        workflow_id=query.workflow_id,
        task_type=query.task_type,
        assigned_node=query.node_id,
        priority=query.priority,
    )
    if len(query.statuses) == 1:  # an index has these in order
        conditions.equal(status=query.statuses[0])
    elif query.statuses:
        conditions.add("status = ANY ({})", list(query.statuses))
    if query.category is not None:
        conditions.add("categories @> ARRAY[{}::text] AND categories <> '{{}}'", query.category)
    if query.created_after is not None:
        conditions.add("created_at >= {}", query.created_after)
    if query.created_before is not None:
        conditions.add("created_at < {}", query.created_before)
    if query.search is not None:
        found = "strpos(lower({0}), lower({{0}})) > 0"
        conditions.add(f"({found.format('id')} OR {found.format('parameters::text')})", query.search)
    return conditions
