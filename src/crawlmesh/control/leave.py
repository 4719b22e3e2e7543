"""A node says goodbye."""

from crawlmesh.control.context import ControlContext
from crawlmesh.control.node_steps import set_offline
from crawlmesh.control.releasing import release_work
from crawlmesh.control.sessions import node_in_session
from crawlmesh.model.node import Node


async def leave(context: ControlContext, node_id: str, session: int | None = None) -> Node:
    """The node is offline, and what it has not finished goes to others. Raises StaleSessionError."""
    await node_in_session(context, node_id, session)
    node = await set_offline(context, node_id)
    await release_work(context, node)
    return node
