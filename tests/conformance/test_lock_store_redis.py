import pytest
from redis.asyncio import Redis

from crawlmesh.adapters.redis.locks import RedisLockStore
from crawlmesh.errors import StoreUnavailableError
from crawlmesh.ports.lock_store import LockStore
from crawlmesh.testing.conformance.lock_store import LockStoreSuite
from crawlmesh.testing.servers.redis import RedisServer


class TestRedisLockStore(LockStoreSuite):
    @pytest.fixture(autouse=True)
    def server(self, redis_address: str) -> None:
        self.address = redis_address

    async def open_store(self) -> LockStore:
        return await RedisLockStore.open(self.address)

    async def let_locks_end(self, name: str) -> None:
        # Redis ends them by its own clock; a blocking call lets it do so without this process looking again
        # and again.
        async with Redis.from_url(self.address) as client:
            while await client.exists(f"crawlmesh:lock:{{{name.encode().hex()}}}"):
                await client.blpop(["nothing"], timeout=0.01)


async def test_a_server_that_is_away_is_named(redis_server: RedisServer) -> None:
    store = await RedisLockStore.open(redis_server.address())
    redis_server.kill()
    with pytest.raises(StoreUnavailableError, match=f"127.0.0.1:{redis_server.port}"):
        await store.take("page", "anna", 10.0)
    redis_server.start()
    assert await store.take("page", "anna", 10.0) is not None
    await store.aclose()
