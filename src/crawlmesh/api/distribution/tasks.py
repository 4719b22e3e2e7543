"""`/api/distribution/tasks`."""

from typing import Annotated

import msgspec
from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api import examples
from crawlmesh.api.auth import OPERATORS, VIEWERS
from crawlmesh.api.bodies import BodyReader, answer
from crawlmesh.api.distribution.access import (
    device_or_operator,
    find_device,
    known_device,
    worker_or_operator,
)
from crawlmesh.api.distribution.shapes import (
    CreatedDistributionTask,
    DistributionTask,
    PulledTasks,
    TaskAssignment,
    TasksAnswer,
    TaskStatusName,
    TaskStatusUpdate,
    created_distribution_task,
    pulled_task,
    tasks_answer,
)
from crawlmesh.api.distribution.statuses import naming_statuses
from crawlmesh.api.distribution.task_status import set_task_status
from crawlmesh.api.operations import Body, Success, operation
from crawlmesh.api.pages import Limit, TaskCursor
from crawlmesh.api.parameters import IdempotencyKey, Statuses, text_filter
from crawlmesh.api.paths import TaskId
from crawlmesh.api.services import context_of, services_of
from crawlmesh.api.shapes.tasks import TaskShape, task_shape
from crawlmesh.control.assign_task import assign_task
from crawlmesh.control.pull import pull
from crawlmesh.control.submit_tasks import submit_recognising
from crawlmesh.control.task_stats import TaskStats, task_stats
from crawlmesh.model.execution import Assignment
from crawlmesh.model.query import TaskQuery
from crawlmesh.model.task import TaskStatus
from crawlmesh.observability.metrics import CREATED
from crawlmesh.protocol.cursors import order_of
from crawlmesh.protocol.node_messages import PullMessage
from crawlmesh.protocol.texts import NO_NUL
from crawlmesh.rules import task_lifecycle

router = APIRouter(prefix="/api/distribution")

_TAG = "distribution"
_NEW = BodyReader(DistributionTask)
_ASSIGNMENT = BodyReader(TaskAssignment)
_UPDATE = BodyReader(TaskStatusUpdate)

_CREATED = {
    "task_id": "task-123",
    "status": "pending",
    "created_at": "2023-06-15T10:30:45Z",
    "priority": 7,
}


@router.post(
    "/tasks",
    **operation(
        "create_distribution_task",
        "Create a task",
        tag=_TAG,
        roles=OPERATORS,
        body=Body(DistributionTask, {"url": "https://example.com/products", "priority": 7}),
        success=Success(
            CreatedDistributionTask,
            _CREATED,
            201,
            "It was taken in.",
        ),
        also=(
            Success(
                CreatedDistributionTask,
                {**_CREATED, "duplicate": True},
                200,
                "It was submitted before (`deduplicate`): this is the task of then.",
            ),
        ),
        errors=(409,),
    ),
)
async def create_distribution_task(request: Request, idempotency_key: IdempotencyKey = None) -> Response:
    """The fields of `/api/v1/tasks`, and `url` as a short form."""
    new = await _NEW.read(request)
    if new.url is not None:
        new = msgspec.structs.replace(new, url=None, parameters={"url": new.url, **new.parameters})
    services = services_of(request)
    (submitted,) = await submit_recognising(services.context, [new], idempotency_key)
    services.options.measurements.add(CREATED, 0 if submitted.duplicate else 1)
    return answer(created_distribution_task(submitted), 200 if submitted.duplicate else 201)


@router.get(
    "/tasks",
    **operation(
        "list_distribution_tasks",
        "List tasks",
        tag=_TAG,
        roles=VIEWERS,
        success=Success(TasksAnswer, {"tasks": [examples.TASK], "next_cursor": None}),
    ),
)
async def list_distribution_tasks(
    request: Request,
    status: Statuses = [],  # noqa: B006 - FastAPI copies it
    device_id: Annotated[str | None, text_filter("Only tasks that this device got last.")] = None,
    cursor: TaskCursor = None,
    limit: Limit = 50,
) -> Response:
    """A page of tasks, newest first."""
    context = context_of(request)
    device = None if device_id is None else await find_device(context, device_id)
    query = TaskQuery(
        statuses=tuple(status),
        node_id=device_id if device is None else device.id,
        order="-created_at" if cursor is None else order_of(cursor),
        cursor=cursor,
        limit=limit,
    )
    page = await context.store.list_tasks(query)
    return answer(tasks_answer(page.tasks, page.cursor))


