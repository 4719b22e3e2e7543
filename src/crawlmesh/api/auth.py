"""Who may do what: with a key, or with the token of a node.

`caller` is the one place that turns a request of people and programs into who they are; everything that
lets keys in asks it.
"""

from fastapi import Depends
from fastapi.params import Depends as Dependency
from starlette.requests import Request

from crawlmesh.api.credentials import key_given, token_given
from crawlmesh.api.services import context_of
from crawlmesh.control.authenticate_node import authenticate_node
from crawlmesh.control.keys import authenticate_key
from crawlmesh.errors import ForbiddenError, UnauthenticatedError
from crawlmesh.model.access import ApiKey, Role
from crawlmesh.model.node import Node

VIEWERS = frozenset({Role.VIEWER, Role.OPERATOR, Role.ADMIN})
OPERATORS = frozenset({Role.OPERATOR, Role.ADMIN})
ADMINS = frozenset({Role.ADMIN})
JOINERS = frozenset({Role.NODE, Role.ADMIN})
EVERYBODY = frozenset(Role)


async def caller(request: Request) -> ApiKey:
    """The key behind a request. Raises UnauthenticatedError and ForbiddenError."""
    return await authenticate_key(context_of(request), key_given(request.method, request.headers))


def allow(roles: frozenset[Role]) -> Dependency:
    """Let only keys with one of these roles in."""

    async def check(request: Request) -> None:
        require(await caller(request), roles)

    dependency: Dependency = Depends(check)
    return dependency


def require(key: ApiKey, roles: frozenset[Role]) -> None:
    """Raise ForbiddenError unless the key has one of these roles."""
    if key.role not in roles:
        allowed = " or ".join(sorted(roles))
        raise ForbiddenError(f"The key {key.name} has the role {key.role}; this needs {allowed}.")


async def calling_node(request: Request, node_id: str) -> Node:
    """The node that calls with its own token. Raises UnauthenticatedError."""
    return await authenticate_node(context_of(request), node_id, token_given(request.headers))


async def node_if_itself(request: Request, node_id: str) -> Node | None:
    """The node where it calls with its own token; None: somebody else calls."""
    try:
        return await calling_node(request, node_id)
    except UnauthenticatedError:
        return None
