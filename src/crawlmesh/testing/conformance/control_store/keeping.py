"""Clusters and keys."""

import asyncio

import msgspec
import pytest

from crawlmesh.errors import ConflictError
from crawlmesh.model.access import Role
from crawlmesh.model.cluster import ClusterStatus
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.testing.conformance.control_store.case import (
    NOW,
    ControlStoreCase,
    add_nodes,
    changed_node,
    new_cluster,
    new_key,
    new_node,
)


class Clusters(ControlStoreCase):
    """`save_cluster`, `clusters` and `delete_cluster`."""

    async def test_clusters_by_name(self, store: ControlStore) -> None:
        """As they were saved last."""
        full = new_cluster(
            "b",
            project_id="project",
            description="second",
            configuration={"share": 0.1, "list": [1]},
            status=ClusterStatus.MAINTENANCE,
            created_at=NOW,
            updated_at=NOW + 0.1,
        )
        for cluster in (full, new_cluster("c"), new_cluster("a")):
            await store.save_cluster(cluster)
        assert await store.clusters() == [new_cluster("a"), full, new_cluster("c")]
        renamed = msgspec.structs.replace(full, name="d", status=ClusterStatus.INACTIVE)
        await store.save_cluster(renamed)
        assert await store.clusters() == [new_cluster("a"), new_cluster("c"), renamed]

    async def test_a_name_is_taken_in_its_project_only(self, store: ControlStore) -> None:
        """The one that is refused changes nothing."""
        await store.save_cluster(new_cluster("a"))
        await store.save_cluster(new_cluster("b"))
        with pytest.raises(ConflictError):
            await store.save_cluster(new_cluster("a", id="other"))
        with pytest.raises(ConflictError):
            await store.save_cluster(new_cluster("b", name="a"))
        assert await store.clusters() == [new_cluster("a"), new_cluster("b")]
        await store.save_cluster(new_cluster("a", id="other", project_id="elsewhere"))
        assert len(await store.clusters()) == 3

    async def test_a_cluster_with_nodes_is_not_deleted(self, store: ControlStore) -> None:
        """Until they are gone or elsewhere."""
        await store.save_cluster(new_cluster("a"))
        nodes = [new_node(number, cluster_id="cluster-a") for number in (1, 2)]
        await add_nodes(store, *nodes)
        with pytest.raises(ConflictError):
            await store.delete_cluster("cluster-a")
        await store.delete_node("node-001")
        with pytest.raises(ConflictError):
            await store.delete_cluster("cluster-a")
        await store.change_nodes([changed_node(nodes[1], cluster_id="elsewhere")])
        assert await store.delete_cluster("cluster-a")
        assert not await store.delete_cluster("cluster-a")
        assert await store.clusters() == []


class Keys(ControlStoreCase):
    """`save_key`, `add_key`, `touch_key`, `keys` and `delete_key`."""

    async def test_keys_oldest_first(self, store: ControlStore) -> None:
        """As they were saved last."""
        full = new_key(2, role=Role.ADMIN, expires_at=NOW + 0.1, last_used_at=NOW + 0.2)
        for key in (new_key(3), full, new_key(1)):
            await store.save_key(key)
        assert await store.keys() == [new_key(1), full, new_key(3)]
        used = msgspec.structs.replace(new_key(1), last_used_at=NOW + 9)
        await store.save_key(used)
        assert await store.keys() == [used, full, new_key(3)]

    async def test_the_first_key_of_an_id_stays(self, store: ControlStore) -> None:
        """Who comes second hears of it, also at the same moment."""
        first, second = new_key(1, name="first"), new_key(1, name="second", hash="ab" * 32)
        assert await store.add_key(first)
        assert not await store.add_key(second)
        assert await store.keys() == [first]
        rivals = [new_key(2, name=f"rival {number}", hash=f"{number:064x}") for number in range(10, 20)]
        added = await asyncio.gather(*(store.add_key(key) for key in rivals))
        [winner] = [key for key, each in zip(rivals, added, strict=True) if each]
        assert await store.keys() == [first, winner]

    async def test_using_a_key_changes_nothing_else_and_brings_none_back(self, store: ControlStore) -> None:
        """A key that is not there stays away."""
        await store.save_key(new_key(1))
        await store.save_key(new_key(2, expires_at=NOW + 0.1))
        assert await store.touch_key("key-2", NOW + 9)
        assert await store.keys() == [new_key(1), new_key(2, expires_at=NOW + 0.1, last_used_at=NOW + 9)]
        await store.delete_key("key-2")
        assert not await store.touch_key("key-2", NOW + 10)
        assert await store.keys() == [new_key(1)]

    async def test_a_session_knows_its_key_and_goes_with_it(self, store: ControlStore) -> None:
        """Other keys and their sessions stay."""
        sessions = [
            new_key(number, session_of=key_id)
            for number, key_id in ((3, "key-1"), (4, "key-1"), (5, "key-2"), (6, "key-2"))
        ]
        for key in (new_key(1), new_key(2), *sessions):
            assert await store.add_key(key)
        assert await store.keys() == [new_key(1), new_key(2), *sessions]
        assert await store.touch_key("key-3", NOW + 9)
        assert await store.delete_key("key-1")
        assert await store.keys() == [new_key(2), *sessions[2:]]
        assert await store.delete_key("key-5")
        assert not await store.delete_key("key-4")
        assert await store.keys() == [new_key(2), sessions[3]]

    async def test_deleting_a_key_that_is_gone_takes_sessions_that_were_left(
        self, store: ControlStore
    ) -> None:
        """A sign-in may have come in between."""
        await store.save_key(new_key(3, session_of="key-1"))
        assert not await store.delete_key("key-1")
        assert await store.keys() == []

    async def test_deleting_keys(self, store: ControlStore) -> None:
        """Once."""
        await store.save_key(new_key())
        assert await store.delete_key("key-1")
        assert not await store.delete_key("key-1")
        assert await store.keys() == []
