import msgspec
import pytest

from crawlmesh.control import sign_in as sign_in_module
from crawlmesh.control.keys import (
    ADMIN_KEY_ID,
    authenticate_key,
    bootstrap_admin_key,
    create_key,
    delete_key,
    list_keys,
)
from crawlmesh.control.sign_in import SESSION_LIFE, forget_old_sessions, sign_in, sign_out
from crawlmesh.errors import ForbiddenError, NotFoundError, UnauthenticatedError
from crawlmesh.model.access import Role
from tests.unit.control.kit import ControlKit


async def test_a_session_stands_for_its_key_and_is_not_listed() -> None:
    kit = ControlKit()
    key = await create_key(kit.context, "ci", Role.OPERATOR)
    made = await sign_in(kit.context, key.secret)
    assert made.secret not in (key.secret, "")
    session = await authenticate_key(kit.context, made.secret)
    assert (session.name, session.role, session.session_of) == ("ci", Role.OPERATOR, key.key.id)
    assert session.expires_at == kit.now + SESSION_LIFE
    assert [each.id for each in await list_keys(kit.context)] == [key.key.id]
    assert made.secret not in str(await kit.store.keys())


async def test_what_a_session_does_counts_as_use_of_its_key() -> None:
    kit = ControlKit()
    key = await create_key(kit.context, "ci", Role.OPERATOR)
    made = await sign_in(kit.context, key.secret)
    kit.clock.advance(3600.0)
    await authenticate_key(kit.context, made.secret)
    [listed] = await list_keys(kit.context)
    assert listed.last_used_at == kit.now


async def test_a_session_ends_after_its_time() -> None:
    kit = ControlKit()
    key = await create_key(kit.context, "ci", Role.VIEWER)
    made = await sign_in(kit.context, key.secret)
    kit.clock.advance(SESSION_LIFE)
    with pytest.raises(UnauthenticatedError, match="Sign in again"):
        await authenticate_key(kit.context, made.secret)
    await authenticate_key(kit.context, key.secret)


async def test_a_session_does_not_outlive_its_key() -> None:
    kit = ControlKit()
    brief = await create_key(kit.context, "brief", Role.VIEWER, expires_at=kit.now + 10.0)
    gone = await create_key(kit.context, "gone", Role.VIEWER)
    sessions = [await sign_in(kit.context, key.secret) for key in (brief, gone)]
    assert sessions[0].key.expires_at == brief.key.expires_at
    await delete_key(kit.context, gone.key.id)
    kit.clock.advance(10.0)
    for session in sessions:
        with pytest.raises(UnauthenticatedError):
            await authenticate_key(kit.context, session.secret)
    assert [key.id for key in await kit.store.keys()] == [brief.key.id, sessions[0].key.id]


async def test_a_session_whose_key_vanished_from_the_store_is_worth_nothing() -> None:
    kit = ControlKit()
    key = await create_key(kit.context, "ci", Role.VIEWER)
    made = await sign_in(kit.context, key.secret)
    await kit.store.delete_key(key.key.id)
    await kit.store.save_key(made.key)  # as if the sign-in had come a moment later
    kit.clock.advance(6.0)
    with pytest.raises(UnauthenticatedError):
        await authenticate_key(kit.context, made.secret)
    assert await forget_old_sessions(kit.context, kit.now) == 1
    assert await kit.store.keys() == []


async def test_sessions_of_an_admin_key_that_the_settings_replaced_are_worth_nothing() -> None:
    kit = ControlKit()
    await bootstrap_admin_key(kit.context, "first")
    made = await sign_in(kit.context, "first")
    assert made.key.session_of == ADMIN_KEY_ID
    kit.clock.advance(1.0)
    await bootstrap_admin_key(kit.context, "second")
    with pytest.raises(UnauthenticatedError):
        await authenticate_key(kit.context, made.secret)
    assert await forget_old_sessions(kit.context, kit.now) == 1
    await authenticate_key(kit.context, (await sign_in(kit.context, "second")).secret)


async def test_a_session_is_no_admin_key_to_start_with() -> None:
    kit = ControlKit()
    key = await create_key(kit.context, "admin", Role.ADMIN)
    made = await sign_in(kit.context, key.secret)
    await kit.store.delete_key(key.key.id)
    await kit.store.save_key(made.key)
    assert await bootstrap_admin_key(kit.context) is not None


