"""Take a node out of service, and keep it known (N7)."""

from crawlmesh.control.changing import change_node, known_node
from crawlmesh.control.context import ControlContext
from crawlmesh.control.releasing import release_work
from crawlmesh.model.node import Node, NodeStatus
from crawlmesh.rules import node_lifecycle


async def unregister_node(context: ControlContext, node_id: str) -> Node:
    """The node is offline, also from maintenance, and what ran on it goes to others."""
    node = await known_node(context, node_id)
    if node.status is not NodeStatus.OFFLINE:
        now = context.clock.now()
        node = await change_node(context, node_id, lambda current: node_lifecycle.taken_out(current, now))
    await context.store.append_events([node_lifecycle.removed_event(node, context.clock.now())])
    await release_work(context, node)
    return node
