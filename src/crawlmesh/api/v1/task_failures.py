"""`/api/v1/tasks/{id}/failures` and `…:retry-failed`: the URLs of a crawl that were given up."""

from typing import Annotated

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api import examples
from crawlmesh.api.auth import OPERATORS, VIEWERS
from crawlmesh.api.bodies import BodyReader, answer
from crawlmesh.api.operations import Body, Success, operation
from crawlmesh.api.pages import FailureCursor, Limit, Page
from crawlmesh.api.parameters import text_filter
from crawlmesh.api.paths import TaskId
from crawlmesh.api.requests import FailedUrls
from crawlmesh.api.services import context_of
from crawlmesh.api.shapes.crawls import FailureShape, failure_shape
from crawlmesh.api.shapes.tasks import TaskShape, task_shape
from crawlmesh.control.failed_urls import failed_urls, retry_failed_urls

router = APIRouter(prefix="/api/v1")

_FAILED_URLS = BodyReader(FailedUrls, required=False)


@router.get(
    "/tasks/{task_id:task}/failures",
    **operation(
        "list_task_failures",
        "The URLs of a crawl that were given up",
        tag="tasks",
        roles=VIEWERS,
        success=Success(Page[FailureShape], examples.page_of(examples.FAILURE)),
        errors=(404,),
    ),
)
async def list_task_failures(
    request: Request,
    task_id: TaskId,
    reason: Annotated[
        str | None, text_filter("Only those given up for this reason, one of `by_reason` of the progress.")
    ] = None,
    cursor: FailureCursor = None,
    limit: Limit = 100,
) -> Response:
    """In the order in which they were found."""
    links = await failed_urls(context_of(request), task_id, reason, after=int(cursor or 0), limit=limit + 1)
    page = links[:limit]
    more = str(page[-1].link_id) if len(links) > limit else None
    return answer(Page([failure_shape(link) for link in page], more))


@router.post(
    "/tasks/{task_id:task}:retry-failed",
    **operation(
        "retry_failed_urls",
        "Try the URLs of a crawl once more that were given up",
        tag="tasks",
        roles=OPERATORS,
        description="All of them, those given up for one reason, or those that are named.",
        body=Body(FailedUrls, {"reason": "http_500"}, required=False),
        success=Success(TaskShape, {**examples.TASK, "status": "pending"}),
        errors=(404, 409),
    ),
)
async def retry_failed(request: Request, task_id: TaskId) -> Response:
    """Only the URLs that failed; what was fetched stays."""
    wanted = await _FAILED_URLS.read(request)
    return answer(
        task_shape(await retry_failed_urls(context_of(request), task_id, wanted.reason, wanted.urls))
    )
