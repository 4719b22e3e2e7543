"""Let a node finish what runs, take nothing new, and leave (N7)."""

from crawlmesh.control.changing import change_node
from crawlmesh.control.context import ControlContext
from crawlmesh.model.node import Node
from crawlmesh.rules import node_lifecycle


async def drain_node(context: ControlContext, node_id: str) -> Node:
    """The node hears of it with its next pull, and is offline once nothing runs on it."""
    now = context.clock.now()
    return await change_node(context, node_id, lambda node: node_lifecycle.drained(node, now))
