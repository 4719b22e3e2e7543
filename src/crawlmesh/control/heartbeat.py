"""A node reports that it lives, and how it fares (N3)."""

import math

import msgspec
from msgspec import UNSET

from crawlmesh.control.changing import change_node
from crawlmesh.control.context import ControlContext
from crawlmesh.control.sessions import node_in_session
from crawlmesh.model.event import Event, EventType
from crawlmesh.model.node import Heartbeat, Node, NodeStatus
from crawlmesh.model.sample import PAGES
from crawlmesh.protocol.node_messages import HeartbeatAnswer, HeartbeatMessage
from crawlmesh.rules import node_lifecycle

_LEFT = "It left."  # the reason that `node_lifecycle.left` gives
_SOONEST = 5.0  # seconds between two heartbeats of a node whose crawls get on
_MOST_BETWEEN = 10.0  # such heartbeats in a second, of all nodes of this master
_SILENT = frozenset({NodeStatus.PENDING, NodeStatus.UNRESPONSIVE, NodeStatus.OFFLINE})


async def heartbeat(context: ControlContext, node_id: str, message: HeartbeatMessage) -> HeartbeatAnswer:
    """Keep what the node said; one that was given up is online again. `status` is what it is from now on.

    Raises NotFoundError and StaleSessionError.
    """
    node = await node_in_session(context, node_id, message.session)
    now = context.clock.now()
    beat = _cleaned(node_id, message, now)
    if message.between:
        await context.store.record_heartbeats([beat], history=False)
    else:
        await context.store.record_heartbeats([beat], [_event(beat)])
    status = node.status
    if status in _SILENT:
        status = (await revive(context, node_id, message.session, now)).status
    between = _between(context) if PAGES in beat.usage else UNSET
    return HeartbeatAnswer(node_id=node_id, timestamp=now, status=status.value, between=between)


def _between(context: ControlContext) -> float:
    """Seconds until a node may tell its pace, so that all that speak to this master cost it little."""
    return max(_SOONEST, context.remembered.known_nodes / _MOST_BETWEEN)


async def revive(context: ControlContext, node_id: str, session: int | None, now: float) -> Node:
    """The node speaks again after it was given up."""
    node = await node_in_session(context, node_id, session)
    if node.status not in _SILENT or _has_left(node, session):
        return node
    return await change_node(context, node_id, lambda current: node_lifecycle.heard(current, now))


def _has_left(node: Node, session: int | None) -> bool:
    """Whether this process of the node drained or said goodbye: it may register, but not just go on."""
    return session is not None and node.status is NodeStatus.OFFLINE and node.reason == _LEFT


def _cleaned(node_id: str, message: HeartbeatMessage, now: float) -> Heartbeat:
    usage = {name: value for name, value in message.resources.items() if math.isfinite(value)}
    load = message.load if math.isfinite(message.load) else 1.0
    return Heartbeat(
        node_id=node_id,
        at=now,
        usage=usage,
        load=min(max(load, 0.0), 1.0),
        active_tasks=message.active_tasks,
        task_errors=max(message.task_errors, 0),
        task_latency=max(message.task_latency, 0.0) if math.isfinite(message.task_latency) else 0.0,
    )


def _event(beat: Heartbeat) -> Event:
    return Event(
        type=EventType.NODE_HEARTBEAT,
        at=beat.at,
        data={"node_id": beat.node_id, "heartbeat": msgspec.to_builtins(beat)},
        node_id=beat.node_id,
    )
