"""Put a node into maintenance (N7)."""

from crawlmesh.control.changing import change_node
from crawlmesh.control.context import ControlContext
from crawlmesh.model.node import Node
from crawlmesh.rules import node_lifecycle


async def maintain_node(context: ControlContext, node_id: str) -> Node:
    """The node gets nothing new until it is resumed; what runs on it goes on."""
    now = context.clock.now()
    return await change_node(context, node_id, lambda node: node_lifecycle.maintenance(node, now))
