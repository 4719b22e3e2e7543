"""Steps that several use cases of nodes share."""

from crawlmesh.control.changing import change_node, known_node
from crawlmesh.control.context import ControlContext
from crawlmesh.model.node import Node, NodeStatus
from crawlmesh.rules import node_lifecycle


async def set_offline(context: ControlContext, node_id: str) -> Node:
    """The node has left. One that is offline already stays as it is."""
    node = await known_node(context, node_id)
    if node.status is NodeStatus.OFFLINE:
        return node
    now = context.clock.now()
    return await change_node(context, node_id, lambda current: node_lifecycle.left(current, now))
