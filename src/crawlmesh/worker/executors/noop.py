"""Does nothing: for benchmarks and tests."""

from crawlmesh.model.execution import Assignment
from crawlmesh.model.task import TaskResult
from crawlmesh.worker.execution_context import ExecutionContext


class NoOperation:
    """Returns the parameters of the task."""

    task_type = "noop"

    async def execute(self, assignment: Assignment, context: ExecutionContext) -> TaskResult:
        """Be done at once."""
        return TaskResult(success=True, data=assignment.task.parameters, timestamp=context.now())
