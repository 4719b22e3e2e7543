"""Give a node a new token (Y1)."""

from crawlmesh.control.changing import change_node
from crawlmesh.control.context import ControlContext
from crawlmesh.control.credentials import hash_of, new_node_token
from crawlmesh.rules import node_lifecycle


async def rotate_token(context: ControlContext, node_id: str) -> str:
    """The new token, told only here. The old one is worth nothing from now on."""
    token = new_node_token()
    now = context.clock.now()
    await change_node(context, node_id, lambda node: node_lifecycle.token_rotated(node, hash_of(token), now))
    return token
