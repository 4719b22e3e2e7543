"""Pause, resume, cancel, retry, and put forward: what users do to tasks that are there."""

from collections.abc import Callable, Sequence

from crawlmesh.control.changing import change_task, known_task
from crawlmesh.control.context import ControlContext
from crawlmesh.control.crawl_state import crawl_progress, is_finished
from crawlmesh.errors import InvalidError
from crawlmesh.model.change import TaskChange
from crawlmesh.model.execution import Execution
from crawlmesh.model.task import WEB_CRAWL, Task
from crawlmesh.rules import task_lifecycle

_Rule = Callable[[Task, Sequence[Execution], float], TaskChange]


async def pause_task(context: ControlContext, task_id: str) -> Task:
    """Let its nodes stop and keep what is done. Raises NotFoundError, and ConflictError by its status."""
    return await _steered(context, task_id, task_lifecycle.paused)


async def resume_task(context: ControlContext, task_id: str) -> Task:
    """Let a paused task go on where it stood."""
    return await _steered(context, task_id, task_lifecycle.resumed)


async def cancel_task(context: ControlContext, task_id: str) -> Task:
    """End a task for good, whatever is under way."""
    return await _steered(context, task_id, task_lifecycle.cancelled)


async def retry_task(context: ControlContext, task_id: str) -> Task:
    """Do a task that ended once more. A crawl is crawled anew, records stay until they are replaced."""
    task = await known_task(context, task_id)
    if task.task_type == WEB_CRAWL and task.ended:
        await _prepare_crawl_again(context, task)
    return await _steered(context, task_id, task_lifecycle.retried)


async def reprioritize(context: ControlContext, task_id: str, priority: int) -> Task:
    """Give a task another priority, 1 … 10."""
    if isinstance(priority, bool) or not 1 <= priority <= 10:
        raise InvalidError(f"priority is {priority!r}; it must be a whole number from 1 to 10.", "priority")
    now = context.clock.now()
    return await change_task(
        context, task_id, lambda task, _running: task_lifecycle.reprioritized(task, priority, now)
    )


async def _steered(context: ControlContext, task_id: str, rule: _Rule) -> Task:
    now = context.clock.now()
    return await change_task(context, task_id, lambda task, running: rule(task, running, now))


async def _prepare_crawl_again(context: ControlContext, task: Task) -> None:
    """A crawl with links left goes on with them; one that is through starts again from its seeds."""
    if is_finished(task, await crawl_progress(context, task.id)):
        await context.crawl_store.recrawl(task.id)
