"""`/api/v1/system/overview`, and `/health` for everybody."""

import msgspec
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api.auth import VIEWERS
from crawlmesh.api.bodies import answer
from crawlmesh.api.operations import Success, operation
from crawlmesh.api.services import context_of, services_of
from crawlmesh.api.shapes.system import OverviewShape, overview_shape
from crawlmesh.control.crawl_store_state import crawl_store_state
from crawlmesh.control.overview import overview
from crawlmesh.version import __version__

router = APIRouter(prefix="/api/v1")
open_router = APIRouter()


class HealthAnswer(msgspec.Struct, frozen=True):
    """The master works. `leader`: whether it is the one that schedules.

    `status` is `degraded` while the `crawl_store` is `away`: crawls wait, all other tasks go on.
    """

    status: str
    version: str
    leader: bool
    crawl_store: str


@router.get(
    "/system/overview",
    **operation(
        "get_overview",
        "The whole cluster at a glance",
        tag="system",
        roles=VIEWERS,
        success=Success(OverviewShape),
    ),
)
async def get_overview(request: Request) -> Response:
    """Counters of everything, and means over the nodes that are online."""
    leads = services_of(request).options.leads()
    return answer(overview_shape(await overview(context_of(request), leads=leads)))


@open_router.get(
    "/health",
    **operation(
        "get_health",
        "Whether this master works",
        tag="system",
        roles=None,
        description="Needs no key.",
        success=Success(
            HealthAnswer, {"status": "ok", "version": "0.2.0", "leader": True, "crawl_store": "connected"}
        ),
    ),
)
async def get_health(request: Request) -> Response:
    """Asks nothing of the control store."""
    state = (await crawl_store_state(context_of(request))).state
    status = "ok" if state == "connected" else "degraded"
    return answer(HealthAnswer(status, __version__, services_of(request).options.leads(), state))
