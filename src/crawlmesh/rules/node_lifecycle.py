"""The life of a node: which moves there are, and every change as a pure function."""

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, Final

from msgspec.structs import replace

from crawlmesh.errors import ConflictError
from crawlmesh.model.change import NodeChange
from crawlmesh.model.event import Event, EventType
from crawlmesh.model.node import Node, NodeHealth, NodeStatus
from crawlmesh.protocol.node_messages import Registration

_S = NodeStatus

MOVES: Final[Mapping[NodeStatus, frozenset[NodeStatus]]] = MappingProxyType(
    {
        _S.PENDING: frozenset({_S.ONLINE, _S.DRAINING, _S.MAINTENANCE, _S.UNRESPONSIVE, _S.OFFLINE}),
        _S.ONLINE: frozenset({_S.DRAINING, _S.MAINTENANCE, _S.UNRESPONSIVE, _S.OFFLINE}),
        _S.DRAINING: frozenset({_S.ONLINE, _S.MAINTENANCE, _S.UNRESPONSIVE, _S.OFFLINE}),
        _S.MAINTENANCE: frozenset({_S.ONLINE, _S.DRAINING, _S.OFFLINE}),  # also when it is silent
        _S.UNRESPONSIVE: frozenset({_S.ONLINE, _S.OFFLINE}),
        _S.OFFLINE: frozenset({_S.ONLINE}),
    }
)

WAS_SILENT: Final = "It was silent for too long."  # the reason of a node that was given up

_COMES_BACK = frozenset({_S.PENDING, _S.UNRESPONSIVE, _S.OFFLINE})


def check_move(node: Node, to: NodeStatus) -> None:
    """Raise `ConflictError` unless the node may move to this status."""
    if to in MOVES[node.status]:
        return
    possible = ", ".join(sorted(MOVES[node.status]))
    raise ConflictError(f"Node {node.id} is {node.status} and cannot become {to}; possible: {possible}.")


def identity_of(registration: Registration) -> str:
    """Who registers with the same identity is the same node."""
    if registration.device_id:
        return registration.device_id
    return f"{registration.name}@{registration.ip_address}:{registration.port}"


def registered(
    existing: Node | None,
    registration: Registration,
    node_id: str,
    token_hash: str,
    cluster_id: str,
    now: float,
) -> NodeChange:
    """A node introduced itself, for the first time or again; a node in maintenance stays there.

    Of a known node, `node_id` is not used: it keeps its own. What was found of its earlier process, health
    and readings, says nothing of the new one.
    """
    base = existing or Node(
        id=node_id,
        identity=identity_of(registration),
        name=registration.name,
        session=0,
        fence=0,
        created_at=now,
    )
    keeps = existing is not None and existing.status is NodeStatus.MAINTENANCE
    node = replace(
        base,
        name=registration.name,
        cluster_id=cluster_id,
        description=registration.description,
        ip_address=registration.ip_address,
        port=registration.port,
        node_type=registration.node_type,
        region=registration.region,
        capabilities=registration.capabilities,
        resources=registration.resources,
        slots=registration.slots,
        weight=registration.weight,
        task_types=registration.task_types,
        status=NodeStatus.MAINTENANCE if keeps else NodeStatus.ONLINE,
        reason=base.reason if keeps else None,
        health=NodeHealth(),
        token_hash=token_hash,
        session=base.session + 1,
        fence=base.fence + 1,
        last_heartbeat=now,
        load=0.0,
        usage={},
        active_tasks=0,
        updated_at=now,
    )
    told = {
        "name": node.name,
        "cluster_id": cluster_id,
        "session": node.session,
        "again": existing is not None,
    }
    return NodeChange(node=node, events=(_event(EventType.NODE_REGISTERED, node, now, **told),))


