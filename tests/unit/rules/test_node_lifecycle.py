import pytest

from crawlmesh.errors import ConflictError
from crawlmesh.model.event import EventType
from crawlmesh.model.node import HealthStatus, NodeHealth, NodeStatus
from crawlmesh.protocol.node_messages import Registration
from crawlmesh.rules.node_lifecycle import (
    MOVES,
    check_move,
    drained,
    gone,
    heard,
    identity_of,
    left,
    maintenance,
    registered,
    resumed,
    silent,
    token_rotated,
)
from tests.unit.rules.cluster_builders import node

NOW = 100.0
REGISTRATION = Registration(name="crawler", ip_address="10.0.0.1", port=80, slots=2, region="us-east")


def test_the_table_has_every_status_and_no_move_to_itself() -> None:
    assert set(MOVES) == set(NodeStatus)
    assert all(status not in targets for status, targets in MOVES.items())


def test_a_move_outside_of_the_table_names_the_node_and_what_is_possible() -> None:
    with pytest.raises(ConflictError, match="node-1 is offline and cannot become draining; possible: online"):
        check_move(node(status=NodeStatus.OFFLINE), NodeStatus.DRAINING)


def test_the_identity_is_the_device_or_name_and_address() -> None:
    assert identity_of(Registration(name="a", device_id="d")) == "d"
    assert identity_of(REGISTRATION) == "crawler@10.0.0.1:80"


def test_a_new_node_is_online_in_its_first_session() -> None:
    change = registered(None, REGISTRATION, "node-9", "hash", "default", NOW)
    made = change.node
    assert (made.id, made.status, made.session, made.fence) == ("node-9", NodeStatus.ONLINE, 1, 1)
    assert (made.slots, made.region, made.created_at, made.last_heartbeat) == (2, "us-east", NOW, NOW)
    assert change.events[0].type is EventType.NODE_REGISTERED


def test_a_node_that_registers_again_keeps_its_id_and_begins_a_new_session() -> None:
    before = node("node-1", status=NodeStatus.OFFLINE, session=4, fence=9, created_at=1.0, reason="It left.")
    after = registered(before, REGISTRATION, "node-9", "hash", "other", NOW).node
    assert (after.id, after.session, after.fence, after.created_at) == ("node-1", 5, 10, 1.0)
    assert (after.status, after.cluster_id, after.reason) == (NodeStatus.ONLINE, "other", None)


def test_maintenance_lasts_through_leaving_and_registering_until_it_is_ended() -> None:
    resting = left(maintenance(node(), NOW).node, NOW).node
    again = registered(resting, REGISTRATION, "", "hash", "default", NOW).node
    assert heard(again, NOW).node.status is NodeStatus.MAINTENANCE
    assert resumed(again, NOW).node.status is NodeStatus.ONLINE


def test_silence_does_not_end_maintenance() -> None:
    with pytest.raises(ConflictError):
        silent(maintenance(node(), NOW).node, NOW)


def test_what_was_found_of_a_node_before_says_nothing_when_it_is_back() -> None:
    ill = NodeHealth(HealthStatus.UNHEALTHY, {"cpu": 0.99}, 5.0)
    before = node(health=ill, load=0.9, usage={"cpu_usage": 0.99}, active_tasks=7, last_heartbeat=5.0)
    after = registered(before, REGISTRATION, "", "hash", "default", NOW).node
    assert (after.health, after.load, after.usage, after.active_tasks) == (NodeHealth(), 0.0, {}, 0)
    assert after.last_heartbeat == NOW
    for status in (NodeStatus.UNRESPONSIVE, NodeStatus.OFFLINE):
        assert heard(node(health=ill, status=status), NOW).node.health == NodeHealth()
    assert heard(node(health=ill), NOW).node.health == ill


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (NodeStatus.PENDING, NodeStatus.ONLINE),
        (NodeStatus.UNRESPONSIVE, NodeStatus.ONLINE),
        (NodeStatus.OFFLINE, NodeStatus.ONLINE),
        (NodeStatus.ONLINE, NodeStatus.ONLINE),
        (NodeStatus.DRAINING, NodeStatus.DRAINING),
        (NodeStatus.MAINTENANCE, NodeStatus.MAINTENANCE),
    ],
)
def test_a_node_that_speaks_is_back_where_it_was_away(before: NodeStatus, after: NodeStatus) -> None:
    change = heard(node(status=before), NOW)
    assert change.node.status is after
    assert bool(change.events) == (before is not after)


def test_silence_makes_a_node_unresponsive_and_then_offline() -> None:
    change = silent(node(last_heartbeat=5.0), NOW)
    assert change.node.status is NodeStatus.UNRESPONSIVE
    assert [event.type for event in change.events] == [EventType.NODE_TIMEOUT, EventType.NODE_UNAVAILABLE]
    assert change.events[0].data == {"node_id": "node-1", "last_heartbeat": 5.0}
    assert gone(change.node, NOW).node.status is NodeStatus.OFFLINE


def test_a_drained_node_leaves_or_is_taken_back() -> None:
    draining = drained(node(), NOW).node
    assert draining.status is NodeStatus.DRAINING
    assert left(draining, NOW).node.status is NodeStatus.OFFLINE
    assert resumed(draining, NOW).node.status is NodeStatus.ONLINE
    with pytest.raises(ConflictError, match="can be resumed"):
        resumed(node(), NOW)


def test_a_new_token_changes_nothing_else() -> None:
    after = token_rotated(node(fence=3), "new", NOW).node
    assert (after.token_hash, after.fence, after.session, after.status) == ("new", 4, 1, NodeStatus.ONLINE)
