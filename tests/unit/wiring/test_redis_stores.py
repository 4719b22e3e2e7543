"""Masters and workers with their crawls on Redis."""

from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from crawlmesh.adapters.redis.crawl_store import RedisCrawlStore
from crawlmesh.control.crawl_store_state import StoreState, crawl_store_state
from crawlmesh.errors import SettingError, UsageError
from crawlmesh.observability.metrics import NoMeasurements
from crawlmesh.settings import load_settings
from crawlmesh.testing.servers.redis import RedisServer
from crawlmesh.wiring import stores
from crawlmesh.wiring.control import make_control_context


async def test_tasks_are_not_kept_in_redis() -> None:
    with pytest.raises(SettingError, match=r"control_store cannot be Redis.*crawl_store"):
        await stores.open_control_store("redis://host/0")
    with pytest.raises(UsageError, match="cannot be Redis"):
        load_settings({"control_store": "redis://host/0"})


def test_redis_is_a_server_of_several_machines() -> None:
    settings = load_settings(
        {"crawl_store": "redis+cluster://host:7000?partitions=8", "data_dir": Path("data")}
    )
    assert stores.is_server(stores.crawl_store_url(settings))
    assert stores.folders_of(stores.crawl_store_url(settings)) == []
    assert stores.control_store_url(settings) == "sqlite:///data/cluster/control.db"
    assert stores.without_password("redis://:sesame@host/0") == "redis://@host/0"


async def test_a_master_says_whether_redis_answers(redis_server: RedisServer, tmp_path: Path) -> None:
    settings = load_settings({"crawl_store": redis_server.address(), "data_dir": tmp_path})
    async with AsyncExitStack() as closing:
        context = await make_control_context(settings, closing, NoMeasurements())
        assert isinstance(context.crawl_store, RedisCrawlStore)
        address = redis_server.address()
        assert await crawl_store_state(context) == StoreState(address, "connected")
        redis_server.kill()
        assert await crawl_store_state(context) == StoreState(address, "away")
        redis_server.start()
        assert await crawl_store_state(context) == StoreState(address, "connected")