def heard(node: Node, now: float) -> NodeChange:
    """A node spoke: it is back where it was away. One that drains or is in maintenance stays so."""
    if node.status not in _COMES_BACK:
        return _changed(node, now)
    # What the checks found before says nothing any more, and would keep work away until the next one.
    return _moved(node, NodeStatus.ONLINE, now, health=NodeHealth())


def silent(node: Node, now: float) -> NodeChange:
    """Nothing was heard for the heartbeat time-out."""
    timeout = _event(EventType.NODE_TIMEOUT, node, now, last_heartbeat=node.last_heartbeat)
    check_move(node, NodeStatus.UNRESPONSIVE)
    return _changed(
        node,
        now,
        [timeout, unavailable_event(node, now)],
        status=NodeStatus.UNRESPONSIVE,
        reason="It sent no heartbeat in time.",
    )


def gone(node: Node, now: float) -> NodeChange:
    """It was silent for so long that it is no longer expected back."""
    return _moved(node, NodeStatus.OFFLINE, now, reason=WAS_SILENT)


def left(node: Node, now: float) -> NodeChange:
    """It said goodbye. One in maintenance stays there, so that a restart does not end it."""
    if node.status is NodeStatus.MAINTENANCE:
        return _changed(node, now)
    return _moved(node, NodeStatus.OFFLINE, now, reason="It left.")


def taken_out(node: Node, now: float) -> NodeChange:
    """Somebody took it out of service, also out of maintenance."""
    return _moved(node, NodeStatus.OFFLINE, now, reason="It was taken out of service.")


def brought_online(node: Node, now: float) -> NodeChange:
    """Somebody said that it is back, whatever kept it from work."""
    return _changed(node, now) if node.status is _S.ONLINE else _moved(node, NodeStatus.ONLINE, now)


def drained(node: Node, now: float) -> NodeChange:
    """It shall finish what runs, take nothing new and then leave."""
    return _moved(node, NodeStatus.DRAINING, now, reason="It was asked to drain.")


def maintenance(node: Node, now: float) -> NodeChange:
    """It gets no work until it is resumed."""
    return _moved(node, NodeStatus.MAINTENANCE, now, reason="It was put into maintenance.")


def resumed(node: Node, now: float) -> NodeChange:
    """A node that drained or was in maintenance gets work again."""
    if node.status is NodeStatus.OFFLINE:
        raise ConflictError(
            f"Node {node.id} is offline: it has left. Start its worker again to bring it back."
        )
    if node.status not in {NodeStatus.DRAINING, NodeStatus.MAINTENANCE}:
        raise ConflictError(
            f"Node {node.id} is {node.status}; only a node that drains or is in maintenance can be resumed."
        )
    return _moved(node, NodeStatus.ONLINE, now)


def token_rotated(node: Node, token_hash: str, now: float) -> NodeChange:
    """It has another token from now on."""
    return _changed(node, now, token_hash=token_hash)


def removed_event(node: Node, now: float) -> Event:
    """The event of a node that is forgotten."""
    return _event(EventType.NODE_UNREGISTERED, node, now, name=node.name)


def unavailable_event(node: Node, now: float) -> Event:
    """The event of a node that gets no work any more."""
    return _event(EventType.NODE_UNAVAILABLE, node, now)


def _moved(node: Node, to: NodeStatus, now: float, reason: str | None = None, **fields: Any) -> NodeChange:
    check_move(node, to)
    event = _event(EventType.NODE_STATUS_CHANGED, node, now, status=to, old_status=node.status)
    return _changed(node, now, [event], status=to, reason=reason, **fields)


def _changed(node: Node, now: float, events: Iterable[Event] = (), **fields: Any) -> NodeChange:
    return NodeChange(
        node=replace(node, fence=node.fence + 1, updated_at=now, **fields), events=tuple(events)
    )


def _event(kind: EventType, node: Node, now: float, **data: Any) -> Event:
    return Event(type=kind, at=now, node_id=node.id, data={"node_id": node.id, **data})
