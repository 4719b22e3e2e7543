"""A server that dies, is locked, full, too forgetful or not there."""

import asyncio
import logging

import pytest

from crawlmesh.adapters.redis.crawl_store import RedisCrawlStore
from crawlmesh.errors import SettingError, StoreError, StoreFullError, StoreUnavailableError
from crawlmesh.testing.builders import (
    all_fetched,
    crawl,
    fetched,
    lease_request,
    new_links,
    retry,
    settlement,
)
from crawlmesh.testing.invariants import assert_crawl_invariants
from crawlmesh.testing.servers.redis import RedisServer
from crawlmesh.testing.servers.redis_programs import require_redis


async def test_nothing_that_was_settled_is_lost_when_the_server_is_killed(redis_server: RedisServer) -> None:
    store = await RedisCrawlStore.open(redis_server.address())
    await store.create_crawl(crawl())
    await store.add(new_links(30))
    batch = (await store.lease(lease_request(batch_links=10))).batches[0]
    first, second, *others = batch.links
    outcomes = [retry(second, 60.0), *map(fetched, others)]
    assert await store.settle(
        [settlement(batch, *outcomes, discovered=new_links(40), unfinished=(first.id,))]
    )
    before = await store.progress("crawl"), await store.records("crawl")
    redis_server.kill()
    with pytest.raises(StoreUnavailableError, match="does not answer"):
        await store.progress("crawl")
    redis_server.start()
    assert (await store.progress("crawl"), await store.records("crawl")) == before
    await assert_crawl_invariants(store, "crawl", added=40)
    assert await store.settle([all_fetched(batch)]) == [True]
    assert await store.add(new_links(40)) == 0
    await store.aclose()


async def test_calls_under_way_when_the_server_is_killed_fail_and_can_be_made_again(
    redis_server: RedisServer,
) -> None:
    store = await RedisCrawlStore.open(redis_server.address())
    await store.create_crawl(crawl())
    redis_server.freeze()
    calls = [asyncio.create_task(store.add(new_links(5, f"h{number}.example"))) for number in range(4)]
    await asyncio.wait(calls, timeout=0.1)
    redis_server.kill()
    answers = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(answer, StoreUnavailableError) for answer in answers)
    redis_server.start()
    for number in range(4):
        await store.add(new_links(5, f"h{number}.example"))
    await assert_crawl_invariants(store, "crawl", added=20)
    await store.aclose()


async def test_a_server_that_is_not_there_is_named() -> None:
    with pytest.raises(StoreUnavailableError, match=r"127\.0\.0\.1:1/0"):
        await RedisCrawlStore.open("redis://127.0.0.1:1/0")


async def test_a_wrong_password_names_the_setting_and_is_not_shown() -> None:
    with RedisServer(require_redis(), durable=False, settings={"requirepass": "sesame"}) as server:
        for address in (f"redis://:barley@127.0.0.1:{server.port}/0", f"redis://127.0.0.1:{server.port}/0"):
            with pytest.raises(SettingError, match="crawl_store") as caught:
                await RedisCrawlStore.open(address)
            assert "barley" not in str(caught.value)
        store = await RedisCrawlStore.open(server.address())
        assert await store.crawls() == []
        await store.aclose()


async def test_a_server_that_throws_keys_away_is_refused() -> None:
    settings = {"maxmemory": "100mb", "maxmemory-policy": "allkeys-lru"}
    with (
        RedisServer(require_redis(), durable=False, settings=settings) as server,
        pytest.raises(StoreError, match="noeviction"),
    ):
        await RedisCrawlStore.open(server.address())


async def test_a_full_server_takes_no_part_of_a_call(redis_address: str, redis_server: RedisServer) -> None:
    store = await RedisCrawlStore.open(redis_server.address())
    await store.create_crawl(crawl())
    await store.add(new_links(5))
    before = await store.progress("crawl")
    redis_server.command("CONFIG", "SET", "maxmemory", "1")
    with pytest.raises(StoreFullError, match="maxmemory"):
        await store.add(new_links(50))
    assert await store.progress("crawl") == before
    redis_server.command("CONFIG", "SET", "maxmemory", "0")
    assert await store.add(new_links(50)) == 45
    await store.aclose()


async def test_a_server_without_files_is_warned_of(
    redis_address: str, redis_server: RedisServer, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        store = await RedisCrawlStore.open(redis_address)
    assert ["appendonly yes" in warning for warning in store.warnings] == [True]
    assert "keeps nothing on disk" in caplog.text
    await store.aclose()
    durable = await RedisCrawlStore.open(redis_server.address())
    assert durable.warnings == ()
    await durable.aclose()


async def test_a_read_only_server_is_away(redis_server: RedisServer) -> None:
    store = await RedisCrawlStore.open(redis_server.address())
    redis_server.command("REPLICAOF", "127.0.0.1", "1")
    with pytest.raises(StoreUnavailableError):
        await store.create_crawl(crawl())
    redis_server.command("REPLICAOF", "NO", "ONE")
    assert await store.create_crawl(crawl())
    await store.aclose()


async def test_scripts_that_the_server_forgot_are_sent_again(redis_server: RedisServer) -> None:
    store = await RedisCrawlStore.open(redis_server.address())
    await store.create_crawl(crawl())
    redis_server.command("SCRIPT", "FLUSH")
    assert await store.add(new_links(3)) == 3
    await store.aclose()


async def test_the_unix_socket_works(redis_server: RedisServer) -> None:
    store = await RedisCrawlStore.open(redis_server.socket_address())
    assert await store.create_crawl(crawl())
    await store.aclose()
