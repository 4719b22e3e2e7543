import pytest

from crawlmesh.control.clusters import (
    create_cluster,
    delete_cluster,
    get_cluster,
    list_clusters,
    update_cluster,
)
from crawlmesh.errors import ConflictError, InvalidError, NotFoundError
from crawlmesh.model.cluster import ClusterStatus
from tests.unit.control.kit import ControlKit


async def test_clusters_are_made_changed_and_forgotten() -> None:
    kit = ControlKit()
    cluster = await create_cluster(kit.context, "north", configuration={"a": 1})
    await kit.join("a", cluster_id=cluster.id)
    changed = await update_cluster(kit.context, cluster.id, {"status": "inactive", "description": "d"})
    assert (changed.status, changed.description) == (ClusterStatus.INACTIVE, "d")
    assert await get_cluster(kit.context, cluster.id) == changed
    [summary] = await list_clusters(kit.context)
    assert (summary.cluster, summary.nodes, summary.online) == (changed, 1, 1)
    with pytest.raises(ConflictError):
        await delete_cluster(kit.context, cluster.id)
    empty = await create_cluster(kit.context, "south")
    await delete_cluster(kit.context, empty.id)
    with pytest.raises(NotFoundError):
        await delete_cluster(kit.context, empty.id)


async def test_a_name_is_unique_in_its_project() -> None:
    kit = ControlKit()
    await create_cluster(kit.context, "north")
    await create_cluster(kit.context, "north", project_id="other")
    with pytest.raises(ConflictError):
        await create_cluster(kit.context, "north")


async def test_bad_changes_are_refused() -> None:
    kit = ControlKit()
    cluster = await create_cluster(kit.context, "north")
    for changes, field in (({"id": "x"}, "id"), ({"status": "gone"}, "status"), ({"name": ""}, "name")):
        with pytest.raises(InvalidError) as caught:
            await update_cluster(kit.context, cluster.id, changes)
        assert caught.value.field == field
    with pytest.raises(NotFoundError):
        await update_cluster(kit.context, "none", {"name": "a"})


async def test_the_default_cluster_comes_with_the_first_node_and_stays() -> None:
    kit = ControlKit()
    await kit.join("a")
    assert [each.cluster.id for each in await list_clusters(kit.context)] == ["default"]
    with pytest.raises(ConflictError):
        await delete_cluster(kit.context, "default")
