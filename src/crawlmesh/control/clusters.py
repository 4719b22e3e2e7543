"""Clusters: make, change, look at, forget (N9)."""

from collections import Counter
from collections.abc import Mapping
from typing import Any

import msgspec

from crawlmesh.control.context import ControlContext
from crawlmesh.control.task_checks import check_text
from crawlmesh.errors import ConflictError, InvalidError, NotFoundError
from crawlmesh.model.cluster import DEFAULT_CLUSTER, Cluster, ClusterStatus
from crawlmesh.model.node import NodeStatus
from crawlmesh.model.query import ClusterSummary

_CHANGEABLE = frozenset({"name", "description", "configuration", "status"})


async def create_cluster(
    context: ControlContext,
    name: str,
    project_id: str = "default",
    description: str = "",
    configuration: Mapping[str, Any] | None = None,
    status: ClusterStatus = ClusterStatus.ACTIVE,
) -> Cluster:
    """A new cluster. Raises ConflictError where the project has one of this name."""
    _check_name(name)
    check_text(project_id, "project_id")
    now = context.clock.now()
    cluster = Cluster(
        id=context.ids.make("cluster"),
        name=name,
        project_id=project_id,
        description=description,
        configuration=dict(configuration or {}),
        status=status,
        created_at=now,
        updated_at=now,
    )
    await context.store.save_cluster(cluster)
    return cluster


async def update_cluster(context: ControlContext, cluster_id: str, changes: Mapping[str, Any]) -> Cluster:
    """Change name, description, configuration or status. Nodes of one that is not active get no work."""
    unknown = changes.keys() - _CHANGEABLE
    if unknown:
        field = min(unknown)
        allowed = ", ".join(sorted(_CHANGEABLE))
        raise InvalidError(f"{field} of a cluster cannot be changed; {allowed} can.", field)
    values = dict(changes)
    if "name" in values:
        _check_name(values["name"])
    if "status" in values:
        values["status"] = _status(values["status"])
    cluster = await get_cluster(context, cluster_id)
    changed = msgspec.structs.replace(cluster, **values, updated_at=context.clock.now())
    await context.store.save_cluster(changed)
    return changed


async def delete_cluster(context: ControlContext, cluster_id: str) -> None:
    """Forget a cluster. Raises NotFoundError, and ConflictError while it has nodes."""
    if cluster_id == DEFAULT_CLUSTER:
        raise ConflictError("The default cluster cannot be deleted: nodes that name none belong to it.")
    if not await context.store.delete_cluster(cluster_id):
        raise NotFoundError(f"There is no cluster {cluster_id!r}.")


async def get_cluster(context: ControlContext, cluster_id: str) -> Cluster:
    """One cluster. Raises NotFoundError."""
    for cluster in await context.store.clusters():
        if cluster.id == cluster_id:
            return cluster
    raise NotFoundError(f"There is no cluster {cluster_id!r}.")


async def list_clusters(context: ControlContext) -> list[ClusterSummary]:
    """All clusters by name, each with how many nodes it has and how many of them are online."""
    clusters = await context.store.clusters()
    nodes: Counter[str] = Counter()
    online: Counter[str] = Counter()
    for group in await context.store.node_groups():
        nodes[group.cluster_id] += group.nodes
        online[group.cluster_id] += group.nodes if group.status is NodeStatus.ONLINE else 0
    return [ClusterSummary(cluster, nodes[cluster.id], online[cluster.id]) for cluster in clusters]


async def ensure_cluster(context: ControlContext, cluster_id: str) -> str:
    """The id again, of a cluster that exists; the default one is made when it is first needed.

    Raises NotFoundError for any other.
    """
    if any(cluster.id == cluster_id for cluster in await context.store.clusters()):
        return cluster_id
    if cluster_id != DEFAULT_CLUSTER:
        raise NotFoundError(f"cluster_id is {cluster_id!r}; there is no such cluster.", "cluster_id")
    now = context.clock.now()
    await context.store.save_cluster(
        Cluster(id=DEFAULT_CLUSTER, name=DEFAULT_CLUSTER, created_at=now, updated_at=now)
    )
    return cluster_id


def _check_name(name: object) -> None:
    if not isinstance(name, str) or not name:
        raise InvalidError("name is empty; give the cluster a name.", "name")
    check_text(name, "name")


def _status(value: object) -> ClusterStatus:
    try:
        return ClusterStatus(value)  # type: ignore[arg-type]
    except ValueError:
        allowed = ", ".join(ClusterStatus)
        raise InvalidError(f"status is {value!r}; it must be one of {allowed}.", "status") from None
