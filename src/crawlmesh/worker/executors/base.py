"""What an executor is."""

from typing import Any, Protocol

from crawlmesh.model.execution import Assignment
from crawlmesh.model.task import TaskResult
from crawlmesh.worker.execution_context import ExecutionContext


class Executor(Protocol):
    """Does the work of one type of tasks. One object serves all executions of its type, side by side.

    One with a true attribute `resumable` loses nothing when it is stopped: another go takes up where it
    was. The others may come to their end before their node leaves.
    """

    @property
    def task_type(self) -> str:
        """The type that it is for."""
        ...

    async def execute(self, assignment: Assignment, context: ExecutionContext) -> TaskResult:
        """Do the work. An error that is raised, or a result without success, makes the go a failed one.

        When `context.stop` is set, it keeps what is done and returns soon; after a second or two it
        is cancelled.
        """
        ...


class TaskExecutor:
    """Base of executors that are plain functions: they run in a thread of their own.

    As in S4: a subclass hands its task type to `__init__` and has `execute_task`.
    """

    def __init__(self, task_type: str) -> None:
        self.task_type = task_type

    def execute_task(self, task_data: dict[str, Any]) -> dict[str, Any]:
        """Do the work; what is returned becomes the data of the result."""
        raise NotImplementedError
