"""Changing nodes, and keeping what they say."""

from collections.abc import Sequence

import msgspec

from crawlmesh.adapters.sqlite.control.leading import check_leader
from crawlmesh.adapters.sqlite.control.rows import HEARTBEAT, NODE, heartbeat_row, names, node_row
from crawlmesh.adapters.sqlite.control.session import Session, json_list
from crawlmesh.adapters.sqlite.control.statements import RowStatement, insert, object_text
from crawlmesh.model.change import NodeChange
from crawlmesh.model.event import Event
from crawlmesh.model.node import Heartbeat, NodeHealth

_FENCES = """
SELECT json_group_array(json_array(id, identity, fence)) FROM crawler_nodes
WHERE id IN (SELECT value FROM json_each(?1)) OR identity IN (SELECT value FROM json_each(?2))
"""

# What heartbeats bring: a change of a known node writes it only together with a new session.
_HEARD = {"last_heartbeat", "load", "usage", "active_tasks"}


def _new(name: str) -> str:
    if name not in _HEARD:
        return f"excluded.{name}"
    return f"iif(excluded.session = crawler_nodes.session, crawler_nodes.{name}, excluded.{name})"


_CHANGED = ", ".join(f"{name} = {_new(name)}" for name in names(NODE) if name not in {"id", "touched_at"})
_WRITE_NODES = insert(
    "crawler_nodes",
    names(NODE),
    f"ON CONFLICT (id) DO UPDATE SET {_CHANGED}, touched_at = max(excluded.updated_at,"
    f" coalesce({_new('last_heartbeat')}, 0), coalesce(excluded.health_timestamp, 0))",
)

_KNOWN = "SELECT json_group_array(id) FROM crawler_nodes WHERE id IN (SELECT value FROM json_each(?))"
_INSERT_HEARTBEATS = insert("node_heartbeats", names(HEARTBEAT))
_HEAR = RowStatement(
    """
    UPDATE crawler_nodes SET last_heartbeat = column2, load = column3, usage = column4,
        active_tasks = column5, touched_at = max(touched_at, column2)
    FROM (VALUES {rows}) WHERE id = column1 AND (last_heartbeat IS NULL OR last_heartbeat <= column2)
    """,
    5,
)
_RECORD_HEALTH = RowStatement(
    """
    UPDATE crawler_nodes SET health_status = column2, health_details = column3, health_timestamp = column4,
        touched_at = max(updated_at, coalesce(last_heartbeat, 0), coalesce(column4, 0))
    FROM (VALUES {rows}) WHERE id = column1
    """,
    4,
)

_decode_fences = msgspec.json.Decoder(list[tuple[str, str, int]]).decode
_decode_ids = msgspec.json.Decoder(set[str]).decode


def change_nodes(
    session: Session, changes: Sequence[NodeChange], leader_fence: int | None, now: float
) -> list[bool]:
    """Add or change nodes; one bool each."""
    check_leader(session, leader_fence, now)
    nodes = [change.node for change in changes]
    found = _decode_fences(
        session.one(_FENCES, json_list(node.id for node in nodes), json_list(node.identity for node in nodes))
    )
    known = {node_id: (identity, fence) for node_id, identity, fence in found}
    owners = {identity: node_id for node_id, identity, _ in found}
    taken = []
    for node in nodes:
        old_identity, fence = known.get(node.id, (node.identity, 0))
        taken.append(node.fence == fence + 1 and owners.get(node.identity, node.id) == node.id)
        if taken[-1]:
            owners.pop(old_identity, None)
            owners[node.identity] = node.id
            known[node.id] = (node.identity, node.fence)
    made = [change for change, each in zip(changes, taken, strict=True) if each]
    session.write(_WRITE_NODES, [node_row(change.node) for change in made])
    session.append_events([event for change in made for event in change.events])
    session.told.update(f"node:{change.node.id}" for change in made)
    return taken


def record_heartbeats(
    session: Session, heartbeats: Sequence[Heartbeat], events: Sequence[Event], *, history: bool
) -> None:
    """Keep what nodes said, as their latest and in their history."""
    if heartbeats:
        known = _decode_ids(session.one(_KNOWN, json_list(each.node_id for each in heartbeats)))
        heard = [heartbeat for heartbeat in heartbeats if heartbeat.node_id in known]
        if history:
            session.write(_INSERT_HEARTBEATS, [heartbeat_row(heartbeat) for heartbeat in heard])
        latest = {each.node_id: each for each in sorted(heard, key=lambda heartbeat: heartbeat.at)}
        rows = [
            (each.node_id, each.at, each.load, object_text(each.usage), len(each.active_tasks))
            for each in latest.values()
        ]
        session.write(_HEAR, rows)
    session.append_events(events)


def record_health(session: Session, found: Sequence[tuple[str, NodeHealth]]) -> None:
    """Keep what health checks found."""
    latest = dict(found)
    rows = [
        (node_id, health.status.value, object_text(health.details), health.timestamp)
        for node_id, health in latest.items()
    ]
    session.write(_RECORD_HEALTH, rows)


def delete_node(session: Session, node_id: str, events: Sequence[Event]) -> bool:
    """Forget a node and its heartbeats."""
    if not session.run("DELETE FROM crawler_nodes WHERE id = ?", node_id):
        return False
    session.run("DELETE FROM node_heartbeats WHERE node_id = ?", node_id)
    session.append_events(events)
    return True
