"""Load, decide, compare-and-set; what was refused is loaded and decided again, nothing else."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import NamedTuple

from crawlmesh.control.context import ControlContext
from crawlmesh.errors import ConflictError, NotFoundError
from crawlmesh.model.change import NodeChange, TaskChange
from crawlmesh.model.execution import Assignment, Execution, ExecutionStatus
from crawlmesh.model.node import Node
from crawlmesh.model.task import Task

_MOST_TRIES = 16

LeaderFence = Callable[[], int | None]
"""Gives the fence to write under; raises NotLeaderError where the lead is gone."""


class Candidate(NamedTuple):
    """A running execution with its task, and everything of that task that runs (this one included)."""

    execution: Execution
    task: Task
    running: tuple[Execution, ...]


DecideTask = Callable[[Task, tuple[Execution, ...]], TaskChange]
DecideBatch = Callable[[list[Candidate]], Awaitable[list[TaskChange | None]]]


def nobody_leads() -> int | None:
    """For changes that any master may make."""
    return None


async def known_task(context: ControlContext, task_id: str) -> Task:
    """The task of this id. Raises NotFoundError."""
    found = await context.store.tasks_by_id([task_id])
    if not found:
        raise NotFoundError(f"There is no task {task_id!r}.")
    return found[0]


async def known_node(context: ControlContext, node_id: str) -> Node:
    """The node of this id. Raises NotFoundError."""
    node = await context.store.node(node_id)
    if node is None:
        raise NotFoundError(f"There is no node {node_id!r}; it has to register first.")
    return node


async def change_task(context: ControlContext, task_id: str, decide: DecideTask) -> Task:
    """Change one task. `decide` gets it with its running executions, and again after a lost race."""
    for _ in range(_MOST_TRIES):
        task = await known_task(context, task_id)
        running = await context.store.running_executions([task_id])
        change = decide(task, tuple(running))
        if (await context.store.change_tasks([change], now=context.clock.now()))[0]:
            tell_freed(context, [change])
            return change.task
    raise ConflictError(f"The task {task_id!r} changes faster than it can be steered; try again.")


async def change_node(context: ControlContext, node_id: str, decide: Callable[[Node], NodeChange]) -> Node:
    """Change one node. `decide` gets it again after a lost race."""
    for _ in range(_MOST_TRIES):
        change = decide(await known_node(context, node_id))
        if (await context.store.change_nodes([change], now=context.clock.now()))[0]:
            context.remembered.forget_node(node_id)
            return change.node
    raise ConflictError(f"The node {node_id!r} changes faster than it can be steered; try again.")


async def change_by_execution(
    context: ControlContext,
    ids: Iterable[str],
    decide: DecideBatch,
    fence: LeaderFence = nobody_leads,
) -> set[str]:
    """Change the tasks of running executions, one change for each execution, in as few calls as can be.

    `decide` gives one change or None for each candidate. Returns the ids whose change was taken; the
    others do not run any more, or `decide` left them alone. Raises ConflictError where races go on.
    """
    left = list(dict.fromkeys(ids))
    taken: set[str] = set()
    for _ in range(_MOST_TRIES):
        if not left:
            return taken
        candidates, left = await _candidates(context, left)
        refused = await _decide_and_write(context, candidates, decide, fence, taken)
        left += refused
    if left:
        raise ConflictError(f"{len(left)} executions change faster than they can be settled; try again.")
    return taken


async def _candidates(context: ControlContext, ids: Sequence[str]) -> tuple[list[Candidate], list[str]]:
    """The running ones of these, at most one for each task, and the ids that have to wait for that."""
    firsts: dict[str, Assignment] = {}
    later: list[str] = []
    for assignment in await context.store.assignments(ids):
        if assignment.execution.status is not ExecutionStatus.RUNNING:
            continue
        if firsts.setdefault(assignment.task.id, assignment) is not assignment:
            later.append(assignment.execution.id)
    running: dict[str, list[Execution]] = {task_id: [] for task_id in firsts}
    if firsts:  # also of a task for one node: what shall stop there runs beside what has begun elsewhere
        for execution in await context.store.running_executions(list(firsts)):
            running[execution.task_id].append(execution)
    candidates = [
        Candidate(each.execution, each.task, tuple(running[task_id])) for task_id, each in firsts.items()
    ]
    return candidates, later


async def _decide_and_write(
    context: ControlContext,
    candidates: list[Candidate],
    decide: DecideBatch,
    fence: LeaderFence,
    taken: set[str],
) -> list[str]:
    """Returns the ids whose change was refused; those that were taken are added to `taken`."""
    if not candidates:
        return []
    decided = [
        (candidate.execution.id, change)
        for candidate, change in zip(candidates, await decide(candidates), strict=True)
        if change is not None
    ]
    if not decided:
        return []
    changes = [change for _, change in decided]
    answers = await context.store.change_tasks(changes, leader_fence=fence(), now=context.clock.now())
    refused = []
    for (execution_id, change), answer in zip(decided, answers, strict=True):
        if answer:
            taken.add(execution_id)
            tell_freed(context, [change])
        else:
            refused.append(execution_id)
    return refused


def tell_freed(context: ControlContext, changes: Iterable[TaskChange]) -> None:
    """Let the scheduler know at once which places became free."""
    for change in changes:
        for execution in change.executions:
            if execution.status is not ExecutionStatus.RUNNING:
                context.signals.freed(execution.node_id)
