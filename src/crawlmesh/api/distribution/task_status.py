"""One path for everything that may become of a task: reports of devices, and orders of operators."""

from crawlmesh.api.distribution.access import known_device
from crawlmesh.api.distribution.shapes import TaskStatusUpdate
from crawlmesh.control.begin_execution import begin_execution
from crawlmesh.control.changing import known_node, known_task
from crawlmesh.control.context import ControlContext
from crawlmesh.control.report import report
from crawlmesh.control.steer_tasks import cancel_task, pause_task, resume_task, retry_task
from crawlmesh.errors import ConflictError, ForbiddenError
from crawlmesh.model.execution import Execution
from crawlmesh.model.task import Task, TaskResult, TaskStatus
from crawlmesh.protocol.node_messages import ExecutionReport, ReportMessage

_ORDERS = {"cancelled": cancel_task, "paused": pause_task}


async def set_task_status(
    context: ControlContext, task_id: str, update: TaskStatusUpdate, own: Execution | None
) -> Task:
    """`own` is the execution of the device that speaks; None: an operator does.

    Raises NotFoundError, ForbiddenError, and ConflictError where the task cannot get this status.
    """
    task = await known_task(context, task_id)
    if update.status in ("processing", "completed", "failed"):
        execution = own or await _meant_execution(context, task, update.device_id)
        if update.status == "processing":
            await begin_execution(context, execution)
        else:
            await _end(context, execution, update)
        return await known_task(context, task_id)
    if own is not None:
        raise ForbiddenError(f"A device may not make a task {update.status}; an operator may.", "status")
    if update.status == "pending":
        return await (resume_task if task.status is TaskStatus.PAUSED else retry_task)(context, task_id)
    return await _ORDERS[update.status](context, task_id)


async def _meant_execution(context: ControlContext, task: Task, device_id: str | None) -> Execution:
    running = await context.store.running_executions([task.id])
    if device_id is not None:
        device = await known_device(context, device_id)
        running = [execution for execution in running if execution.node_id == device.id]
        if not running:
            raise ConflictError(f"The device {device_id!r} does not work on the task {task.id!r}.")
    if len(running) != 1:
        raise ConflictError(
            f"{len(running)} devices work on the task {task.id!r}; name the one that is meant with device_id."
            if running
            else f"No device works on the task {task.id!r}, which is {task.status}."
        )
    return running[0]


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
