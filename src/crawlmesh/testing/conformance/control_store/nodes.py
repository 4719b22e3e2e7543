"""Nodes: compare-and-set, lists, and who has been silent."""

from typing import Any

import msgspec
import pytest

from crawlmesh.errors import NotLeaderError
from crawlmesh.model.change import NodeChange
from crawlmesh.model.event import EventType
from crawlmesh.model.node import HealthStatus, Node, NodeHealth, NodeStatus
from crawlmesh.model.query import NodeGroup
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.testing.conformance.control_store.case import (
    NOW,
    SILENT,
    ControlStoreCase,
    add_nodes,
    add_tasks,
    all_events,
    all_nodes,
    changed_node,
    heartbeat,
    make,
    new_event,
    new_node,
    new_task,
    placed,
    snapshot,
)

FULL = new_node(
    cluster_id="cluster",
    description="in the cellar",
    ip_address="10.0.0.7",
    port=8100,
    node_type="gpu",
    region="eu",
    capabilities={"javascript_rendering": True, "languages": ["en"], "level": 0.1},
    resources={"cpu": 8, "memory_mb": 16384.5},
    slots=12,
    weight=0.3,
    task_types=("web_crawl", "python"),
    status=NodeStatus.MAINTENANCE,
    reason='it\'s "busy"',
    health=NodeHealth(HealthStatus.DEGRADED, {"reason": "High resource usage", "cpu": 0.91}, NOW + 0.5),
    token_hash="ab" * 32,
    session=7,
    last_heartbeat=NOW + 0.25,
    load=0.7,
    usage={"cpu_usage": 0.1},
    active_tasks=3,
)


