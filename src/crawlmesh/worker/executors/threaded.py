"""Executors that are plain functions, each run in a thread of its own."""

import asyncio
import threading
from collections.abc import Callable
from typing import Any, TypeVar

from crawlmesh.model.execution import Assignment
from crawlmesh.model.task import TaskResult
from crawlmesh.worker.execution_context import ExecutionContext
from crawlmesh.worker.plain_results import plain_result

_Result = TypeVar("_Result")


class ThreadedExecutor:
    """Runs `execute_task(task_data) -> dict` of S4's executors.

    A thread cannot be ended from outside: when its go is stopped, it runs on and nobody listens.
    """

    def __init__(self, task_type: str, execute_task: Callable[[dict[str, Any]], Any]) -> None:
        self.task_type = task_type
        self._execute_task = execute_task

    async def execute(self, assignment: Assignment, context: ExecutionContext) -> TaskResult:
        """Run the function, and make a result of what it returns."""
        task = assignment.task
        task_data = {
            "id": task.id,
            "task_id": task.id,
            "execution_id": assignment.execution.id,
            "task_type": task.task_type,
            "parameters": dict(task.parameters),
            "priority": task.priority,
            "project_id": task.project_id,
        }
        returned = await in_own_thread(lambda: self._execute_task(task_data))
        context.completed = True  # it never looked whether it shall stop
        return plain_result(returned, context.now())


async def in_own_thread(function: Callable[[], _Result]) -> _Result:
    """What a function returns that would hold up the event loop. The thread does not outlive the process."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[_Result] = loop.create_future()

    def tell(result: _Result | None, error: BaseException | None) -> None:
        if done.done():
            return
        if error is not None:
            done.set_exception(error)
        else:
            done.set_result(result)  # type: ignore[arg-type]

    def run() -> None:
        result: _Result | None = None
        problem: BaseException | None = None
        try:
            result = function()
        except (StopIteration, SystemExit, KeyboardInterrupt) as error:
            problem = RuntimeError(f"the function raised {error!r}")  # no future can carry it, or it ends us
        except BaseException as error:
            problem = error
        if not loop.is_closed():
            loop.call_soon_threadsafe(tell, result, problem)

    threading.Thread(target=run, daemon=True).start()
    return await done
