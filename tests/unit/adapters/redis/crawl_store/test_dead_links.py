"""Dead links as a process of an earlier version left them: in a list, in the order of their death."""

from crawlmesh.adapters.redis.crawl_store import RedisCrawlStore
from crawlmesh.testing.builders import crawl, dead, fingerprint, lease_request, new_links, settlement
from crawlmesh.testing.servers.redis import RedisServer


async def test_dead_links_in_a_list_are_found_and_tried_again(redis_server: RedisServer) -> None:
    store = await RedisCrawlStore.open(redis_server.address())
    await store.create_crawl(crawl())
    await store.add(new_links(6))
    (batch,) = (await store.lease(lease_request())).batches
    await store.settle([settlement(batch, *(dead(link) for link in batch.links))])
    urls = [link.url for link in batch.links]
    await _put_into_a_list(store)
    assert [link.url for link in await store.dead_links("crawl", limit=4)] == urls[:4]
    await _put_into_a_list(store)
    assert await store.retry_dead("crawl", fingerprints=[fingerprint(urls[2])]) == 1
    assert [link.url for link in await store.dead_links("crawl")] == [*urls[:2], *urls[3:]]
    await _put_into_a_list(store)
    assert await store.retry_dead("crawl") == 5
    assert await store.dead_links("crawl") == []
    await store.aclose()


async def test_a_link_that_is_dead_no_more_is_not_told_though_it_is_still_noted(
    redis_server: RedisServer,
) -> None:
    """A process of an earlier version tries links again without knowing where others note them."""
    store = await RedisCrawlStore.open(redis_server.address())
    await store.create_crawl(crawl())
    await store.add(new_links(3))
    (batch,) = (await store.lease(lease_request())).batches
    await store.settle([settlement(batch, *(dead(link) for link in batch.links))])
    noted = await _noted(store)
    assert await store.retry_dead("crawl") == 3
    await store._server.command(0, "ZADD", "y:1", *(part for code in noted for part in (code % 2**44, code)))
    assert await store.dead_links("crawl") == []
    assert await store.retry_dead("crawl") == 0
    assert (await store.progress("crawl")).pending == 3
    await store.aclose()


async def _noted(store: RedisCrawlStore) -> list[int]:
    return [int(code) for code in await store._server.command(0, "ZRANGE", "y:1", 0, -1)]


async def _put_into_a_list(store: RedisCrawlStore) -> None:
    noted = await _noted(store)
    await store._server.command(0, "UNLINK", "y:1")
    await store._server.command(0, "RPUSH", "x:1", *reversed(noted))
