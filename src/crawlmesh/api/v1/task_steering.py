"""`/api/v1/tasks/{id}:cancel` and its like, for one task and for many."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from functools import partial

import msgspec
from fastapi import APIRouter
from msgspec import UNSET, UnsetType
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api import examples
from crawlmesh.api.auth import OPERATORS
from crawlmesh.api.bodies import BodyReader, answer
from crawlmesh.api.operations import Body, Success, operation
from crawlmesh.api.paths import TaskId
from crawlmesh.api.requests import TaskIds, TaskPriorities
from crawlmesh.api.services import context_of
from crawlmesh.api.shapes.tasks import TaskShape, task_shape
from crawlmesh.control.context import ControlContext
from crawlmesh.control.steer_tasks import cancel_task, pause_task, reprioritize, resume_task, retry_task
from crawlmesh.errors import ConflictError, NotFoundError
from crawlmesh.model.task import Task, TaskStatus

router = APIRouter(prefix="/api/v1")

_IDS = BodyReader(TaskIds)
_PRIORITIES = BodyReader(TaskPriorities)
_AT_ONCE = 50  # tasks

Steer = Callable[[ControlContext, str], Awaitable[Task]]

# Word in the path, use case, what it does to one task, the status in the example.
_ORDERS: tuple[tuple[str, Steer, str, str], ...] = (
    ("cancel", cancel_task, "End a task for good", "cancelled"),
    ("pause", pause_task, "Stop a task and keep what is done", "paused"),
    ("resume", resume_task, "Let a paused task go on where it stood", "pending"),
    ("retry", retry_task, "Do a task that ended once more", "pending"),
)


class SteeredTask(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one task of many: its status, or why it was left as it was."""

    id: str
    status: TaskStatus | UnsetType = UNSET
    error: str | UnsetType = UNSET


class SteeredTasks(msgspec.Struct, frozen=True):
    """One for each id, in the order of the request."""

    tasks: Sequence[SteeredTask]


def _add_order(word: str, steer: Steer, summary: str, status: str) -> None:
    @router.post(
        f"/tasks/{{task_id:task}}:{word}",
        name=f"{word}_task",
        **operation(
            f"{word}_task",
            summary,
            tag="tasks",
            roles=OPERATORS,
            success=Success(TaskShape, {**examples.TASK, "status": status}),
            errors=(404, 409),
        ),
    )
    async def steer_one(request: Request, task_id: TaskId) -> Response:
        return answer(task_shape(await steer(context_of(request), task_id)))

    @router.post(
        f"/tasks:{word}",
        name=f"{word}_tasks",
        **operation(
            f"{word}_tasks",
            f"{summary}: for a list of tasks",
            tag="tasks",
            roles=OPERATORS,
            description="Each task stands for itself: the answer says which were not possible, and why.",
            body=Body(TaskIds, {"ids": ["task-123", "task-456"]}),
            success=Success(
                SteeredTasks,
                {
                    "tasks": [
                        {"id": "task-123", "status": status},
                        {"id": "task-456", "error": "There is no task 'task-456'."},
                    ]
                },
            ),
        ),
    )
    async def steer_many(request: Request) -> Response:
        context = context_of(request)
        wanted = await _IDS.read(request)
        return answer(SteeredTasks(await _all_steered(context, steer, wanted.ids)))


async def _all_steered(context: ControlContext, steer: Steer, ids: Sequence[str]) -> list[SteeredTask]:
    """Some at a time: what they change at once, the store writes at once."""
    parts = [ids[begin : begin + _AT_ONCE] for begin in range(0, len(ids), _AT_ONCE)]
    return [
        steered
        for part in parts
        for steered in await asyncio.gather(*(_steered(context, steer, task_id) for task_id in part))
    ]


async def _steered(context: ControlContext, steer: Steer, task_id: str) -> SteeredTask:
    try:
        return SteeredTask(id=task_id, status=(await steer(context, task_id)).status)
    except (NotFoundError, ConflictError) as error:
        return SteeredTask(id=task_id, error=str(error))


for _word, _steer, _summary, _status in _ORDERS:
    _add_order(_word, _steer, _summary, _status)


@router.post(
    "/tasks:prioritize",
    **operation(
        "prioritize_tasks",
        "Change the priority of a list of tasks",
        tag="tasks",
        roles=OPERATORS,
        description="Each task stands for itself: the answer says which were not possible, and why.",
        body=Body(TaskPriorities, {"ids": ["task-123", "task-456"], "priority": 9}),
        success=Success(
            SteeredTasks,
            {
                "tasks": [
                    {"id": "task-123", "status": "pending"},
                    {"id": "task-456", "error": "There is no task 'task-456'."},
                ]
            },
        ),
    ),
)
async def prioritize_tasks(request: Request) -> Response:
    """Put tasks forward or back."""
    context = context_of(request)
    wanted = await _PRIORITIES.read(request)
    steer = partial(reprioritize, priority=wanted.priority)
    return answer(SteeredTasks(await _all_steered(context, steer, wanted.ids)))
