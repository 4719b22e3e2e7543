import pytest

import crawlmesh
from crawlmesh.errors import SettingError
from crawlmesh.testing.servers.redis import RedisServer


async def test_locks_on_postgresql(postgres_dsn: str) -> None:
    locks = await crawlmesh.open_locks(postgres_dsn)
    async with locks.lock("page") as held:
        assert await locks.acquire("page", max_retries=0) is None
        assert held.fence > 0
    await locks.aclose()


async def test_locks_on_redis(redis_address: str) -> None:
    locks = await crawlmesh.open_locks(redis_address)
    async with locks.lock("page") as held:
        assert await locks.acquire("page", max_retries=0) is None
        assert held.fence > 0
    await locks.aclose()


async def test_other_addresses_are_refused_without_their_password() -> None:
    with pytest.raises(SettingError, match="mysql://me@host/x") as caught:
        await crawlmesh.open_locks("mysql://me:secret@host/x")
    assert "secret" not in str(caught.value)


async def test_a_wrong_password_is_named() -> None:
    with (
        RedisServer(settings={"requirepass": "right"}) as server,
        pytest.raises(SettingError, match="user or password"),
    ):
        await crawlmesh.open_locks(f"redis://:wrong@127.0.0.1:{server.port}/0")


def test_what_the_package_offers() -> None:
    assert all(getattr(crawlmesh, name) is not None for name in crawlmesh.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'"):
        crawlmesh.nonsense  # noqa: B018
