"""`/api/v1/clusters`."""

from collections.abc import Sequence
from typing import Any

import msgspec
from fastapi import APIRouter
from msgspec import UNSET
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api import examples
from crawlmesh.api.auth import ADMINS, VIEWERS
from crawlmesh.api.bodies import BodyReader, answer, nothing
from crawlmesh.api.operations import Body, Success, operation
from crawlmesh.api.paths import ClusterId
from crawlmesh.api.requests import ClusterRequest, ClusterUpdate
from crawlmesh.api.services import context_of
from crawlmesh.api.shapes.nodes import ClusterShape, cluster_shape
from crawlmesh.control.clusters import (
    create_cluster,
    delete_cluster,
    get_cluster,
    list_clusters,
    update_cluster,
)

router = APIRouter(prefix="/api/v1")

_NEW = BodyReader(ClusterRequest)
_UPDATE = BodyReader(ClusterUpdate)
_REQUEST_EXAMPLE = {"name": "us-east", "description": "Nodes in the east"}


class ClustersAnswer(msgspec.Struct, frozen=True):
    """All clusters, by name."""

    items: Sequence[ClusterShape]


@router.get(
    "/clusters",
    **operation(
        "list_clusters",
        "List clusters",
        tag="clusters",
        roles=VIEWERS,
        success=Success(ClustersAnswer, {"items": [{**examples.CLUSTER, "nodes": 4, "online": 3}]}),
    ),
)
async def get_clusters(request: Request) -> Response:
    """All clusters, each with how many nodes it has and how many of them are online."""
    found = await list_clusters(context_of(request))
    return answer(ClustersAnswer([cluster_shape(each.cluster, each.nodes, each.online) for each in found]))


@router.post(
    "/clusters",
    **operation(
        "create_cluster",
        "Make a cluster",
        tag="clusters",
        roles=ADMINS,
        body=Body(ClusterRequest, _REQUEST_EXAMPLE),
        success=Success(
            ClusterShape, examples.CLUSTER, 201, "It was made.", {"Location": "The path of the cluster."}
        ),
        errors=(409,),
    ),
)
async def post_cluster(request: Request) -> Response:
    """Its name is unique in its project."""
    new = await _NEW.read(request)
    cluster = await create_cluster(
        context_of(request), new.name, new.project_id, new.description, new.configuration, new.status
    )
    return answer(cluster_shape(cluster), 201, {"Location": f"/api/v1/clusters/{cluster.id}"})


@router.get(
    "/clusters/{cluster_id:id}",
    **operation(
        "get_cluster",
        "Look at a cluster",
        tag="clusters",
        roles=VIEWERS,
        success=Success(ClusterShape, examples.CLUSTER),
        errors=(404,),
    ),
)
async def get_one_cluster(request: Request, cluster_id: ClusterId) -> Response:
    """One cluster."""
    return answer(cluster_shape(await get_cluster(context_of(request), cluster_id)))


@router.patch(
    "/clusters/{cluster_id:id}",
    **operation(
        "update_cluster",
        "Change a cluster",
        tag="clusters",
        roles=ADMINS,
        description="Nodes of a cluster that is not active get no work.",
        body=Body(ClusterUpdate, {"status": "maintenance"}),
        success=Success(ClusterShape, {**examples.CLUSTER, "status": "maintenance"}),
        errors=(404, 409),
    ),
)
async def patch_cluster(request: Request, cluster_id: ClusterId) -> Response:
    """What is left out stays as it is."""
    update = await _UPDATE.read(request)
    told: dict[str, Any] = msgspec.structs.asdict(update)
    changes = {name: value for name, value in told.items() if value is not UNSET}
    return answer(cluster_shape(await update_cluster(context_of(request), cluster_id, changes)))


@router.delete(
    "/clusters/{cluster_id:id}",
    **operation(
        "delete_cluster",
        "Forget a cluster",
        tag="clusters",
        roles=ADMINS,
        success=Success(None, status=204, description="It is forgotten."),
        errors=(404, 409),
    ),
)
async def remove_cluster(request: Request, cluster_id: ClusterId) -> Response:
    """Only one without nodes."""
    await delete_cluster(context_of(request), cluster_id)
    return nothing()
