"""`/api/distribution/system/overview`."""

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api.auth import VIEWERS
from crawlmesh.api.bodies import answer
from crawlmesh.api.operations import Success, operation
from crawlmesh.api.services import context_of, services_of
from crawlmesh.api.shapes.system import OverviewShape, overview_shape
from crawlmesh.control.overview import overview

router = APIRouter(prefix="/api/distribution")


@router.get(
    "/system/overview",
    **operation(
        "get_distribution_overview",
        "The whole system at a glance",
        tag="distribution",
        roles=VIEWERS,
        success=Success(OverviewShape),
    ),
)
async def get_distribution_overview(request: Request) -> Response:
    """The same as `/api/v1/system/overview`."""
    leads = services_of(request).options.leads()
    return answer(overview_shape(await overview(context_of(request), leads=leads)))
