"""Sessions of browsers: sign in with a key, sign out, and forget what is over.

A session is a key of its own that hangs on the one it was made with: it has its role, and is worth nothing
once that is gone. So the key itself need not be kept in a browser.
"""

from collections.abc import Iterable
from operator import attrgetter

from crawlmesh.control.context import ControlContext
from crawlmesh.control.credentials import hash_of, new_session_secret, same
from crawlmesh.control.keys import UNKNOWN_KEY, NewKey, authenticate_key, usable_keys
from crawlmesh.errors import ForbiddenError, UnauthenticatedError
from crawlmesh.model.access import ApiKey, Role

SESSION_LIFE = 7 * 86_400.0  # seconds
MOST_SESSIONS = 100  # of one key; the oldest beyond them go


async def sign_in(context: ControlContext, secret: str) -> NewKey:
    """A session for the key whose secret this is, with the secret of the session.

    Raises UnauthenticatedError where there is no such key, and ForbiddenError for the tokens of nodes.
    """
    key = await authenticate_key(context, secret)
    if key.session_of is not None:  # else sessions would go on for ever
        raise UnauthenticatedError(UNKNOWN_KEY)
    if key.role is Role.NODE:
        raise ForbiddenError(
            f"The key {key.name} is a join token, with which only nodes register. Sign in with another key."
        )
    new = _new_session(context, key)
    await context.store.add_key(new.key)
    try:
        await _see_to_others(context, key, new.key)
    finally:
        context.remembered.forget_keys()
    return new


async def sign_out(context: ControlContext, secret: str) -> None:
    """Forget the session whose secret this is. One that is over already is fine, and keys stay."""
    try:
        key = await authenticate_key(context, secret) if secret else None
    except UnauthenticatedError:
        return
    if key is not None and key.session_of is not None:
        await _forget(context, [key])


async def forget_old_sessions(context: ControlContext, now: float) -> int:
    """Forget sessions that have expired or whose key is gone. Returns how many."""
    keys = await context.store.keys()
    usable = {key.id for key in usable_keys(keys)}
    return await _forget(context, [key for key in keys if key.id not in usable or _is_over(key, now)])


def _new_session(context: ControlContext, key: ApiKey) -> NewKey:
    now = context.clock.now()
    secret = new_session_secret()
    session = ApiKey(
        id=context.ids.make("session"),
        name=key.name,
        role=key.role,
        hash=hash_of(secret),
        created_at=max(now, key.created_at),  # the clock of another master may be ahead
        expires_at=min(now + SESSION_LIFE, key.expires_at or float("inf")),
        last_used_at=now,
        session_of=key.id,
    )
    return NewKey(session, secret)


async def _see_to_others(context: ControlContext, key: ApiKey, new: ApiKey) -> None:
    """Forget sessions beyond the bound; and the new one where its key was deleted or replaced meanwhile."""
    keys = await context.store.keys()
    if not any(each.id == key.id and same(each.hash, key.hash) for each in keys):
        await _forget(context, [new])
        raise UnauthenticatedError(UNKNOWN_KEY)
    others = [each for each in keys if each.session_of == key.id and each.id != new.id]
    over = [each for each in others if _is_over(each, new.created_at)]
    left = sorted((each for each in others if each not in over), key=attrgetter("created_at", "id"))
    await _forget(context, [*over, *left[: max(len(left) + 1 - MOST_SESSIONS, 0)]])


def _is_over(key: ApiKey, now: float) -> bool:
    return key.session_of is not None and key.expires_at is not None and key.expires_at <= now


async def _forget(context: ControlContext, sessions: Iterable[ApiKey]) -> int:
    forgotten = 0
    for session in sessions:
        forgotten += await context.store.delete_key(session.id)
    if forgotten:
        context.remembered.forget_keys()
    return forgotten
