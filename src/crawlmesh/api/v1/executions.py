"""`/api/v1/executions/{id}`."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api import examples
from crawlmesh.api.auth import VIEWERS
from crawlmesh.api.bodies import answer
from crawlmesh.api.operations import Success, operation
from crawlmesh.api.paths import ExecutionId
from crawlmesh.api.services import context_of
from crawlmesh.api.shapes.tasks import ExecutionShape, execution_shape
from crawlmesh.errors import NotFoundError

router = APIRouter(prefix="/api/v1")


@router.get(
    "/executions/{execution_id:id}",
    **operation(
        "get_execution",
        "Look at one node's go at a task",
        tag="executions",
        roles=VIEWERS,
        success=Success(ExecutionShape, examples.EXECUTION),
        errors=(404,),
    ),
)
async def get_execution(request: Request, execution_id: ExecutionId) -> Response:
    """Times, allocation, result, and why this node was chosen."""
    found = await context_of(request).store.assignments([execution_id])
    if not found:
        raise NotFoundError(f"There is no execution {execution_id!r}.")
    return answer(execution_shape(found[0].execution))
