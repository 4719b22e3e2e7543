import pytest

from crawlmesh.adapters.memory import MemoryControlStore, MemoryCrawlStore
from crawlmesh.control.context import ControlContext
from crawlmesh.control.keys import authenticate_key
from crawlmesh.control.options import ControlOptions
from crawlmesh.errors import UnauthenticatedError
from crawlmesh.model.access import Role
from crawlmesh.testing.manual_clock import ManualClock
from crawlmesh.wiring.keys import MasterKeys, prepare_keys


@pytest.fixture
def context() -> ControlContext:
    clock = ManualClock()
    stores = (MemoryControlStore(), MemoryCrawlStore(clock))
    return ControlContext(*stores, clock, ControlOptions(), strategies={})


async def _keys(context: ControlContext, **given: str | None) -> MasterKeys:
    return await prepare_keys(context, **{"api_key": None, "join_token": None, **given})


async def _role(context: ControlContext, secret: str | None) -> Role:
    assert secret is not None
    return (await authenticate_key(context, secret)).role


async def test_a_first_start_makes_both(context: ControlContext) -> None:
    keys = await _keys(context)
    assert (keys.new_api_key, keys.new_join_token) == (True, True)
    assert await _role(context, keys.api_key) is Role.ADMIN
    assert await _role(context, keys.join_token) is Role.NODE


async def test_a_later_start_goes_on_with_those_it_knows(context: ControlContext) -> None:
    first = await _keys(context)
    later = await _keys(context, known_api_key=first.api_key, known_join_token=first.join_token)
    assert (later.api_key, later.join_token) == (first.api_key, first.join_token)
    assert not later.new_api_key
    assert not later.new_join_token


async def test_another_master_makes_no_second_admin_key_but_a_join_token_of_its_own(
    context: ControlContext,
) -> None:
    first, other = await _keys(context), await _keys(context)
    assert (other.api_key, other.new_api_key) == (None, False)
    assert await _role(context, other.join_token) is Role.NODE
    assert await _role(context, first.join_token) is Role.NODE


async def test_keys_of_the_settings_count_and_replace_those_of_before(context: ControlContext) -> None:
    first = await _keys(context)
    given = await _keys(context, api_key="admin-key", join_token="token")
    assert (given.api_key, given.join_token) == ("admin-key", "token")
    assert not given.new_api_key
    assert await _role(context, "admin-key") is Role.ADMIN
    assert await _role(context, "token") is Role.NODE
    with pytest.raises(UnauthenticatedError):
        await _role(context, first.api_key)


async def test_one_key_for_both_stays_an_admin_key(context: ControlContext) -> None:
    await _keys(context, api_key="same", join_token="same")
    assert await _role(context, "same") is Role.ADMIN


async def test_a_known_key_that_was_removed_is_of_no_use(context: ControlContext) -> None:
    keys = await _keys(context, known_api_key="gone", known_join_token="gone")
    assert keys.new_api_key
    assert keys.new_join_token
