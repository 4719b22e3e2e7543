"""Put a task on a node that a person chose, instead of the scheduler (S4)."""

from crawlmesh.control.changing import change_task, known_node
from crawlmesh.control.context import ControlContext
from crawlmesh.errors import ConflictError
from crawlmesh.model.change import TaskChange
from crawlmesh.model.execution import Execution
from crawlmesh.model.node import Node, NodeStatus
from crawlmesh.model.task import WEB_CRAWL, Task
from crawlmesh.rules import task_lifecycle
from crawlmesh.rules.compatibility import obstacles
from crawlmesh.rules.resource_allocation import allocate


async def assign_task(context: ControlContext, task_id: str, node_id: str) -> Task:
    """The node gets the task with its next pull.

    Raises NotFoundError, and ConflictError where the task has no open place, the node cannot do it, or
    all places of the node are taken.
    """
    node = await known_node(context, node_id)
    taken = len(await context.store.node_assignments(node_id))

    def decide(task: Task, running: tuple[Execution, ...]) -> TaskChange:
        _check(task, node, taken, running)
        now = context.clock.now()
        return task_lifecycle.placed(task, _execution(context, task, node, now), now)

    return await change_task(context, task_id, decide)


def _check(task: Task, node: Node, taken: int, running: tuple[Execution, ...]) -> None:
    if node.status is not NodeStatus.ONLINE:
        raise ConflictError(f"The node {node.id!r} is {node.status}; only one that is online gets work.")
    if any(execution.node_id == node.id for execution in running):
        raise ConflictError(f"The node {node.id!r} works on the task {task.id!r} already.")
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
