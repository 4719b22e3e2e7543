"""Who may do what: `Authorization: Bearer` with a key, or with the token of a node."""

from fastapi import Depends
from fastapi.params import Depends as Dependency
from starlette.requests import Request

from crawlmesh.api.services import context_of
from crawlmesh.control.authenticate_node import authenticate_node
from crawlmesh.control.keys import authenticate_key
from crawlmesh.errors import ForbiddenError, UnauthenticatedError
from crawlmesh.model.access import ApiKey, Role
from crawlmesh.model.node import Node

_SCHEME = "bearer "

VIEWERS = frozenset({Role.VIEWER, Role.OPERATOR, Role.ADMIN})
OPERATORS = frozenset({Role.OPERATOR, Role.ADMIN})
ADMINS = frozenset({Role.ADMIN})
JOINERS = frozenset({Role.NODE, Role.ADMIN})
EVERYBODY = frozenset(Role)


def bearer(request: Request) -> str:
    """The key or token of a request. Raises UnauthenticatedError."""
    given = request.headers.get("authorization", "")
    secret = given[len(_SCHEME) :].strip() if given[: len(_SCHEME)].lower() == _SCHEME else ""
    if not secret:
        raise UnauthenticatedError("This needs a key. Send the header `Authorization: Bearer KEY`.")
    if not secret.isascii():
        raise UnauthenticatedError("This key is not known. Keys consist of plain ASCII characters.")
    return secret


async def caller(request: Request) -> ApiKey:
    """The key of a request. Raises UnauthenticatedError."""
    return await authenticate_key(context_of(request), bearer(request))


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
    return await authenticate_node(context_of(request), node_id, bearer(request))


async def node_or_operator(request: Request, node_id: str) -> None:
    """Let the node itself in, and keys that may steer it."""
    secret = bearer(request)
    try:
        await authenticate_node(context_of(request), node_id, secret)
    except UnauthenticatedError:
        require(await authenticate_key(context_of(request), secret), OPERATORS)
