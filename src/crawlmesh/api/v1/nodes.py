"""`/api/v1/nodes`: look at nodes, drain them, take them out of service, forget them."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Annotated

import msgspec
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api import examples
from crawlmesh.api.auth import ADMINS, OPERATORS, VIEWERS
from crawlmesh.api.bodies import answer, nothing
from crawlmesh.api.operations import Success, operation
from crawlmesh.api.pages import ExecutionCursor, Limit, NodeCursor, Page
from crawlmesh.api.parameters import HealthStatuses, Moment, NodeStatuses, text_filter, unix
from crawlmesh.api.paths import NodeId
from crawlmesh.api.services import context_of
from crawlmesh.api.shapes.nodes import (
    HeartbeatShape,
    NodeShape,
    NodeStatsShape,
    heartbeat_shape,
    node_shape,
    node_stats_shape,
)
from crawlmesh.api.shapes.tasks import ExecutionShape, execution_shape
from crawlmesh.control.changing import known_node
from crawlmesh.control.context import ControlContext
from crawlmesh.control.drain_node import drain_node
from crawlmesh.control.maintain_node import maintain_node
from crawlmesh.control.node_stats import node_stats
from crawlmesh.control.remove_node import remove_node
from crawlmesh.control.resume_node import resume_node
from crawlmesh.model.node import Node
from crawlmesh.model.query import NodeQuery

router = APIRouter(prefix="/api/v1")

Steer = Callable[[ControlContext, str], Awaitable[Node]]


class HeartbeatsAnswer(msgspec.Struct, frozen=True):
    """Heartbeats, oldest first."""

    items: Sequence[HeartbeatShape]


@router.get(
    "/nodes",
    **operation(
        "list_nodes",
        "List nodes",
        tag="nodes",
        roles=VIEWERS,
        success=Success(Page[NodeShape], examples.page_of(examples.NODE)),
    ),
)
async def list_nodes(
    request: Request,
    status: NodeStatuses = [],  # noqa: B006 - FastAPI copies it
    health: HealthStatuses = [],  # noqa: B006
    cluster_id: Annotated[str | None, text_filter("Only nodes of this cluster.")] = None,
    node_type: Annotated[str | None, text_filter("Only nodes of this type.")] = None,
    region: Annotated[str | None, text_filter("Only nodes in this region.")] = None,
    search: Annotated[str | None, text_filter("A part of the id or the name.")] = None,
    cursor: NodeCursor = None,
    limit: Limit = 50,
) -> Response:
    """A page of nodes, by id."""
    query = NodeQuery(
        statuses=tuple(status),
        health=tuple(health),
        cluster_id=cluster_id,
        node_type=node_type,
        region=region,
        search=search,
        cursor=cursor,
        limit=limit,
    )
    page = await context_of(request).store.list_nodes(query)
    return answer(Page([node_shape(node) for node in page.nodes], page.cursor))


@router.get(
    "/nodes/{node_id:id}",
    **operation(
        "get_node",
        "Look at a node",
        tag="nodes",
        roles=VIEWERS,
        success=Success(NodeShape, examples.NODE),
        errors=(404,),
    ),
)
async def get_node(request: Request, node_id: NodeId) -> Response:
    """One node, with its latest readings and health."""
    return answer(node_shape(await known_node(context_of(request), node_id)))


@router.get(
    "/nodes/{node_id:id}/heartbeats",
    **operation(
        "list_node_heartbeats",
        "What a node reported of itself",
        tag="nodes",
        roles=VIEWERS,
        success=Success(HeartbeatsAnswer),
        errors=(404,),
    ),
)
async def list_node_heartbeats(
    request: Request, node_id: NodeId, since: Moment = None, limit: Limit = 100
) -> Response:
    """For charts: from a moment on, as far back as heartbeats are kept."""
    context = context_of(request)
    await known_node(context, node_id)
    found = await context.store.heartbeat_history(node_id, unix(since) or 0.0, limit)
    return answer(HeartbeatsAnswer([heartbeat_shape(heartbeat) for heartbeat in found]))


@router.get(
    "/nodes/{node_id:id}/executions",
    **operation(
        "list_node_executions",
        "The goes of a node",
        tag="executions",
        roles=VIEWERS,
        success=Success(Page[ExecutionShape], examples.page_of(examples.EXECUTION)),
        errors=(404,),
    ),
)
async def list_node_executions(
    request: Request, node_id: NodeId, cursor: ExecutionCursor = None, limit: Limit = 50
) -> Response:
    """Newest first."""
    context = context_of(request)
    await known_node(context, node_id)
    found = await context.store.executions_of_node(node_id, limit + 1, cursor or "")
    page = found[:limit]
    more = page[-1].id if len(found) > limit else None
    return answer(Page([execution_shape(each) for each in page], more))


@router.get(
    "/nodes/{node_id:id}/stats",
    **operation(
        "get_node_stats",
        "How a node fares",
        tag="nodes",
        roles=VIEWERS,
        success=Success(NodeStatsShape),
        errors=(404,),
    ),
)
async def get_node_stats(request: Request, node_id: NodeId) -> Response:
    """Numbers over its latest executions."""
    return answer(node_stats_shape(await node_stats(context_of(request), node_id)))


def _add_order(word: str, steer: Steer, summary: str, status: str) -> None:
    @router.post(
        f"/nodes/{{node_id:id}}:{word}",
        name=f"{word}_node",
        **operation(
            f"{word}_node",
            summary,
            tag="nodes",
            roles=OPERATORS,
            success=Success(NodeShape, {**examples.NODE, "status": status}),
            errors=(404, 409),
        ),
    )
    async def steer_node(request: Request, node_id: NodeId) -> Response:
        return answer(node_shape(await steer(context_of(request), node_id)))


_add_order("drain", drain_node, "Let a node finish what runs, then leave", "draining")
_add_order("maintenance", maintain_node, "Give a node nothing new until it is resumed", "maintenance")
_add_order("resume", resume_node, "Let a node take work again", "online")


@router.delete(
    "/nodes/{node_id:id}",
    **operation(
        "remove_node",
        "Forget a node",
        tag="nodes",
        roles=ADMINS,
        success=Success(None, status=204, description="It is forgotten, and its work goes to others."),
        errors=(404, 409),
    ),
)
async def delete_node(request: Request, node_id: NodeId) -> Response:
    """Its executions stay."""
    await remove_node(context_of(request), node_id)
    return nothing()
