"""Take a node out of service, and keep it known (N7)."""

from crawlmesh.control.context import ControlContext
from crawlmesh.control.node_steps import set_offline
from crawlmesh.control.releasing import release_work
from crawlmesh.model.node import Node
from crawlmesh.rules import node_lifecycle


async def unregister_node(context: ControlContext, node_id: str) -> Node:
    """The node is offline, what ran on it goes to others, and it has to register to come back."""
    node = await set_offline(context, node_id)
    await context.store.append_events([node_lifecycle.removed_event(node, context.clock.now())])
    await release_work(context, node)
    return node
