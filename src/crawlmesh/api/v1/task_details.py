"""`/api/v1/tasks/{id}/…`: executions, records, logs, progress, hosts, why, explain."""

from collections.abc import Sequence
from typing import Annotated

import msgspec
from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api import examples
from crawlmesh.api.auth import VIEWERS
from crawlmesh.api.bodies import answer
from crawlmesh.api.operations import Success, operation
from crawlmesh.api.pages import Limit, Page, RecordCursor
from crawlmesh.api.parameters import After, text_filter
from crawlmesh.api.paths import TaskId
from crawlmesh.api.services import context_of
from crawlmesh.api.shapes.crawls import (
    HostsAnswer,
    ProgressShape,
    RecordShape,
    WhyAnswer,
    host_shape,
    progress_shape,
    record_shape,
    why_answer,
)
from crawlmesh.api.shapes.events import LogsAnswer, log_line_shape
from crawlmesh.api.shapes.tasks import ExecutionShape, ExplanationShape, execution_shape, explanation_shape
from crawlmesh.control.changing import known_task
from crawlmesh.control.crawl_state import crawl_progress
from crawlmesh.control.explain_task import explain_task
from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.rules.url_identity import ParameterFilter, canonicalize

router = APIRouter(prefix="/api/v1")

_ALL_PARAMETERS_COUNT = ParameterFilter(())  # a web_crawl ignores none


class ExecutionsAnswer(msgspec.Struct, frozen=True):
    """All executions of a task, oldest first."""

    items: Sequence[ExecutionShape]


@router.get(
    "/tasks/{task_id:task}/executions",
    **operation(
        "list_task_executions",
        "The goes of nodes at a task",
        tag="executions",
        roles=VIEWERS,
        success=Success(ExecutionsAnswer, {"items": [examples.EXECUTION]}),
        errors=(404,),
    ),
)
async def list_task_executions(request: Request, task_id: TaskId) -> Response:
    """Which nodes worked on it, when and how it ended."""
    context = context_of(request)
    await known_task(context, task_id)
    executions = await context.store.task_executions(task_id)
    return answer(ExecutionsAnswer([execution_shape(execution) for execution in executions]))


@router.get(
    "/tasks/{task_id:task}/records",
    **operation(
        "list_task_records",
        "What a crawl extracted",
        tag="tasks",
        roles=VIEWERS,
        success=Success(Page[RecordShape], examples.page_of(examples.RECORD)),
        errors=(404,),
    ),
)
async def list_task_records(
    request: Request, task_id: TaskId, cursor: RecordCursor = None, limit: Limit = 100
) -> Response:
    """The records page by page, one for each page that yielded something."""
    context = context_of(request)
    await known_task(context, task_id)
    after = int(cursor or 0)
    has_crawl = await crawl_progress(context, task_id) is not None
    records = await context.crawl_store.records(task_id, after, limit + 1) if has_crawl else []
    page = records[:limit]
    more = str(page[-1].link_id) if len(records) > limit else None
    return answer(Page([record_shape(record) for record in page], more))


@router.get(
    "/tasks/{task_id:task}/logs",
    **operation(
        "list_task_logs",
        "What the executions of a task logged",
        tag="tasks",
        roles=VIEWERS,
        success=Success(LogsAnswer, {"items": [examples.LOG_LINE], "last_id": 12}),
        errors=(404,),
    ),
)
async def list_task_logs(
    request: Request,
    task_id: TaskId,
    execution_id: Annotated[str | None, text_filter("Only lines of this execution.")] = None,
    after: After = 0,
    limit: Limit = 1000,
) -> Response:
    """Lines in the order in which they came in."""
    context = context_of(request)
    await known_task(context, task_id)
    lines = await context.store.logs(task_id, execution_id=execution_id, after=after, limit=limit)
    return answer(LogsAnswer([log_line_shape(line) for line in lines], lines[-1].id if lines else after))


@router.get(
    "/tasks/{task_id:task}/progress",
    **operation(
        "get_task_progress",
        "How far a crawl is",
        tag="tasks",
        roles=VIEWERS,
        success=Success(ProgressShape, examples.PROGRESS),
        errors=(404,),
    ),
)
async def get_task_progress(request: Request, task_id: TaskId) -> Response:
    """The counters of the crawl; all zero until a node begins."""
    context = context_of(request)
    task = await known_task(context, task_id)
    progress = await crawl_progress(context, task_id)
    shape = progress_shape(task_id, progress or CrawlProgress())
    return answer(shape if progress else msgspec.structs.replace(shape, finished=task.ended))


@router.get(
    "/tasks/{task_id:task}/hosts",
    **operation(
        "list_task_hosts",
        "The hosts of a crawl",
        tag="tasks",
        roles=VIEWERS,
        success=Success(HostsAnswer),
        errors=(404,),
    ),
)
async def list_task_hosts(request: Request, task_id: TaskId, limit: Limit = 100) -> Response:
    """Those with most dead links first, then the slowest."""
    context = context_of(request)
    await known_task(context, task_id)
    has_crawl = await crawl_progress(context, task_id) is not None
    hosts = await context.crawl_store.hosts(task_id, limit) if has_crawl else []
    return answer(HostsAnswer([host_shape(host) for host in hosts]))


@router.get(
    "/tasks/{task_id:task}/why",
    **operation(
        "why",
        "What became of a URL",
        tag="tasks",
        roles=VIEWERS,
        success=Success(WhyAnswer | None, description="What is known; null where no page linked to it."),
        errors=(404,),
    ),
)
async def why(
    request: Request,
    task_id: TaskId,
    url: Annotated[
        str,
        Query(
            max_length=8192,
            pattern=r"^https?://[^\x00]*$",
            description="The whole address.",
            examples=["https://example.com/products/1"],
        ),
    ],
) -> Response:
    """Where it was found, whether it was fetched, or which rule kept it out."""
    context = context_of(request)
    await known_task(context, task_id)
    identity = canonicalize(url, None, _ALL_PARAMETERS_COUNT)
    if identity is None or await crawl_progress(context, task_id) is None:
        return answer(None)
    entry = await context.crawl_store.explain(task_id, identity.fingerprint)
    return answer(None if entry is None else why_answer(entry))


@router.get(
    "/tasks/{task_id:task}/explain",
    **operation(
        "explain_task",
        "Why a task waits, or why it went to that node",
        tag="tasks",
        roles=VIEWERS,
        success=Success(
            ExplanationShape,
            {
                "task_id": "task-123",
                "status": "pending",
                "summary": "3 nodes lack capability javascript_rendering >= 1; 2 are full.",
                "reasons": ["3 nodes lack capability javascript_rendering >= 1", "2 are full"],
                "placements": [],
                "nodes": 5,
                "fitting": 2,
                "free": 0,
            },
        ),
        errors=(404,),
    ),
)
async def explain(request: Request, task_id: TaskId) -> Response:
    """The exact reasons, for each class of nodes."""
    return answer(explanation_shape(await explain_task(context_of(request), task_id)))
