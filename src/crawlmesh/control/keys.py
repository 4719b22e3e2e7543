"""API keys: make, look at, forget, and recognise (Y2). Sessions are recognised as keys are."""

from collections.abc import Sequence

import msgspec

from crawlmesh.control.context import ControlContext
from crawlmesh.control.credentials import hash_of, new_key_secret, same
from crawlmesh.control.task_checks import check_text
from crawlmesh.errors import ConflictError, InvalidError, NotFoundError, UnauthenticatedError
from crawlmesh.model.access import ApiKey, Role

ADMIN_KEY_ID = "key-admin"
JOIN_KEY_ID = "key-join"

_REMEMBERED_FOR = 5.0  # seconds that a key which another master has deleted may still be taken
_PAUSE_AFTER_GUESS = 0.5  # seconds between two questions to the store for keys that nobody knows
_NOTED_EVERY = 60.0  # seconds between two notes of when a key was used
UNKNOWN_KEY = "This key is not known. Give one that `create_key` answered with."


class NewKey(msgspec.Struct, frozen=True):
    """A key with its secret, which is told only here."""

    key: ApiKey
    secret: str


async def create_key(
    context: ControlContext, name: str, role: Role, expires_at: float | None = None
) -> NewKey:
    """A new key. Only the hash of its secret is kept. Raises ConflictError where it would be over by now."""
    check_text(name, "name")
    if not name:
        raise InvalidError("name is empty; give the key a name.", "name")
    now = context.clock.now()
    if expires_at is not None and expires_at <= now:
        raise ConflictError("expires_at has passed already. Give a moment to come, or none.", "expires_at")
    secret = new_key_secret()
    key = ApiKey(
        id=context.ids.make("key"),
        name=name,
        role=role,
        hash=hash_of(secret),
        created_at=now,
        expires_at=expires_at,
    )
    await _save(context, key)
    return NewKey(key, secret)


async def list_keys(context: ControlContext) -> list[ApiKey]:
    """All keys, oldest first. What their sessions did counts as theirs; sessions themselves are left out."""
    last_used: dict[str | None, float] = {}
    keys = await context.store.keys()
    for key in keys:
        owner = key.session_of or key.id
        last_used[owner] = max(last_used.get(owner, 0.0), key.last_used_at or 0.0)
    return [
        msgspec.structs.replace(key, last_used_at=last_used[key.id] or None)
        for key in keys
        if key.session_of is None
    ]


async def delete_key(context: ControlContext, key_id: str) -> None:
    """The key and its sessions are worth nothing from now on. Raises NotFoundError."""
    known = any(key.id == key_id and key.session_of is None for key in await context.store.keys())
    deleted = known and await context.store.delete_key(key_id)
    context.remembered.forget_keys()
    if not deleted:
        raise NotFoundError(f"There is no key {key_id!r}.")


async def authenticate_key(context: ControlContext, secret: str) -> ApiKey:
    """The key or session whose secret this is. Raises UnauthenticatedError."""
    told = hash_of(secret)
    key = await _find(context, told)
    now = context.clock.now()
    if key is None or not same(key.hash, told):
        raise UnauthenticatedError(UNKNOWN_KEY)
    if key.expires_at is not None and key.expires_at <= now:
        raise UnauthenticatedError(_expired(key))
    if key.last_used_at is None or key.last_used_at + _NOTED_EVERY <= now:
        key = msgspec.structs.replace(key, last_used_at=now)
        context.remembered.keys[told] = key
        if not await context.store.touch_key(key.id, now):
            context.remembered.forget_keys()
            raise UnauthenticatedError(UNKNOWN_KEY)
    return key


async def bootstrap_admin_key(context: ControlContext, secret: str | None = None) -> str | None:
    """See to it that there is an admin key. Returns the secret where one was made here, to be shown once.

    With a secret from the settings, that is the admin key; without, one is made where there is none yet.
    Of several masters that start at once, the first makes it.
    """
    if secret is not None:
        await _keep_given(context, _admin_key(context, secret))
        return None
    if any(key.role is Role.ADMIN and key.session_of is None for key in await context.store.keys()):
        return None
    made = new_key_secret()
    return made if await _add(context, _admin_key(context, made)) else None


async def bootstrap_join_token(context: ControlContext, secret: str | None = None) -> str | None:
    """Let nodes register with this token of the settings; without one, make the first.

    Returns the secret where one was made here, None where another master made the first.
    """
    if secret is not None:
        await _keep_given(context, _join_key(context, secret))
        return None
    made = new_key_secret()
    return made if await _add(context, _join_key(context, made)) else None


def usable_keys(keys: Sequence[ApiKey]) -> list[ApiKey]:
    """All but sessions whose key is gone, or was replaced since by another of the same id."""
    made_at = {key.id: key.created_at for key in keys if key.session_of is None}
    return [
        key
        for key in keys
        if key.session_of is None or key.created_at >= made_at.get(key.session_of, float("inf"))
    ]


def _expired(key: ApiKey) -> str:
    if key.session_of is not None:
        return "Your session has expired. Sign in again."
    return f"The key {key.name} has expired. Ask an administrator for a new one."


def _admin_key(context: ControlContext, secret: str) -> ApiKey:
    now = context.clock.now()
    return ApiKey(id=ADMIN_KEY_ID, name="admin", role=Role.ADMIN, hash=hash_of(secret), created_at=now)


def _join_key(context: ControlContext, secret: str) -> ApiKey:
    now = context.clock.now()
    return ApiKey(id=JOIN_KEY_ID, name="join token", role=Role.NODE, hash=hash_of(secret), created_at=now)


async def _keep_given(context: ControlContext, given: ApiKey) -> None:
    for key in await context.store.keys():
        if key.id == given.id and same(key.hash, given.hash):
            return
    await _save(context, given)


async def _add(context: ControlContext, key: ApiKey) -> bool:
    added = await context.store.add_key(key)
    context.remembered.forget_keys()
    return added


async def _find(context: ControlContext, told: str) -> ApiKey | None:
    """Look it up in memory. An unknown one may be new, so that the store is asked, but not for each guess."""
    if _is_to_be_read(context, told):
        async with context.remembered.reading_keys:  # those who wait here share what the first one reads
            while _is_to_be_read(context, told):
                await _read(context)
    return context.remembered.keys.get(told)


def _is_to_be_read(context: ControlContext, told: str) -> bool:
    remembered = context.remembered
    age = context.clock.monotonic() - remembered.keys_read_at
    return age >= _REMEMBERED_FOR or (age >= _PAUSE_AFTER_GUESS and told not in remembered.keys)


async def _read(context: ControlContext) -> None:
    remembered = context.remembered
    asked_at = remembered.keys_forgotten
    keys = await context.store.keys()
    if asked_at == remembered.keys_forgotten:
        remembered.keys = {key.hash: key for key in usable_keys(keys)}
        remembered.keys_read_at = context.clock.monotonic()


async def _save(context: ControlContext, key: ApiKey) -> None:
    await context.store.save_key(key)
    context.remembered.forget_keys()
