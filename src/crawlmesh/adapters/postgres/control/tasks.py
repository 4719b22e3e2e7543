"""Tasks: taking them in, changing and finding them."""

from collections.abc import Sequence

from crawlmesh.adapters.postgres.control import tables
from crawlmesh.adapters.postgres.control.changing_tasks import change_tasks
from crawlmesh.adapters.postgres.control.database import Database
from crawlmesh.adapters.postgres.control.gathering import Gathering
from crawlmesh.adapters.postgres.control.leading import check_leader
from crawlmesh.adapters.postgres.control.submitting import SubmitCall, submit
from crawlmesh.adapters.postgres.control.tables import TASKS
from crawlmesh.adapters.postgres.control.task_lists import TaskLists
from crawlmesh.adapters.postgres.control.transaction import Transaction
from crawlmesh.errors import CrawlmeshError
from crawlmesh.model.change import TaskChange
from crawlmesh.model.query import QueueHead, Submission, TaskCounts
from crawlmesh.model.task import Task

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


class Tasks(TaskLists):
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
        return await self._fetch_tasks(_BY_ID, list(set(ids)))

    async def count_tasks(self) -> TaskCounts:
        """How many tasks are in which status."""
        return TaskCounts({row[0]: row[1] for row in await self._fetch(_COUNTS)})

    async def queue_heads(self) -> list[QueueHead]:
        """The queues that have tasks with open places, each with how many."""
        rows = await self._fetch(_HEADS)
        return [QueueHead(queue, number, tables.task(values)) for queue, number, *values in rows]

    async def open_tasks(self, queue: str, limit: int, skip: Sequence[str] = ()) -> list[Task]:
        """Tasks of a queue with open places: highest priority first, then oldest."""
        return await self._fetch_tasks(_OPEN, queue, limit, list(skip))

    async def due_tasks(self, now: float, limit: int) -> list[Task]:
        """Waiting tasks whose `not_before` has come, longest due first."""
        return await self._fetch_tasks(_DUE, now, limit)

    async def _submit_together(self, calls: Sequence[SubmitCall]) -> list[list[Task] | CrawlmeshError]:
        return await self._database.write(lambda transaction: submit(transaction, calls))

    async def _change_together(
        self, calls: Sequence[Sequence[TaskChange]]
    ) -> list[list[bool] | CrawlmeshError]:
        changes = [change for call in calls for change in call]
        taken = iter(await self._database.write(lambda transaction: change_tasks(transaction, changes)))
        return [[next(taken) for _ in call] for call in calls]
