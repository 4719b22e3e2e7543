"""Who speaks: a device with its own token, or somebody who may steer it."""

import contextlib

from starlette.requests import Request

from crawlmesh.api.auth import OPERATORS, bearer, require
from crawlmesh.api.services import context_of
from crawlmesh.control.authenticate_node import authenticate_node
from crawlmesh.control.context import ControlContext
from crawlmesh.control.keys import authenticate_key
from crawlmesh.errors import NotFoundError, UnauthenticatedError
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
    context, secret = context_of(request), bearer(request)
    node = await find_device(context, device_id)
    if node is not None:
        with contextlib.suppress(UnauthenticatedError):
            return await authenticate_node(context, node.id, secret)
    require(await authenticate_key(context, secret), OPERATORS)
    return await known_device(context, device_id)


async def worker_or_operator(request: Request, task_id: str) -> Execution | None:
    """The execution of the device that calls and works on the task; None: an operator calls."""
    context, secret = context_of(request), bearer(request)
    for execution in await context.store.running_executions([task_id]):
        with contextlib.suppress(UnauthenticatedError):
            await authenticate_node(context, execution.node_id, secret)
            return execution
    require(await authenticate_key(context, secret), OPERATORS)
    return None
