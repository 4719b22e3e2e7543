import asyncio
from collections import Counter

import pytest

from crawlmesh.adapters.postgres.crawl_store import PostgresCrawlStore
from crawlmesh.errors import StoreError
from crawlmesh.model.lease import HostBatch, Settlement
from crawlmesh.testing.builders import all_fetched, crawl, lease_request, new_link, new_links
from crawlmesh.testing.invariants import assert_crawl_invariants
from crawlmesh.testing.servers import PostgresServer

pytestmark = pytest.mark.chaos

PAGES = 400


def discovered_on(batch: HostBatch) -> Settlement:
    """Every page links to the two that follow it, so that 400 pages come from one."""
    numbers = [int(link.url.rpartition("/")[2]) for link in batch.links]
    targets = {target for number in numbers for target in (2 * number + 1, 2 * number + 2) if target < PAGES}
    found = [new_link(f"https://h{target % 7}.example/{target}") for target in sorted(targets)]
    return all_fetched(batch, discovered=found)


class Crawlers:
    """Clients that go on whatever becomes of the server; what they are refused is somebody else's."""

    def __init__(self, stores: list[PostgresCrawlStore]) -> None:
        self.stores = stores
        self.settled: Counter[str] = Counter()
        self.failures = 0
        self.progressed = asyncio.Condition()

    async def run(self) -> None:
        await asyncio.gather(*(self._work(store, number) for number, store in enumerate(self.stores)))

    async def _work(self, store: PostgresCrawlStore, number: int) -> None:
        owed: list[Settlement] = []
        while True:
            try:
                if owed:
                    await store.settle(owed)
                    owed = []
                if (await store.progress("crawl")).finished:
                    return
                request = lease_request(max_links=8, batch_links=2, node_id=f"node-{number}")
                grant = await store.lease(request)
                owed = [discovered_on(batch) for batch in grant.batches]
                if not owed:  # what an answer that was lost granted is nobody's until it is expired
                    await store.expire(node_id=f"node-{number}")
            except StoreError:
                self.failures += 1
            async with self.progressed:
                self.progressed.notify_all()
            await asyncio.sleep(0)

    async def wait_for_pages(self, store: PostgresCrawlStore, pages: int) -> None:
        async with self.progressed:
            while (await store.progress("crawl")).done < pages:
                await self.progressed.wait()


async def test_a_server_that_is_killed_again_and_again_loses_no_page(postgres_server: PostgresServer) -> None:
    stores = [await PostgresCrawlStore.open(postgres_server.dsn()) for _ in range(3)]
    watching = await PostgresCrawlStore.open(postgres_server.dsn())
    await watching.create_crawl(crawl())
    await watching.add([new_link("https://h0.example/0")])
    crawlers = Crawlers(stores)
    running = asyncio.create_task(crawlers.run())
    for pages in (60, 160, 260):
        await crawlers.wait_for_pages(watching, pages)
        await asyncio.to_thread(postgres_server.kill)
        await asyncio.to_thread(postgres_server.start)
    await running
    assert crawlers.failures > 0
    progress = await watching.progress("crawl")
    assert (progress.done, progress.added, progress.records) == (PAGES, PAGES, PAGES)
    assert progress.pages == PAGES
    await assert_crawl_invariants(watching, "crawl", added=PAGES)
    for store in (*stores, watching):
        await store.aclose()


async def test_a_store_works_again_as_soon_as_its_server_does(postgres_server: PostgresServer) -> None:
    store = await PostgresCrawlStore.open(postgres_server.dsn())
    await store.create_crawl(crawl())
    await store.add(new_links(3))
    await asyncio.to_thread(postgres_server.stop)
    with pytest.raises(StoreError, match="does not answer"):
        await store.progress("crawl")
    await asyncio.to_thread(postgres_server.start)
    assert (await store.progress("crawl")).pending == 3
    await store.aclose()
