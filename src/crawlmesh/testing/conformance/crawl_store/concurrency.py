"""Calls that come at the same time."""

import asyncio

from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import all_fetched, crawl, new_link, new_links
from crawlmesh.testing.conformance.crawl_store.case import (
    CrawlStoreCase,
    lease_batches,
    lease_one,
    set_host,
    urls_of,
)
from crawlmesh.testing.invariants import assert_crawl_invariants


class Concurrency(CrawlStoreCase):
    """Several callers in one event loop."""

    async def test_the_same_links_from_many_callers(self, store: CrawlStore) -> None:
        """Each is new to exactly one of them."""
        added = await asyncio.gather(*(store.add(new_links(50)) for _ in range(8)))
        assert sum(added) == 50
        await assert_crawl_invariants(store, "crawl", added=50)

    async def test_many_callers_lease(self, store: CrawlStore) -> None:
        """No link goes to two of them, no host has two leases."""
        for number in range(10):
            await store.add(new_links(5, f"h{number}.example"))
        grants = await asyncio.gather(*(lease_batches(store, max_batches=2) for _ in range(8)))
        batches = [batch for grant in grants for batch in grant]
        urls = urls_of(*batches)
        assert len(set(urls)) == len(urls) == 50
        assert len({batch.host.host for batch in batches}) == len(batches) == 10
        assert len({batch.fence for batch in batches}) == 10

    async def test_many_callers_lease_a_shared_host(self, store: CrawlStore) -> None:
        """Together they get its slots, not more."""
        await store.add(new_links(60))
        await set_host(store, await lease_one(store), exclusive=False, slots=6)
        grants = await asyncio.gather(*(lease_batches(store, batch_links=4) for _ in range(8)))
        assert sum(batch.slots for grant in grants for batch in grant) == 6

    async def test_many_callers_lease_within_a_budget(self, store: CrawlStore) -> None:
        """Together they stay inside it."""
        await store.update_crawl(crawl(max_pages=13))
        for number in range(10):
            await store.add(new_links(5, f"h{number}.example"))
        grants = await asyncio.gather(*(lease_batches(store, max_links=4) for _ in range(8)))
        assert sum(len(batch.links) for grant in grants for batch in grant) == 13

    async def test_one_settlement_from_many_callers(self, store: CrawlStore) -> None:
        """Exactly one is taken."""
        await store.add(new_links(5))
        settled = all_fetched(await lease_one(store), discovered=[new_link("https://b.example/")])
        answers = await asyncio.gather(*(store.settle([settled]) for _ in range(8)))
        assert sorted(answer for (answer,) in answers) == [False] * 7 + [True]
        progress = await store.progress("crawl")
        assert (progress.done, progress.pages, progress.added) == (5, 5, 6)

    async def test_settlement_and_expiry_at_once(self, store: CrawlStore) -> None:
        """One of them ends the lease."""
        for number in range(10):
            await store.add(new_links(2, f"h{number}.example"))
        batches = await lease_batches(store)
        calls = [store.settle([all_fetched(batch)]) for batch in batches]
        *answers, expired = await asyncio.gather(*calls, store.expire(everything=True))
        taken = sum(answer == [True] for answer in answers)
        assert isinstance(expired, int)
        assert taken + expired == 10
        assert (await store.progress("crawl")).done == taken * 2
        await assert_crawl_invariants(store, "crawl", added=20)

    async def test_workers_side_by_side(self, store: CrawlStore) -> None:
        """Every page is fetched once, whoever does it and whatever they discover together."""
        await store.add(new_links(5))

        async def work() -> None:
            while not (await store.progress("crawl")).finished:
                batches = await lease_batches(store, max_links=10, batch_links=3)
                found = [
                    new_link(f"https://h{number % 7}.example/{number}")
                    for batch in batches
                    for link in batch.links
                    for number in range(link.id, link.id * 2)
                    if number < 150
                ]
                assert all(await store.settle([all_fetched(batch, discovered=found) for batch in batches]))
                await asyncio.sleep(0)

        await asyncio.gather(*(work() for _ in range(5)))
        progress = await store.progress("crawl")
        assert progress.pages == progress.done == progress.added == progress.records > 100
        await assert_crawl_invariants(store, "crawl")
