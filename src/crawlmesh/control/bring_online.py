"""Let a node work again, whatever kept it from that (S4)."""

from crawlmesh.control.changing import change_node, known_node
from crawlmesh.control.context import ControlContext
from crawlmesh.model.node import Heartbeat, Node
from crawlmesh.rules import node_lifecycle


async def bring_online(context: ControlContext, node_id: str) -> Node:
    """The node gets work again. To say so is a sign of life; if none follows, it is given up as ever."""
    node = await known_node(context, node_id)
    now = context.clock.now()
    sign = Heartbeat(node_id=node_id, at=now, usage=node.usage, load=node.load)
    await context.store.record_heartbeats([sign], [])
    return await change_node(context, node_id, lambda current: node_lifecycle.brought_online(current, now))
