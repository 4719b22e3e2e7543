"""Heartbeats and health."""

import msgspec

from crawlmesh.model.event import EventType
from crawlmesh.model.node import HealthStatus, NodeHealth
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.testing.conformance.control_store.case import (
    NOW,
    ControlStoreCase,
    add_nodes,
    all_events,
    changed_node,
    heartbeat,
    new_event,
    new_node,
)


class Heartbeats(ControlStoreCase):
    """`record_heartbeats` and `heartbeat_history`."""

    async def test_a_heartbeat_is_the_latest_and_in_the_history(self, store: ControlStore) -> None:
        """The fence stays, so that changes are not refused for it."""
        await add_nodes(store, new_node())
        said = heartbeat(
            1,
            NOW + 0.1,
            usage={"cpu_usage": 0.1, "memory_usage": 0.75},
            load=0.3,
            active_tasks=("task-1", "task-2"),
            task_errors=4,
            task_latency=0.7,
        )
        await store.record_heartbeats([said])
        expected = msgspec.structs.replace(
            new_node(), last_heartbeat=NOW + 0.1, usage=said.usage, load=0.3, active_tasks=2
        )
        assert await store.node("node-001") == expected
        assert await store.heartbeat_history("node-001", 0.0, 10) == [said]
        assert await store.change_nodes([changed_node(new_node(), name="other")]) == [True]
        after = await store.node("node-001")
        assert after is not None
        assert (after.last_heartbeat, after.usage, after.active_tasks) == (NOW + 0.1, said.usage, 2)

    async def test_unknown_nodes_are_left_out(self, store: ControlStore) -> None:
        """The others of the call are not."""
        await add_nodes(store, new_node())
        await store.record_heartbeats([heartbeat(9), heartbeat(1)])
        assert len(await store.heartbeat_history("node-001", 0.0, 10)) == 1
        assert await store.heartbeat_history("node-009", 0.0, 10) == []
        assert await store.node("node-009") is None

    async def test_one_that_comes_late_is_not_the_latest(self, store: ControlStore) -> None:
        """It is in the history, at its place."""
        await add_nodes(store, new_node())
        await store.record_heartbeats([heartbeat(1, NOW + 5, load=0.5)])
        await store.record_heartbeats([heartbeat(1, NOW + 3, load=0.3)])
        node = await store.node("node-001")
        assert node is not None
        assert (node.last_heartbeat, node.load) == (NOW + 5, 0.5)
        await store.record_heartbeats([heartbeat(1, NOW + 9, load=0.9), heartbeat(1, NOW + 7, load=0.7)])
        node = await store.node("node-001")
        assert node is not None
        assert (node.last_heartbeat, node.load) == (NOW + 9, 0.9)
        history = await store.heartbeat_history("node-001", 0.0, 10)
        assert [each.load for each in history] == [0.3, 0.5, 0.7, 0.9]

    async def test_one_between_is_the_latest_and_not_in_the_history(self, store: ControlStore) -> None:
        """So that what is told often is not kept."""
        await add_nodes(store, new_node())
        await store.record_heartbeats([heartbeat(1, NOW)])
        said = heartbeat(1, NOW + 5, usage={"pages": 7.5}, load=0.5, active_tasks=("task-1",))
        await store.record_heartbeats([said, heartbeat(9, NOW + 5)], history=False)
        node = await store.node("node-001")
        assert node is not None
        assert (node.last_heartbeat, node.usage, node.active_tasks) == (NOW + 5, {"pages": 7.5}, 1)
        assert [each.at for each in await store.heartbeat_history("node-001", 0.0, 10)] == [NOW]
        assert [each.id for each in await store.nodes_changed_since(NOW + 4)] == ["node-001"]

    async def test_history_from_a_moment_on(self, store: ControlStore) -> None:
        """Oldest first, up to a limit, of one node."""
        await add_nodes(store, new_node(1), new_node(2))
        await store.record_heartbeats([heartbeat(number % 2 + 1, NOW + number) for number in range(10)])
        of_both = await store.heartbeats_of(["node-001", "node-009", "node-001"], NOW + 4, 2)
        history = await store.heartbeat_history("node-001", NOW + 4, 2)
        assert of_both == history
        assert [each.at for each in history] == [NOW + 4, NOW + 6]

    async def test_many_heartbeats_at_once(self, store: ControlStore) -> None:
        """With their events."""
        await add_nodes(store, *(new_node(number) for number in range(300)))
        said = [heartbeat(number, NOW + number, load=number / 300) for number in range(300)]
        await store.record_heartbeats(said, [new_event(EventType.NODE_HEARTBEAT, node_id="node-001")])
        loads = {node.id: node.load for node in await store.nodes_changed_since(0.0)}
        assert loads == {each.node_id: each.load for each in said}
        assert [event.type for event in await all_events(store)] == [EventType.NODE_HEARTBEAT]


class Health(ControlStoreCase):
    """`record_health`."""

    async def test_health_is_kept(self, store: ControlStore) -> None:
        """The fence stays; unknown nodes are left out."""
        await add_nodes(store, new_node())
        found = NodeHealth(HealthStatus.UNHEALTHY, {"reason": "High task latency", "latency": 7.1}, NOW + 0.1)
        await store.record_health([("node-001", found), ("nobody", found)])
        assert await store.node("node-001") == msgspec.structs.replace(new_node(), health=found)
        await store.record_health([("node-001", NodeHealth())])
        assert await store.node("node-001") == new_node()