@router.get(
    "/tasks/pull",
    **operation(
        "pull_tasks",
        "Pull tasks",
        tag=_TAG,
        roles=None,
        node_token=True,
        description=(
            f"For the device itself, and the roles {' and '.join(sorted(OPERATORS))}. Answers at once. A "
            "task comes again until the device says that it is processing."
        ),
        success=Success(
            PulledTasks,
            {
                "tasks": [
                    {
                        "task_id": "task-123",
                        "execution_id": "exec-01HF3Z8Q4V6N2K7M9P1R3T5W7X",
                        "task_type": "web_crawl",
                        "parameters": {"url": "https://example.com/products"},
                        "priority": 7,
                        "status": "assigned",
                        "retry_count": 0,
                    }
                ]
            },
        ),
        errors=(401, 403, 404, 409),
    ),
)
async def pull_tasks(
    request: Request,
    device_id: Annotated[
        str,
        Query(
            min_length=1,
            max_length=255,
            pattern=NO_NUL,
            description="The device that asks.",
            examples=["worker-001"],
        ),
    ],
    limit: Annotated[int, Query(ge=1, le=1000, description="The most tasks to answer with.")] = 10,
) -> Response:
    """Tasks that the scheduler gave to the device."""
    device = await device_or_operator(request, device_id)
    message = PullMessage(session=device.session, wait=0.0)
    found = await pull(context_of(request), device.id, message)
    work = [pulled_task(each) for each in found.assignments if _is_new(each)]
    return answer(PulledTasks(work[:limit]))


@router.get(
    "/tasks/stats",
    **operation(
        "get_distribution_task_stats",
        "Numbers over all tasks",
        tag=_TAG,
        roles=VIEWERS,
        success=Success(TaskStats),
    ),
)
async def get_distribution_task_stats(request: Request) -> Response:
    """How many tasks there are, by status, and how they fare."""
    return answer(await task_stats(context_of(request)))


@router.put(
    "/tasks/{task_id:id}/assign",
    **operation(
        "assign_task",
        "Assign a task to a device",
        tag=_TAG,
        roles=OPERATORS,
        description=(
            "Instead of the scheduler. The device must be able to do it and have a place free. A task that "
            "is there already stays; one that another device has not begun moves."
        ),
        body=Body(TaskAssignment, {"device_id": "worker-001"}),
        success=Success(TaskShape, {**examples.TASK, "status": "assigned"}),
        errors=(404, 409),
    ),
)
async def assign(request: Request, task_id: TaskId) -> Response:
    """The device gets it with its next pull."""
    context = context_of(request)
    wanted = await _ASSIGNMENT.read(request)
    device = await known_device(context, wanted.device_id)
    return answer(task_shape(await assign_task(context, task_id, device.id)))


@router.put(
    "/tasks/{task_id:id}/status",
    **operation(
        "set_task_status",
        "Tell the status of a task",
        tag=_TAG,
        roles=None,
        node_token=True,
        description=f"For the device that works on it, and the roles {' and '.join(sorted(OPERATORS))}.",
        body=Body(TaskStatusUpdate, {"status": "completed", "result": {"title": "Example"}}),
        success=Success(TaskShape, examples.TASK),
        errors=(401, 403, 404, 409),
    ),
)
async def update_status(request: Request, task_id: TaskId) -> Response:
    """Devices report their work with it; operators steer."""
    own = await worker_or_operator(request, task_id)
    with naming_statuses(TaskStatusName):
        update = await _UPDATE.read(request)
    return answer(task_shape(await set_task_status(context_of(request), task_id, update, own)))


def _is_new(assignment: Assignment) -> bool:
    execution, task = assignment.execution, assignment.task
    if execution.stop is not None or task_lifecycle.is_begun(execution):
        return False
    return task.status is TaskStatus.ASSIGNED or task.max_nodes > 1
