"""Which executors a node has: those of Crawlmesh, and those that others installed."""

import inspect
from collections.abc import Iterable
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from crawlmesh.errors import SettingError
from crawlmesh.worker.executors.base import Executor
from crawlmesh.worker.executors.threaded import ThreadedExecutor

GROUP = "crawlmesh.executors"


def load_executors(
    built_in: Iterable[Executor], installed: Iterable[EntryPoint] | None = None
) -> dict[str, Executor]:
    """Executors by their task type. An installed one replaces a built-in one of the same type.

    Raises SettingError naming the entry point that cannot be used.
    """
    executors = {executor.task_type: executor for executor in built_in}
    for entry_point in entry_points(group=GROUP) if installed is None else installed:
        try:
            executor = executor_from(entry_point.load())
        except Exception as error:
            raise SettingError(
                f"The executor {entry_point.name!r} ({entry_point.value}) cannot be used: "
                f"{str(error) or type(error).__name__}. Repair or uninstall its package."
            ) from error
        executors[executor.task_type] = executor
    return executors


def executor_from(found: Any) -> Executor:
    """An executor from a class (made without arguments) or from an object, of either style."""
    made: Any = found() if inspect.isclass(found) else found
    task_type = getattr(made, "task_type", None)
    if not isinstance(task_type, str) or not task_type:
        raise SettingError("it has no task_type")
    if inspect.iscoroutinefunction(getattr(made, "execute", None)):
        executor: Executor = made
        return executor
    execute_task = getattr(made, "execute_task", None)
    if not callable(execute_task):
        raise SettingError("it has neither 'async def execute' nor 'def execute_task'")
    return ThreadedExecutor(task_type, execute_task)
