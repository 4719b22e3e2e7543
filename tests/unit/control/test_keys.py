import pytest

from crawlmesh.control.keys import (
    authenticate_key,
    bootstrap_admin_key,
    bootstrap_join_token,
    create_key,
    delete_key,
    list_keys,
)
from crawlmesh.errors import InvalidError, NotFoundError, UnauthenticatedError
from crawlmesh.model.access import Role
from tests.unit.control.kit import ControlKit


async def test_a_key_is_recognised_by_its_secret_which_is_not_kept() -> None:
    kit = ControlKit()
    made = await create_key(kit.context, "ci", Role.OPERATOR)
    assert made.secret.startswith("cm_")
    assert (await authenticate_key(kit.context, made.secret)).id == made.key.id
    assert made.secret not in str(await list_keys(kit.context))
    with pytest.raises(UnauthenticatedError):
        await authenticate_key(kit.context, made.secret + "x")


async def test_a_known_key_is_not_looked_up_each_time_and_a_guess_not_at_all() -> None:
    kit = ControlKit()
    made = await create_key(kit.context, "ci", Role.VIEWER)
    await authenticate_key(kit.context, made.secret)
    kit.store.calls.clear()
    await authenticate_key(kit.context, made.secret)
    for guess in ("a", "b", "c"):
        with pytest.raises(UnauthenticatedError):
            await authenticate_key(kit.context, guess)
    assert kit.store.calls == []


async def test_a_key_that_another_master_made_is_found_soon() -> None:
    kit = ControlKit()
    with pytest.raises(UnauthenticatedError):
        await authenticate_key(kit.context, "nothing")
    made = await create_key(kit.another_master(), "ci", Role.VIEWER)
    kit.clock.advance(0.5)
    assert (await authenticate_key(kit.context, made.secret)).id == made.key.id


async def test_deleted_and_expired_keys_are_worth_nothing() -> None:
    kit = ControlKit()
    gone = await create_key(kit.context, "gone", Role.VIEWER)
    brief = await create_key(kit.context, "brief", Role.VIEWER, expires_at=kit.now + 10.0)
    await authenticate_key(kit.context, gone.secret)
    await delete_key(kit.context, gone.key.id)
    kit.clock.advance(10.0)
    for secret in (gone.secret, brief.secret):
        with pytest.raises(UnauthenticatedError):
            await authenticate_key(kit.context, secret)
    with pytest.raises(NotFoundError):
        await delete_key(kit.context, gone.key.id)


async def test_bad_keys_are_not_made() -> None:
    kit = ControlKit()
    with pytest.raises(InvalidError):
        await create_key(kit.context, "", Role.VIEWER)
    with pytest.raises(InvalidError):
        await create_key(kit.context, "late", Role.VIEWER, expires_at=kit.now)


async def test_the_admin_key_of_the_settings_replaces_the_one_before() -> None:
    kit = ControlKit()
    assert await bootstrap_admin_key(kit.context, "first") is None
    assert (await authenticate_key(kit.context, "first")).role is Role.ADMIN
    await bootstrap_admin_key(kit.context, "second")
    assert (await authenticate_key(kit.context, "second")).role is Role.ADMIN
    with pytest.raises(UnauthenticatedError):
        await authenticate_key(kit.context, "first")


async def test_an_admin_key_is_made_and_told_once_where_there_is_none() -> None:
    kit = ControlKit()
    secret = await bootstrap_admin_key(kit.context)
    assert secret is not None
    assert (await authenticate_key(kit.context, secret)).role is Role.ADMIN
    assert await bootstrap_admin_key(kit.context) is None


async def test_a_join_token_is_a_key_for_nodes() -> None:
    kit = ControlKit()
    await bootstrap_join_token(kit.context, "join")
    assert (await authenticate_key(kit.context, "join")).role is Role.NODE
