"""Put a task on a node that a person chose, instead of the scheduler (S4)."""

from crawlmesh.control.changing import change_task, known_node, known_task
from crawlmesh.control.context import ControlContext
from crawlmesh.errors import ConflictError
from crawlmesh.model.change import TaskChange
from crawlmesh.model.execution import Execution
from crawlmesh.model.node import Node, NodeStatus
from crawlmesh.model.task import WEB_CRAWL, Task, TaskStatus
from crawlmesh.rules import task_lifecycle
from crawlmesh.rules.compatibility import obstacles
from crawlmesh.rules.resource_allocation import allocate


async def assign_task(context: ControlContext, task_id: str, node_id: str) -> Task:
    """The node gets the task with its next pull; one that it has already stays.

    Where the scheduler was faster and put it elsewhere, it moves, as long as nobody has begun. Raises
    NotFoundError, and ConflictError where the task has no place, the node cannot do it, or is full.
    """
    node = await known_node(context, node_id)
    if await _is_there(context, task_id, node_id):
        return await known_task(context, task_id)
    made: list[TaskChange] = []
    taken = len(await context.store.node_assignments(node_id))

    def decide(task: Task, running: tuple[Execution, ...]) -> TaskChange:
        _check(task, node, taken)
        now = context.clock.now()
        execution = _execution(context, task, node, now)
        elsewhere = [each for each in running if each.stop is None]
        if task.open_places < 1 and elsewhere and _not_begun(task, elsewhere):
            change = task_lifecycle.moved(task, elsewhere[0], execution, running, now)
        else:
            change = task_lifecycle.placed(task, execution, now)
        made.append(change)
        return change

    try:
        task = await change_task(context, task_id, decide)
    except ConflictError:
        if await _is_there(context, task_id, node_id):  # the scheduler had the same idea meanwhile
            return await known_task(context, task_id)
        raise
    context.outbox.placed(made[-1], node)
    return task


async def _is_there(context: ControlContext, task_id: str, node_id: str) -> bool:
    running = await context.store.running_executions([task_id])
    return any(execution.node_id == node_id and execution.stop is None for execution in running)


def _not_begun(task: Task, executions: list[Execution]) -> bool:
    return task.status is TaskStatus.ASSIGNED and not any(map(task_lifecycle.is_begun, executions))


def _check(task: Task, node: Node, taken: int) -> None:
    if node.status is not NodeStatus.ONLINE:
        raise ConflictError(f"The node {node.id!r} is {node.status}; only one that is online gets work.")
    if taken >= node.slots:
        raise ConflictError(f"All {node.slots} places of the node {node.id!r} are taken.")
    found = obstacles(node, task)
    if found:
        reasons = "; ".join(obstacle.reason for obstacle in found)
        raise ConflictError(f"The node {node.id!r} cannot do the task {task.id!r}: it {reasons}.")


def _execution(context: ControlContext, task: Task, node: Node, now: float) -> Execution:
    return Execution(
        id=context.ids.make("exec"),
        task_id=task.id,
        node_id=node.id,
        fence=task.fence + 1,
        start_time=now,
        deadline=_deadline(context, task, now),
        retry_count=task.retry_count,
        allocation=allocate(task, node),
        strategy="manual",
        choice="it was assigned by hand",
    )


def _deadline(context: ControlContext, task: Task, now: float) -> float | None:
    """The same as the scheduler's: a crawl without a time-out of its own has none."""
    if task.timeout is not None:
        return now + task.timeout
    return None if task.task_type == WEB_CRAWL else now + context.options.task_timeout
