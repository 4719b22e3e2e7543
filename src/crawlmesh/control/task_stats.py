"""How tasks fare as a whole (M1)."""

import msgspec

from crawlmesh.control.context import ControlContext
from crawlmesh.model.query import TaskQuery
from crawlmesh.model.task import Task, TaskStatus

_RECENT = 1000  # ended tasks that the means rest on
_ENDED = (TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.TIMEOUT)


class TaskStats(msgspec.Struct, frozen=True, kw_only=True):
    """Counters over all tasks, and means over the latest thousand that ended; durations in seconds."""

    total: int
    by_status: dict[str, int]
    success_rate: float | None  # 0 … 1, of those that ended by themselves; None: there are none
    recent: int  # tasks that the means rest on
    mean_wait: float | None  # from creation to placement
    mean_duration: float | None  # from placement to the end
    retries: int  # of the recent ones
    per_minute: float | None  # ended, over the time of the recent ones


async def task_stats(context: ControlContext) -> TaskStats:
    """As they were a moment ago, where reading takes long."""
    return await context.remembered.task_stats.get(context.clock, lambda: _read(context))


async def _read(context: ControlContext) -> TaskStats:
    """What is counted, and one page of tasks."""
    counts = (await context.store.count_tasks()).by_status
    by_status = {status.value: counts.get(status.value, 0) for status in TaskStatus}
    page = await context.store.list_tasks(TaskQuery(statuses=_ENDED, order="-updated_at", limit=_RECENT))
    recent = page.tasks
    ended = sum(by_status[status.value] for status in _ENDED)
    return TaskStats(
        total=sum(by_status.values()),
        by_status=by_status,
        success_rate=by_status["completed"] / ended if ended else None,
        recent=len(recent),
        mean_wait=_mean(
            [task.assigned_at - task.created_at for task in recent if task.assigned_at is not None]
        ),
        mean_duration=_mean([duration for task in recent if (duration := _duration(task)) is not None]),
        retries=sum(task.retry_count for task in recent),
        per_minute=_per_minute(recent),
    )


def _duration(task: Task) -> float | None:
    if task.completed_at is None or task.assigned_at is None:
        return None
    return max(task.completed_at - task.assigned_at, 0.0)


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _per_minute(recent: tuple[Task, ...]) -> float | None:
    ends = [task.completed_at for task in recent if task.completed_at is not None]
    if len(ends) < 2 or max(ends) <= min(ends):
        return None
    return 60.0 * (len(ends) - 1) / (max(ends) - min(ends))
