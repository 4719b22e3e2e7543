"""A device says that it has begun with a task (S4)."""

from crawlmesh.control.changing import Candidate, change_by_execution
from crawlmesh.control.context import ControlContext
from crawlmesh.errors import ConflictError
from crawlmesh.model.change import TaskChange
from crawlmesh.model.execution import Execution
from crawlmesh.rules import task_lifecycle


async def begin_execution(context: ControlContext, execution: Execution) -> None:
    """Mark the go and its task; it is not handed out again. Raises ConflictError where it was taken away."""

    async def decide(candidates: list[Candidate]) -> list[TaskChange | None]:
        now = context.clock.now()
        return [
            None if one.execution.stop else task_lifecycle.begun(one.task, one.execution, now)
            for one in candidates
        ]

    if not await change_by_execution(context, [execution.id], decide):
        raise ConflictError(f"The task {execution.task_id!r} was taken from this device meanwhile.")
