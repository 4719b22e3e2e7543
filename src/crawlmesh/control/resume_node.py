"""Let a node that drained or was in maintenance work again (N7)."""

from crawlmesh.control.changing import change_node
from crawlmesh.control.context import ControlContext
from crawlmesh.model.node import Node
from crawlmesh.rules import node_lifecycle


async def resume_node(context: ControlContext, node_id: str) -> Node:
    """The node gets work again."""
    now = context.clock.now()
    return await change_node(context, node_id, lambda node: node_lifecycle.resumed(node, now))