class ChangingNodes(ControlStoreCase):
    """`change_nodes`, `node` and `node_by_identity`."""

    async def test_a_node_is_read_as_it_was_written(self, store: ControlStore) -> None:
        """Every field of a new one; all but what heartbeats bring of a known one in the same session."""
        await add_nodes(store, FULL)
        assert await store.node("node-001") == FULL
        change = changed_node(
            msgspec.structs.replace(
                new_node(name="other", updated_at=NOW + 9, identity="elsewhere", session=FULL.session),
                last_heartbeat=NOW + 99,
                load=0.1,
                usage={"cpu_usage": 0.9},
                active_tasks=0,
            ),
        )
        assert await store.change_nodes([change]) == [True]
        assert await store.node("node-001") == msgspec.structs.replace(
            change.node,
            last_heartbeat=FULL.last_heartbeat,
            load=FULL.load,
            usage=FULL.usage,
            active_tasks=FULL.active_tasks,
        )

    async def test_a_new_session_brings_what_heartbeats_bring_otherwise(self, store: ControlStore) -> None:
        """It is found by it too; what follows in the session, also in the same call, leaves it alone."""
        await add_nodes(store, FULL)
        heard: dict[str, Any] = {
            "last_heartbeat": NOW + 99,
            "load": 0.0,
            "usage": {"cpu_usage": 0.5},
            "active_tasks": 0,
        }
        renewed = changed_node(FULL, session=FULL.session + 1, status=NodeStatus.ONLINE, **heard)
        later = changed_node(renewed.node, name="later", last_heartbeat=NOW + 200, load=1.0, active_tasks=9)
        assert await store.change_nodes([renewed, later]) == [True, True]
        expected = msgspec.structs.replace(later.node, **heard)
        assert await store.node(FULL.id) == expected
        assert await store.nodes_changed_since(NOW + 99) == [expected]
        assert await store.silent_nodes(SILENT, NOW + 99, 9) == []
        assert await store.silent_nodes(SILENT, NOW + 100, 9) == [expected]
        again = changed_node(expected, session=expected.session + 1, last_heartbeat=None, load=0.2)
        assert await store.change_nodes([changed_node(expected), again]) == [True, False]
        again = changed_node(again.node, last_heartbeat=None)
        assert await store.change_nodes([again]) == [True]
        assert await store.node(FULL.id) == again.node

    async def test_unknown_nodes(self, store: ControlStore) -> None:
        """Are None."""
        assert await store.node("nobody") is None
        assert await store.node_by_identity("nobody") is None

    @pytest.mark.parametrize("fence", [0, 1, 2, 4])
    async def test_a_refused_change_of_a_node_leaves_no_trace(self, store: ControlStore, fence: int) -> None:
        """Its events included."""
        await add_nodes(store, new_node())
        assert await store.change_nodes([changed_node(new_node())]) == [True]
        before = await snapshot(store)
        change = NodeChange(node=new_node(fence=fence, name="other"), events=(new_event(),))
        assert await store.change_nodes([change]) == [False]
        assert await snapshot(store) == before
        assert await store.change_nodes([NodeChange(node=new_node(9, fence=2))]) == [False]

    async def test_an_identity_belongs_to_one_node(self, store: ControlStore) -> None:
        """In one call too; one that was given up may be taken."""
        await add_nodes(store, new_node(1))
        twin = NodeChange(node=new_node(2, identity="machine-1"), events=(new_event(),))
        third = NodeChange(node=new_node(3, identity="machine-3"))
        fourth = NodeChange(node=new_node(4, identity="machine-3"))
        assert await store.change_nodes([twin, third, fourth]) == [False, True, False]
        assert await all_events(store) == []
        assert [node.id for node in await all_nodes(store)] == ["node-001", "node-003"]
        renamed = changed_node(new_node(1), identity="machine-9")
        assert await store.change_nodes([renamed, twin]) == [True, True]
        found = [await store.node_by_identity(f"machine-{number}") for number in (1, 3, 9)]
        assert [node and node.id for node in found] == ["node-002", "node-003", "node-001"]
        assert await store.change_nodes([changed_node(new_node(3), identity="machine-9")]) == [False]

    async def test_events_are_told_with_changes_of_nodes(self, store: ControlStore) -> None:
        """In the order of changes; several changes of one node follow each other."""
        node = new_node()
        told = [
            new_event(type_, node_id=node.id) for type_ in (EventType.NODE_REGISTERED, EventType.NODE_TIMEOUT)
        ]
        first = NodeChange(node=node, events=(told[0],))
        second = changed_node(node, events=[told[1]], status=NodeStatus.UNRESPONSIVE)
        assert await store.change_nodes([first, first, second]) == [True, False, True]
        assert [event.type for event in await all_events(store)] == [event.type for event in told]
        assert await store.node(node.id) == second.node

    async def test_a_leader_who_does_not_lead_changes_no_nodes(self, store: ControlStore) -> None:
        """Who leads does."""
        lead = await store.lead("a", 10.0, NOW)
        assert lead is not None
        with pytest.raises(NotLeaderError):
            await store.change_nodes([NodeChange(node=new_node())], leader_fence=lead.fence, now=NOW + 10)
        with pytest.raises(NotLeaderError):
            await store.change_nodes([NodeChange(node=new_node())], leader_fence=lead.fence + 1, now=NOW)
        assert await store.node("node-001") is None
        new = [NodeChange(node=new_node())]
        assert await store.change_nodes(new, leader_fence=lead.fence, now=NOW + 9) == [True]

    async def test_deleting_a_node(self, store: ControlStore) -> None:
        """Its heartbeats go, its executions stay, its identity is free."""
        await add_nodes(store, new_node(1), new_node(2))
        await add_tasks(store, new_task())
        await make(store, placed(new_task()))
        await store.record_heartbeats([heartbeat(1)])
        assert await store.delete_node("node-001", [new_event(EventType.NODE_UNREGISTERED)])
        assert not await store.delete_node("node-001", [new_event(EventType.NODE_UNREGISTERED)])
        assert [event.type for event in await all_events(store)] == [EventType.NODE_UNREGISTERED]
        assert await store.node("node-001") is None
        assert await store.node_by_identity("machine-1") is None
        assert await store.heartbeat_history("node-001", 0.0, 10) == []
        assert len(await store.node_assignments("node-001")) == 1
        await add_nodes(store, new_node(3, identity="machine-1"), new_node(1, identity="new"))


CONDITIONS: list[dict[str, Any]] = [
    {},
    {"statuses": (NodeStatus.ONLINE,)},
    {"statuses": (NodeStatus.OFFLINE, NodeStatus.PENDING)},
    {"health": (HealthStatus.HEALTHY, HealthStatus.UNREACHABLE)},
    {"cluster_id": "cluster-1"},
    {"node_type": "gpu"},
    {"region": "eu"},
    {"search": "NODE-00"},
    {"search": "machine 1"},
    {"search": "machine_1"},
    {"search": "nothing like it"},
    {"statuses": (NodeStatus.ONLINE,), "region": "eu", "node_type": "standard"},
]


def _meets(node: Node, query: dict[str, Any]) -> bool:
    plain = ("cluster_id", "node_type", "region")
    return (
        all(getattr(node, name) == query[name] for name in plain if name in query)
        and node.status in query.get("statuses", NodeStatus)
        and node.health.status in query.get("health", HealthStatus)
        and query.get("search", "").lower() in f"{node.id}\n{node.name}".lower()
    )


