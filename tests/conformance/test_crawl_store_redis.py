from pathlib import Path

import pytest

from crawlmesh.adapters.redis.crawl_store import RedisCrawlStore
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.conformance.crawl_store import CrawlStoreSuite


class RedisSuite(CrawlStoreSuite):
    durable = True
    shared = True
    address = ""

    async def open_store(self, clock: Clock, folder: Path) -> CrawlStore:
        return await RedisCrawlStore.open(self.address, clock)


class TestRedisCrawlStore(RedisSuite):
    @pytest.fixture(autouse=True)
    def server(self, redis_address: str) -> None:
        self.address = redis_address


class TestCrawlStoreOnOldRedis(RedisSuite):
    @pytest.fixture(autouse=True)
    def server(self, old_redis_address: str) -> None:
        self.address = old_redis_address


class TestCrawlStoreOnValkey(RedisSuite):
    @pytest.fixture(autouse=True)
    def server(self, valkey_address: str) -> None:
        self.address = valkey_address
