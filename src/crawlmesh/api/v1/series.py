"""`/api/v1/system/series`, `/tasks/{id}/series`, `/nodes/{id}/series`: the points of charts."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api import examples
from crawlmesh.api.auth import VIEWERS
from crawlmesh.api.bodies import answer
from crawlmesh.api.operations import Success, operation
from crawlmesh.api.paths import NodeId, TaskId
from crawlmesh.api.services import context_of
from crawlmesh.api.shapes.series import (
    ClusterSeriesShape,
    NodeSeriesShape,
    TaskSeriesShape,
    cluster_series_shape,
    node_series_shape,
    task_series_shape,
)
from crawlmesh.control.series import cluster_series, node_series, task_series
from crawlmesh.model.sample import Span

router = APIRouter(prefix="/api/v1")

HowFarBack = Annotated[
    Span,
    Query(description="How far back: points of 5 seconds, of 2 minutes or of an hour."),
]
_DESCRIPTION = (
    "One point for each step, oldest first. A point has null where nothing is known of its time: "
    "nobody looked, or the cluster was down."
)


@router.get(
    "/system/series",
    **operation(
        "get_cluster_series",
        "The cluster over time",
        tag="system",
        roles=VIEWERS,
        description=_DESCRIPTION,
        success=Success(ClusterSeriesShape, examples.CLUSTER_SERIES),
    ),
)
async def get_cluster_series(request: Request, span: HowFarBack = Span.MINUTES) -> Response:
    """Pages, bytes and failed requests per second; what waits, what runs, and the nodes."""
    return answer(cluster_series_shape(await cluster_series(context_of(request), span)))


@router.get(
    "/tasks/{task_id:task}/series",
    **operation(
        "get_task_series",
        "A crawl over time",
        tag="tasks",
        roles=VIEWERS,
        description=f"{_DESCRIPTION} Only crawls have points.",
        success=Success(TaskSeriesShape, examples.TASK_SERIES),
        errors=(404,),
    ),
)
async def get_task_series(request: Request, task_id: TaskId, span: HowFarBack = Span.MINUTES) -> Response:
    """How fast it is, and how far."""
    return answer(task_series_shape(await task_series(context_of(request), task_id, span)))


@router.get(
    "/nodes/{node_id:id}/series",
    **operation(
        "get_node_series",
        "A node over time",
        tag="nodes",
        roles=VIEWERS,
        description=f"{_DESCRIPTION} It goes as far back as heartbeats are kept.",
        success=Success(NodeSeriesShape, examples.NODE_SERIES),
        errors=(404,),
    ),
)
async def get_node_series(request: Request, node_id: NodeId, span: HowFarBack = Span.MINUTES) -> Response:
    """Means of what its heartbeats told."""
    return answer(node_series_shape(await node_series(context_of(request), node_id, span)))
