"""`/api/v1/hosts`: the web servers of all crawls, and the limits that users lay down for them."""

from typing import Annotated

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api import examples
from crawlmesh.api.auth import OPERATORS, VIEWERS
from crawlmesh.api.bodies import BodyReader, answer, nothing
from crawlmesh.api.operations import Body, Success, operation
from crawlmesh.api.pages import HostCursor, Limit, Page
from crawlmesh.api.parameters import text_filter
from crawlmesh.api.paths import HostName
from crawlmesh.api.requests import HostLimitsRequest
from crawlmesh.api.services import context_of
from crawlmesh.api.shapes.hosts import HostStatusShape, host_status_shape
from crawlmesh.control.free_host import free_host
from crawlmesh.control.limit_host import limit_host
from crawlmesh.control.look_at_hosts import get_host, list_hosts
from crawlmesh.model.host import HostLimits

router = APIRouter(prefix="/api/v1")

_LIMITS = BodyReader(HostLimitsRequest)


@router.get(
    "/hosts",
    **operation(
        "list_hosts",
        "List hosts",
        tag="hosts",
        roles=VIEWERS,
        success=Success(Page[HostStatusShape], examples.page_of(examples.HOST)),
    ),
)
async def get_hosts(
    request: Request,
    search: Annotated[str | None, text_filter("A part of the name.")] = None,
    cursor: HostCursor = None,
    limit: Limit = 100,
) -> Response:
    """The hosts that crawls met or that have limits, by name."""
    found, more = await list_hosts(context_of(request), search=search, cursor=cursor, limit=limit)
    return answer(Page([host_status_shape(status) for status in found], more))


@router.get(
    "/hosts/{host:host}",
    **operation(
        "get_host",
        "Look at a host",
        tag="hosts",
        roles=VIEWERS,
        success=Success(HostStatusShape, examples.HOST),
        errors=(404,),
    ),
)
async def get_one_host(request: Request, host: HostName) -> Response:
    """One host over all crawls."""
    return answer(host_status_shape(await get_host(context_of(request), host)))


@router.put(
    "/hosts/{host:host}/limits",
    **operation(
        "limit_host",
        "Limit a host, or block it",
        tag="hosts",
        roles=OPERATORS,
        description=(
            "For all crawls and nodes, from the next lease on; the limits replace the former ones. The "
            "longer delay of these and the host's own holds. What nodes have leased of a blocked host is "
            "finished. 404: no host can have this name."
        ),
        body=Body(HostLimitsRequest, examples.HOST_LIMITS),
        success=Success(HostStatusShape, examples.HOST),
        errors=(404,),
    ),
)
async def put_limits(request: Request, host: HostName) -> Response:
    """The host need not be known yet."""
    told = await _LIMITS.read(request)
    limits = HostLimits(told.delay, told.slots, told.blocked)
    return answer(host_status_shape(await limit_host(context_of(request), host, limits)))


@router.delete(
    "/hosts/{host:host}/limits",
    **operation(
        "free_host",
        "Take the limits of a host away",
        tag="hosts",
        roles=OPERATORS,
        success=Success(None, status=204, description="It has none any more."),
        errors=(404,),
    ),
)
async def delete_limits(request: Request, host: HostName) -> Response:
    """Its links go on."""
    await free_host(context_of(request), host)
    return nothing()
