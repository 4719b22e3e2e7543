"""Which process of a node is speaking."""

from crawlmesh.control.changing import known_node
from crawlmesh.control.context import ControlContext
from crawlmesh.errors import StaleSessionError
from crawlmesh.model.node import Node


async def node_in_session(context: ControlContext, node_id: str, session: int | None) -> Node:
    """The node, where the session is its latest (None: a client without sessions, taken as it is).

    Raises NotFoundError and StaleSessionError.
    """
    node = await known_node(context, node_id)
    if session is not None and session != node.session:
        raise StaleSessionError(
            f"The node {node_id!r} was registered anew (session {node.session}); the process of session "
            f"{session} must register again."
        )
    return node
