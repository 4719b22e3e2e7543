"""One path for everything that may become of a task: reports of devices, and orders of operators."""

from crawlmesh.api.distribution.shapes import TaskStatusUpdate
from crawlmesh.control.changing import known_node, known_task
from crawlmesh.control.context import ControlContext
from crawlmesh.control.pull import pull
from crawlmesh.control.report import report
from crawlmesh.control.steer_tasks import cancel_task, pause_task, resume_task, retry_task
from crawlmesh.errors import ConflictError, ForbiddenError
from crawlmesh.model.execution import Execution
from crawlmesh.model.task import Task, TaskResult, TaskStatus
from crawlmesh.protocol.node_messages import ExecutionReport, PullMessage, ReportMessage

_ORDERS = {"cancelled": cancel_task, "paused": pause_task}


async def set_task_status(
    context: ControlContext, task_id: str, update: TaskStatusUpdate, own: Execution | None
) -> Task:
    """`own` is the execution of the device that speaks; None: an operator does.

    Raises NotFoundError, ForbiddenError, and ConflictError where the task cannot get this status.
    """
    task = await known_task(context, task_id)
    if update.status in ("processing", "completed", "failed"):
        execution = own or await _only_execution(context, task)
        if update.status == "processing":
            await _begin(context, execution)
        else:
            await _end(context, execution, update)
        return await known_task(context, task_id)
    if own is not None:
        raise ForbiddenError(f"A device may not make a task {update.status}; an operator may.", "status")
    if update.status == "pending":
        return await (resume_task if task.status is TaskStatus.PAUSED else retry_task)(context, task_id)
    return await _ORDERS[update.status](context, task_id)


async def _only_execution(context: ControlContext, task: Task) -> Execution:
    running = await context.store.running_executions([task.id])
    if len(running) != 1:
        raise ConflictError(
            f"{len(running)} devices work on the task {task.id!r}; its status is theirs to tell."
        )
    return running[0]


async def _begin(context: ControlContext, execution: Execution) -> None:
    node = await known_node(context, execution.node_id)
    told = (execution.id,)
    await pull(context, node.id, PullMessage(session=node.session, known=told, started=told, wait=0.0))


async def _end(context: ControlContext, execution: Execution, update: TaskStatusUpdate) -> None:
    node = await known_node(context, execution.node_id)
    succeeded = update.status == "completed"
    ended = ExecutionReport(
        execution_id=execution.id,
        fence=execution.fence,
        outcome="completed" if succeeded else "failed",
        result=TaskResult(
            success=succeeded,
            data=update.result or {},
            error=update.error,
            metrics=update.metrics,
            timestamp=context.clock.now(),
        ),
    )
    told = await report(context, node.id, ReportMessage(session=node.session, reports=(ended,)))
    if not told.taken[0]:
        raise ConflictError(f"The task {execution.task_id!r} was taken from this device meanwhile.")
