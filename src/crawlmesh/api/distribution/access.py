"""Who speaks: a device with its own token, or somebody who may steer it."""

from starlette.requests import Request

from crawlmesh.api.auth import OPERATORS, caller, node_if_itself, require
from crawlmesh.api.services import context_of
from crawlmesh.control.context import ControlContext
from crawlmesh.errors import NotFoundError
from crawlmesh.model.execution import Execution
from crawlmesh.model.node import Node


async def find_device(context: ControlContext, device_id: str) -> Node | None:
    """The node that registered under this id, or has it."""
    return await context.store.node_by_identity(device_id) or await context.store.node(device_id)


async def known_device(context: ControlContext, device_id: str) -> Node:
    """The node that registered under this id, or has it. Raises NotFoundError."""
    node = await find_device(context, device_id)
    if node is None:
        raise NotFoundError(f"There is no device {device_id!r}; it has to register first.")
    return node


async def device_or_operator(request: Request, device_id: str) -> Node:
    """The device, for itself or for an operator. Who is neither does not learn whether it exists."""
    context = context_of(request)
    node = await find_device(context, device_id)
    itself = None if node is None else await node_if_itself(request, node.id)
    if itself is not None:
        return itself
    require(await caller(request), OPERATORS)
    return await known_device(context, device_id)


async def worker_or_operator(request: Request, task_id: str) -> Execution | None:
    """The execution of the device that calls and works on the task; None: an operator calls."""
    for execution in await context_of(request).store.running_executions([task_id]):
        if await node_if_itself(request, execution.node_id) is not None:
            return execution
    require(await caller(request), OPERATORS)
    return None
