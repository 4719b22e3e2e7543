import asyncio
from collections.abc import Awaitable, Callable

import pytest

from crawlmesh.adapters.memory.control_store import MemoryControlStore
from crawlmesh.control.context import ControlContext
from crawlmesh.control.keys import (
    authenticate_key,
    bootstrap_admin_key,
    bootstrap_join_token,
    create_key,
    delete_key,
    list_keys,
)
from crawlmesh.errors import ConflictError, InvalidError, NotFoundError, StoreError, UnauthenticatedError
from crawlmesh.model.access import ApiKey, Role
from tests.unit.control.kit import ControlKit

Bootstrap = Callable[[ControlContext], Awaitable[str | None]]


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


async def test_a_key_that_is_deleted_while_it_is_used_stays_deleted() -> None:
    kit = ControlKit()
    made = await create_key(kit.context, "gone", Role.ADMIN)
    other = kit.another_master()

    async def meanwhile() -> None:
        await delete_key(other, made.key.id)

    kit.store.before["touch_key"] = meanwhile
    with pytest.raises(UnauthenticatedError):
        await authenticate_key(kit.context, made.secret)
    assert await list_keys(kit.context) == []


async def test_a_key_that_is_used_while_it_is_deleted_is_not_remembered() -> None:
    kit = ControlKit()
    made = await create_key(kit.context, "gone", Role.ADMIN)

    async def meanwhile() -> None:
        await authenticate_key(kit.context, made.secret)

    kit.store.before["delete_key"] = meanwhile
    await delete_key(kit.context, made.key.id)
    with pytest.raises(UnauthenticatedError):
        await authenticate_key(kit.context, made.secret)


async def test_keys_that_were_read_before_one_was_deleted_are_read_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kit = ControlKit()
    made = await create_key(kit.context, "gone", Role.ADMIN)
    await authenticate_key(kit.context, made.secret)  # so that its use is noted, and not asked for again
    kit.clock.advance(6.0)
    read = MemoryControlStore.keys

    async def read_late(store: MemoryControlStore) -> list[ApiKey]:
        monkeypatch.setattr(MemoryControlStore, "keys", read)
        found = await read(store)
        await delete_key(kit.context, made.key.id)
        return found

    monkeypatch.setattr(MemoryControlStore, "keys", read_late)
    with pytest.raises(UnauthenticatedError):
        await authenticate_key(kit.context, made.secret)


async def test_first_requests_at_the_same_time_share_one_look_into_the_store() -> None:
    kit = ControlKit()
    made = await create_key(kit.context, "ci", Role.VIEWER)
    kit.store.calls.clear()

    async def be_slow() -> None:
        for _ in range(5):
            await asyncio.sleep(0)

    kit.store.before["keys"] = be_slow
    found = await asyncio.gather(*(authenticate_key(kit.context, made.secret) for _ in range(3)))
    assert [key.id for key in found] == [made.key.id] * 3
    assert kit.store.calls.count("keys") == 1


async def test_a_store_that_was_away_for_a_moment_makes_no_key_unknown() -> None:
    kit = ControlKit()
    made = await create_key(kit.context, "ci", Role.VIEWER)

    async def fail() -> None:
        raise StoreError("away")

    kit.store.before["keys"] = fail
    with pytest.raises(StoreError):
        await authenticate_key(kit.context, made.secret)
    assert (await authenticate_key(kit.context, made.secret)).id == made.key.id


async def test_bad_keys_are_not_made() -> None:
    kit = ControlKit()
    with pytest.raises(InvalidError):
        await create_key(kit.context, "", Role.VIEWER)
    with pytest.raises(ConflictError, match="passed"):
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


@pytest.mark.parametrize("bootstrap", [bootstrap_admin_key, bootstrap_join_token])
async def test_of_two_masters_that_start_at_once_the_first_makes_the_key(bootstrap: Bootstrap) -> None:
    kit = ControlKit()
    made: list[str | None] = []

    async def meanwhile() -> None:
        made.append(await bootstrap(kit.another_master()))

    kit.store.before["add_key"] = meanwhile
    assert await bootstrap(kit.context) is None
    [secret] = made
    assert secret is not None
    await authenticate_key(kit.context, secret)
    assert len(await list_keys(kit.context)) == 1


async def test_a_join_token_is_a_key_for_nodes() -> None:
    kit = ControlKit()
    await bootstrap_join_token(kit.context, "join")
    assert (await authenticate_key(kit.context, "join")).role is Role.NODE
