"""The keys of a master at its start."""

import socket

import msgspec

from crawlmesh.control.context import ControlContext
from crawlmesh.control.keys import (
    authenticate_key,
    bootstrap_admin_key,
    bootstrap_join_token,
    create_key,
)
from crawlmesh.errors import UnauthenticatedError
from crawlmesh.model.access import Role


class MasterKeys(msgspec.Struct, frozen=True, kw_only=True):
    """What opens a master. `api_key` is None where another master made it and nobody told us."""

    api_key: str | None
    join_token: str
    new_api_key: bool = False
    new_join_token: bool = False


async def prepare_keys(
    context: ControlContext,
    *,
    api_key: str | None,
    join_token: str | None,
    known_api_key: str | None = None,
    known_join_token: str | None = None,
) -> MasterKeys:
    """See to it that there are an admin key and a join token: given ones, those of before, or new ones."""
    admin, new_admin = await _admin(context, api_key, known_api_key)
    join, new_join = await _join(context, join_token, known_join_token, admin)
    return MasterKeys(api_key=admin, join_token=join, new_api_key=new_admin, new_join_token=new_join)


async def _admin(context: ControlContext, given: str | None, known: str | None) -> tuple[str | None, bool]:
    if given is not None:
        await bootstrap_admin_key(context, given)
        return given, False
    if known is not None and await _opens(context, known, Role.ADMIN):
        return known, False
    made = await bootstrap_admin_key(context)
    return made, made is not None


async def _join(
    context: ControlContext, given: str | None, known: str | None, admin: str | None
) -> tuple[str, bool]:
    if given is not None:
        if given != admin:  # an admin key lets nodes in already
            await bootstrap_join_token(context, given)
        return given, False
    if known is not None and await _opens(context, known, Role.NODE):
        return known, False
    made = await bootstrap_join_token(context)
    if made is None:
        # Another master made the first one; its workers go on using it.
        made = (await create_key(context, f"join token of {socket.gethostname()}", Role.NODE)).secret
    return made, True


async def _opens(context: ControlContext, secret: str, role: Role) -> bool:
    try:
        return (await authenticate_key(context, secret)).role is role
    except UnauthenticatedError:
        return False
