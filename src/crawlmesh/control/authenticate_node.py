"""Find out whether a node is who it says."""

from crawlmesh.control.context import ControlContext
from crawlmesh.control.credentials import hash_of, same
from crawlmesh.errors import UnauthenticatedError
from crawlmesh.model.node import Node

_REMEMBERED_FOR = 2.0  # seconds that a token which another master has replaced may still be taken


async def authenticate_node(context: ControlContext, node_id: str, token: str) -> Node:
    """The node whose token this is. Raises UnauthenticatedError, alike for unknown nodes and wrong tokens.

    The node may be a few seconds old: use cases look at its session for themselves.
    """
    told = hash_of(token)
    moment = context.clock.monotonic()
    remembered = context.remembered.node(node_id, moment, _REMEMBERED_FOR)
    if remembered is not None and same(remembered.token_hash, told):
        return remembered
    node = await context.store.node(node_id)
    if node is None or not node.token_hash or not same(node.token_hash, told):
        raise UnauthenticatedError(f"This is not the token of a node {node_id!r}; register again.")
    context.remembered.keep_node(node, moment)
    return node
