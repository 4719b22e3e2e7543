"""Forget a node (N7)."""

from crawlmesh.control.context import ControlContext
from crawlmesh.control.node_steps import set_offline
from crawlmesh.control.releasing import release_work
from crawlmesh.errors import NotFoundError
from crawlmesh.rules import node_lifecycle


async def remove_node(context: ControlContext, node_id: str) -> None:
    """What ran on the node goes to others; then nothing but its executions is kept of it."""
    node = await set_offline(context, node_id)  # first, so that it gets nothing new meanwhile
    await release_work(context, node)
    event = node_lifecycle.removed_event(node, context.clock.now())
    context.remembered.forget_node(node_id)
    if not await context.store.delete_node(node_id, [event]):
        raise NotFoundError(f"There is no node {node_id!r}.")
    context.outbox.removed(node_id)
