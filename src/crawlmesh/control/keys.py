"""API keys: make, look at, forget, and recognise (Y2)."""

import msgspec

from crawlmesh.control.context import ControlContext
from crawlmesh.control.credentials import hash_of, new_key_secret, same
from crawlmesh.control.task_checks import check_text
from crawlmesh.errors import InvalidError, NotFoundError, UnauthenticatedError
from crawlmesh.model.access import ApiKey, Role

ADMIN_KEY_ID = "key-admin"
JOIN_KEY_ID = "key-join"

_REMEMBERED_FOR = 5.0  # seconds that a key which another master has deleted may still be taken
_PAUSE_AFTER_GUESS = 0.5  # seconds between two questions to the store for keys that nobody knows
_NOTED_EVERY = 60.0  # seconds between two notes of when a key was used


class NewKey(msgspec.Struct, frozen=True):
    """A key with its secret, which is told only here."""

    key: ApiKey
    secret: str


async def create_key(
    context: ControlContext, name: str, role: Role, expires_at: float | None = None
) -> NewKey:
    """A new key. Only the hash of its secret is kept."""
    check_text(name, "name")
    if not name:
        raise InvalidError("name is empty; give the key a name.", "name")
    now = context.clock.now()
    if expires_at is not None and expires_at <= now:
        raise InvalidError("expires_at has passed already.", "expires_at")
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
    """All keys, oldest first."""
    return await context.store.keys()


async def delete_key(context: ControlContext, key_id: str) -> None:
    """The key is worth nothing from now on. Raises NotFoundError."""
    context.remembered.forget_keys()
    if not await context.store.delete_key(key_id):
        raise NotFoundError(f"There is no key {key_id!r}.")


async def authenticate_key(context: ControlContext, secret: str) -> ApiKey:
    """The key whose secret this is. Raises UnauthenticatedError."""
    told = hash_of(secret)
    key = await _find(context, told)
    now = context.clock.now()
    if key is None or not same(key.hash, told):
        raise UnauthenticatedError("This key is not known. Give one that `create_key` answered with.")
    if key.expires_at is not None and key.expires_at <= now:
        raise UnauthenticatedError(f"The key {key.name} has expired. Ask an administrator for a new one.")
    if key.last_used_at is None or key.last_used_at + _NOTED_EVERY <= now:
        key = msgspec.structs.replace(key, last_used_at=now)
        context.remembered.keys[told] = key
        await context.store.save_key(key)
    return key


async def bootstrap_admin_key(context: ControlContext, secret: str | None = None) -> str | None:
    """See to it that there is an admin key. Returns the secret where one was made here, to be shown once.

    With a secret from the settings, that is the admin key; without, one is made where there is none yet.
    """
    if secret is not None:
        await _keep_given(context, ADMIN_KEY_ID, "admin", Role.ADMIN, secret)
        return None
    if any(key.role is Role.ADMIN for key in await context.store.keys()):
        return None
    made = new_key_secret()
    await _keep_given(context, ADMIN_KEY_ID, "admin", Role.ADMIN, made)
    return made


async def bootstrap_join_token(context: ControlContext, secret: str) -> None:
    """Let nodes register with this token of the settings."""
    await _keep_given(context, JOIN_KEY_ID, "join token", Role.NODE, secret)


async def _keep_given(context: ControlContext, key_id: str, name: str, role: Role, secret: str) -> None:
    told = hash_of(secret)
    for key in await context.store.keys():
        if key.id == key_id and same(key.hash, told):
            return
    await _save(context, ApiKey(id=key_id, name=name, role=role, hash=told, created_at=context.clock.now()))


async def _find(context: ControlContext, told: str) -> ApiKey | None:
    """Look it up in memory. An unknown one may be new, so that the store is asked, but not for each guess."""
    remembered = context.remembered
    age = context.clock.monotonic() - remembered.keys_read_at
    if age >= _REMEMBERED_FOR or (age >= _PAUSE_AFTER_GUESS and told not in remembered.keys):
        remembered.keys_read_at = context.clock.monotonic()
        remembered.keys = {key.hash: key for key in await context.store.keys()}
    return remembered.keys.get(told)


async def _save(context: ControlContext, key: ApiKey) -> None:
    await context.store.save_key(key)
    context.remembered.forget_keys()
