"""`/api/v1/system/attention`: what somebody should look at."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api import examples
from crawlmesh.api.auth import VIEWERS
from crawlmesh.api.bodies import answer
from crawlmesh.api.operations import Success, operation
from crawlmesh.api.services import context_of, services_of
from crawlmesh.api.shapes.attention import AttentionAnswer, attention_answer
from crawlmesh.control.attention import attention

router = APIRouter(prefix="/api/v1")


@router.get(
    "/system/attention",
    **operation(
        "get_attention",
        "What needs attention",
        tag="system",
        roles=VIEWERS,
        description="Nodes, tasks, hosts, filters and servers that are not well, the most severe first.",
        success=Success(AttentionAnswer, examples.ATTENTION),
    ),
)
async def get_attention(request: Request) -> Response:
    """At most 50, each with the reason."""
    leads = services_of(request).options.leads()
    return answer(attention_answer(await attention(context_of(request), leads=leads)))