class GroupingNodes(ControlStoreCase):
    """`node_groups`."""

    async def test_nodes_are_summed_up_by_status_and_health(self, store: ControlStore) -> None:
        """What was not told does not count."""
        assert await store.node_groups() == []
        offline = new_node(4, status=NodeStatus.OFFLINE, slots=7)
        elsewhere = new_node(5, cluster_id="elsewhere")
        await add_nodes(store, new_node(1, slots=2), new_node(2, slots=3), new_node(3), offline, elsewhere)
        await store.record_heartbeats(
            [
                heartbeat(1, usage={"cpu_usage": 0.25, "memory_usage": 0.5}, load=0.5),
                heartbeat(2, usage={"cpu_usage": 0.5}, load=0.25),
            ]
        )
        await store.record_health([("node-003", NodeHealth(HealthStatus.DEGRADED))])
        none: dict[str, Any] = {"load": 0.0, "cpu": 0.0, "cpu_told": 0, "memory": 0.0, "memory_told": 0}
        unknown, online = HealthStatus.UNKNOWN, NodeStatus.ONLINE
        here = new_node(1).cluster_id
        expected = [
            NodeGroup(cluster_id=here, status=NodeStatus.OFFLINE, health=unknown, nodes=1, slots=7, **none),
            NodeGroup(cluster_id=here, status=online, health=HealthStatus.DEGRADED, nodes=1, slots=3, **none),
            NodeGroup(
                cluster_id=here,
                status=online,
                health=unknown,
                nodes=2,
                slots=5,
                load=0.75,
                cpu=0.75,
                cpu_told=2,
                memory=0.5,
                memory_told=1,
            ),
            NodeGroup(cluster_id="elsewhere", status=online, health=unknown, nodes=1, slots=3, **none),
        ]
        found = await store.node_groups()
        assert sorted(found, key=lambda each: (each.cluster_id, each.status, each.health)) == expected


class ListingNodes(ControlStoreCase):
    """`list_nodes`, `nodes_changed_since` and `silent_nodes`."""

    async def test_every_condition_on_nodes(self, store: ControlStore) -> None:
        """Page by page, by id."""
        nodes = [
            new_node(
                number,
                status=list(NodeStatus)[number % len(NodeStatus)],
                health=NodeHealth(list(HealthStatus)[number % len(HealthStatus)]),
                cluster_id=f"cluster-{number % 2}",
                node_type="gpu" if number % 3 else "standard",
                region="eu" if number % 2 else "us",
            )
            for number in range(25)
        ]
        await add_nodes(store, *reversed(nodes))
        for query in CONDITIONS:
            for limit in (1, 4, 100):
                found = [node.id for node in await all_nodes(store, limit, **query)]
                assert found == [node.id for node in nodes if _meets(node, query)], query

    async def test_nodes_changed_since_a_moment(self, store: ControlStore) -> None:
        """By a change, a heartbeat or a health check; 0 brings all."""
        await add_nodes(store, *(new_node(number, updated_at=NOW) for number in range(1, 5)))
        assert len(await store.nodes_changed_since(0.0)) == 4
        assert len(await store.nodes_changed_since(NOW)) == 4
        assert await store.nodes_changed_since(NOW + 1) == []
        await store.change_nodes([changed_node(new_node(1), updated_at=NOW + 2)])
        await store.record_heartbeats([heartbeat(2, NOW + 3)])
        await store.record_health([("node-003", NodeHealth(HealthStatus.HEALTHY, {}, NOW + 4))])
        for moment, expected in (
            (1, [1, 2, 3]),
            (2, [1, 2, 3]),
            (2.5, [2, 3]),
            (3.5, [3]),
            (4, [3]),
            (5, []),
        ):
            found = await store.nodes_changed_since(NOW + moment)
            assert sorted(node.id for node in found) == [f"node-{number:03}" for number in expected]

    async def test_silent_nodes(self, store: ControlStore) -> None:
        """In the given statuses, those never heard of first, then the longest silent."""
        nodes = [
            new_node(1, last_heartbeat=NOW + 5),
            new_node(2, last_heartbeat=NOW + 3, status=NodeStatus.DRAINING),
            new_node(3, last_heartbeat=NOW + 4, status=NodeStatus.OFFLINE),
            new_node(4),
            new_node(5, last_heartbeat=NOW + 10),
            new_node(6, last_heartbeat=NOW + 3),
        ]
        await add_nodes(store, *nodes)
        found = await store.silent_nodes(SILENT, NOW + 10, 10)
        assert [node.id[-1] for node in found] == ["4", "2", "6", "1"]
        assert [node.id[-1] for node in await store.silent_nodes(SILENT, NOW + 5, 2)] == ["4", "2"]
        assert [node.id[-1] for node in await store.silent_nodes([NodeStatus.OFFLINE], NOW + 5, 9)] == ["3"]
        assert await store.silent_nodes([], NOW + 99, 10) == []
        await store.record_heartbeats([heartbeat(4, NOW + 20)])
        assert [node.id[-1] for node in await store.silent_nodes(SILENT, NOW + 10, 10)] == ["2", "6", "1"]