@pytest.mark.parametrize("replaced", [False, True])
async def test_a_key_that_goes_while_somebody_signs_in_leaves_no_session(replaced: bool) -> None:
    kit = ControlKit()
    await bootstrap_admin_key(kit.context, "first")
    other = kit.another_master()

    async def meanwhile() -> None:
        await (bootstrap_admin_key(other, "second") if replaced else delete_key(other, ADMIN_KEY_ID))

    kit.store.before["add_key"] = meanwhile
    with pytest.raises(UnauthenticatedError):
        await sign_in(kit.context, "first")
    assert [key for key in await kit.store.keys() if key.session_of] == []


async def test_the_clock_of_another_master_may_be_ahead() -> None:
    kit = ControlKit()
    key = await create_key(kit.context, "ci", Role.VIEWER)
    await kit.store.save_key(msgspec.structs.replace(key.key, created_at=kit.now + 5.0))
    made = await sign_in(kit.context, key.secret)
    assert (await authenticate_key(kit.context, made.secret)).session_of == key.key.id


async def test_join_tokens_sessions_and_guesses_open_no_session() -> None:
    kit = ControlKit()
    token = await create_key(kit.context, "join", Role.NODE)
    with pytest.raises(ForbiddenError, match="join token"):
        await sign_in(kit.context, token.secret)
    key = await create_key(kit.context, "ci", Role.VIEWER)
    made = await sign_in(kit.context, key.secret)
    before = await kit.store.keys()
    with pytest.raises(UnauthenticatedError):
        await sign_in(kit.context, made.secret)
    with pytest.raises(UnauthenticatedError):
        await sign_in(kit.context, "guess")
    assert await kit.store.keys() == before


async def test_a_guess_asks_the_store_no_more_often_than_elsewhere() -> None:
    kit = ControlKit()
    key = await create_key(kit.context, "ci", Role.VIEWER)
    await authenticate_key(kit.context, key.secret)
    kit.store.calls.clear()
    for guess in ("a", "b", "c"):
        with pytest.raises(UnauthenticatedError):
            await sign_in(kit.context, guess)
        await sign_out(kit.context, guess)
    assert kit.store.calls == []


async def test_signing_out_ends_one_session_and_no_key() -> None:
    kit = ControlKit()
    key = await create_key(kit.context, "ci", Role.VIEWER)
    first, second = [await sign_in(kit.context, key.secret) for _ in range(2)]
    for secret in (first.secret, first.secret, key.secret, "unknown", ""):
        await sign_out(kit.context, secret)
    with pytest.raises(UnauthenticatedError):
        await authenticate_key(kit.context, first.secret)
    for secret in (second.secret, key.secret):
        await authenticate_key(kit.context, secret)


async def test_sessions_are_not_deleted_as_keys() -> None:
    kit = ControlKit()
    key = await create_key(kit.context, "ci", Role.VIEWER)
    made = await sign_in(kit.context, key.secret)
    with pytest.raises(NotFoundError):
        await delete_key(kit.context, made.key.id)
    await authenticate_key(kit.context, made.secret)


async def test_the_oldest_sessions_of_a_key_make_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sign_in_module, "MOST_SESSIONS", 3)
    kit = ControlKit()
    key, other = [await create_key(kit.context, name, Role.VIEWER) for name in ("ci", "other")]
    untouched = await sign_in(kit.context, other.secret)
    made = []
    for _ in range(5):
        made.append(await sign_in(kit.context, key.secret))
        kit.clock.advance(1.0)
    left = {each.id for each in await kit.store.keys() if each.session_of}
    assert left == {untouched.key.id, *(each.key.id for each in made[2:])}


async def test_signing_in_forgets_sessions_that_are_over() -> None:
    kit = ControlKit()
    key = await create_key(kit.context, "ci", Role.VIEWER)
    await sign_in(kit.context, key.secret)
    kit.clock.advance(SESSION_LIFE)
    new = await sign_in(kit.context, key.secret)
    assert [each.id for each in await kit.store.keys() if each.session_of] == [new.key.id]
