"""`/api/v1/tasks`: submit, list, look at, put forward."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api import examples
from crawlmesh.api.auth import OPERATORS, VIEWERS
from crawlmesh.api.bodies import BodyReader, answer
from crawlmesh.api.operations import Body, Success, operation
from crawlmesh.api.pages import Limit, Page, TaskCursor
from crawlmesh.api.parameters import IdempotencyKey, Moment, Statuses, text_filter, unix
from crawlmesh.api.paths import TaskId
from crawlmesh.api.requests import TaskRequest, TasksRequest, TaskUpdate
from crawlmesh.api.services import context_of, services_of
from crawlmesh.api.shapes.tasks import CreatedTask, CreatedTasks, TaskShape, created_task, task_shape
from crawlmesh.control.changing import known_task
from crawlmesh.control.steer_tasks import reprioritize
from crawlmesh.control.submit_tasks import submit_recognising
from crawlmesh.control.task_stats import TaskStats, task_stats
from crawlmesh.model.query import TaskOrder, TaskQuery
from crawlmesh.observability.metrics import CREATED
from crawlmesh.protocol.cursors import order_of

router = APIRouter(prefix="/api/v1")

_TASK = BodyReader(TaskRequest)
_TASKS = BodyReader(TasksRequest)
_UPDATE = BodyReader(TaskUpdate)


@router.post(
    "/tasks",
    **operation(
        "create_task",
        "Submit a task",
        tag="tasks",
        roles=OPERATORS,
        body=Body(TaskRequest, examples.TASK_REQUEST),
        success=Success(
            CreatedTask, examples.CREATED_TASK, 201, "It was taken in.", {"Location": "The path of the task."}
        ),
        also=(
            Success(
                CreatedTask,
                {**examples.CREATED_TASK, "duplicate": True},
                200,
                "It was submitted before (`deduplicate`): this is the task of then.",
                {"Location": "The path of the task."},
            ),
        ),
        errors=(409,),
    ),
)
async def create_task(request: Request, idempotency_key: IdempotencyKey = None) -> Response:
    """Take one task in."""
    services = services_of(request)
    wanted = await _TASK.read(request)
    (submitted,) = await submit_recognising(services.context, [wanted], idempotency_key)
    services.options.measurements.add(CREATED, 0 if submitted.duplicate else 1)
    shape = created_task(submitted.task, duplicate=submitted.duplicate)
    return answer(
        shape, 200 if submitted.duplicate else 201, {"Location": f"/api/v1/tasks/{submitted.task.id}"}
    )


@router.post(
    "/tasks:batch",
    **operation(
        "create_tasks",
        "Submit many tasks",
        tag="tasks",
        roles=OPERATORS,
        description="All are taken in, or none.",
        body=Body(TasksRequest, {"tasks": [examples.TASK_REQUEST]}),
        success=Success(CreatedTasks, {"tasks": [examples.CREATED_TASK]}, 201, "They were taken in."),
        errors=(409,),
    ),
)
async def create_tasks(request: Request, idempotency_key: IdempotencyKey = None) -> Response:
    """Take many tasks in."""
    services = services_of(request)
    wanted = await _TASKS.read(request)
    submitted = await submit_recognising(services.context, wanted.tasks, idempotency_key)
    services.options.measurements.add(CREATED, sum(not each.duplicate for each in submitted))
    shapes = [created_task(each.task, duplicate=each.duplicate) for each in submitted]
    return answer(CreatedTasks(shapes), 201)


@router.get(
    "/tasks",
    **operation(
        "list_tasks",
        "List tasks",
        tag="tasks",
        roles=VIEWERS,
        description="Where few of very many tasks fit, a page may have few or none while others follow.",
        success=Success(Page[TaskShape], examples.page_of(examples.TASK)),
    ),
)
async def list_tasks(
    request: Request,
    status: Statuses = [],  # noqa: B006 - FastAPI copies it
    project_id: Annotated[str | None, text_filter("Only tasks of this project.")] = None,
    workflow_id: Annotated[str | None, text_filter("Only tasks of this workflow.")] = None,
    task_type: Annotated[str | None, text_filter("Only tasks of this type.")] = None,
    node_id: Annotated[str | None, text_filter("Only tasks that this node got last.")] = None,
    category: Annotated[str | None, text_filter("Only tasks of this category.")] = None,
    priority: Annotated[int | None, Query(ge=1, le=10, description="Only tasks of this priority.")] = None,
    created_after: Moment = None,
    created_before: Moment = None,
    search: Annotated[str | None, text_filter("A part of the id or of the parameters.")] = None,
    sort: Annotated[TaskOrder, Query(description="The order; with a minus, descending.")] = "-created_at",
    results: Annotated[
        bool, Query(description="Whether `result.data` is told; false: it is empty, and the answer small.")
    ] = True,
    cursor: TaskCursor = None,
    limit: Limit = 50,
) -> Response:
    """A page of tasks."""
    query = TaskQuery(
        statuses=tuple(status),
        project_id=project_id,
        workflow_id=workflow_id,
        task_type=task_type,
        node_id=node_id,
        category=category,
        priority=priority,
        created_after=unix(created_after),
        created_before=unix(created_before),
        search=search,
        order=sort if cursor is None else order_of(cursor),
        cursor=cursor,
        limit=limit,
    )
    page = await context_of(request).store.list_tasks(query)
    return answer(Page([task_shape(task, with_data=results) for task in page.tasks], page.cursor))


@router.get(
    "/tasks/stats",
    **operation(
        "get_task_stats",
        "Numbers over all tasks",
        tag="tasks",
        roles=VIEWERS,
        success=Success(TaskStats),
    ),
)
async def get_task_stats(request: Request) -> Response:
    """How many tasks there are, by status."""
    return answer(await task_stats(context_of(request)))


@router.get(
    "/tasks/{task_id:task}",
    **operation(
        "get_task",
        "Look at a task",
        tag="tasks",
        roles=VIEWERS,
        success=Success(TaskShape, examples.TASK),
        errors=(404,),
    ),
)
async def get_task(request: Request, task_id: TaskId) -> Response:
    """One task, with its result."""
    return answer(task_shape(await known_task(context_of(request), task_id)))


@router.patch(
    "/tasks/{task_id:task}",
    **operation(
        "update_task",
        "Change the priority of a task",
        tag="tasks",
        roles=OPERATORS,
        body=Body(TaskUpdate, {"priority": 9}),
        success=Success(TaskShape, {**examples.TASK, "priority": 9}),
        errors=(404, 409),
    ),
)
async def update_task(request: Request, task_id: TaskId) -> Response:
    """Put a task forward or back."""
    update = await _UPDATE.read(request)
    return answer(task_shape(await reprioritize(context_of(request), task_id, update.priority)))
