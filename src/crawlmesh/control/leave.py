"""A node says goodbye."""

from crawlmesh.control.context import ControlContext
from crawlmesh.control.crawl_state import expire_leases
from crawlmesh.control.drain_node import drain_node
from crawlmesh.control.node_steps import set_offline
from crawlmesh.control.releasing import release_work
from crawlmesh.control.sessions import node_in_session
from crawlmesh.model.node import Node, NodeStatus


async def leave(
    context: ControlContext, node_id: str, session: int | None = None, *, finishing: bool = False
) -> Node:
    """The node is offline, and what it has not finished goes to others; one that is `finishing` drains first.

    Raises StaleSessionError.
    """
    node = await node_in_session(context, node_id, session)
    if finishing:
        return await drain_node(context, node_id) if node.status is NodeStatus.ONLINE else node
    node = await set_offline(context, node_id)
    await release_work(context, node)
    await expire_leases(context, node.id, node.capabilities)  # it says itself that it fetches no more
    return node
