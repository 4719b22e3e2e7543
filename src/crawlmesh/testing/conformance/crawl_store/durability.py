"""Durability: what a store still knows when it is opened again. Needs the flag `durable`."""

from pathlib import Path

import pytest

from crawlmesh.model.host import HostReport, HostState, RobotsFile
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import (
    all_fetched,
    crawl,
    dead,
    fetched,
    lease_request,
    new_link,
    new_links,
    retry,
    settlement,
    skipped_link,
)
from crawlmesh.testing.conformance.crawl_store.case import (
    CrawlStoreCase,
    lease_nothing,
    lease_one,
    settle_one,
    snapshot,
    urls_of,
)
from crawlmesh.testing.invariants import assert_crawl_invariants
from crawlmesh.testing.manual_clock import ManualClock

URLS = [link.url for link in new_links(4)] + ["https://skipped.example/", "https://unknown.example/"]


class Closing(CrawlStoreCase):
    """`aclose`, for every store."""

    async def test_closing_twice_is_fine(self, store: CrawlStore) -> None:
        """And the fixture closes it a third time."""
        await store.add(new_links(1))
        await store.aclose()
        await store.aclose()


class Durability(CrawlStoreCase):
    """Closing a store and opening it again."""

    @pytest.fixture
    def home(self, tmp_path: Path) -> Path:
        """The folder of the store; skips the test where there is no such thing."""
        if not self.durable:
            pytest.skip("this store keeps nothing when it is closed")
        return tmp_path

    async def _reopen(self, store: CrawlStore, clock: ManualClock, home: Path) -> CrawlStore:
        await store.aclose()
        return await self.open_store(clock, home)

    async def test_everything_is_there_again(self, clock: ManualClock, home: Path) -> None:
        """Crawls, links, counters, records, hosts and ledger."""
        store = await self.open_store(clock, home)
        first = crawl(max_pages=50, max_pages_per_template=9, default_delay=0.5, definition=b'{"a":[1]}')
        await store.create_crawl(first)
        await store.add(new_links(4), [skipped_link("https://skipped.example/")])
        batch = await lease_one(store)
        a, b, c, _ = batch.links
        state = HostState("a.example", robots={"https": RobotsFile(1.0, 200, "x")}, failures=1)
        outcomes = [fetched(a, etag='"1"'), dead(b), retry(c, 60.0)]
        await settle_one(store, settlement(batch, *outcomes, report=HostReport(state=state)))
        before = await snapshot(store, URLS)
        store = await self._reopen(store, clock, home)
        assert await store.crawls() == [first]
        assert await snapshot(store, URLS) == before
        assert await store.add(new_links(4)) == 0
        assert (await lease_one(store)).host == state
        await assert_crawl_invariants(store, "crawl", added=4)
        await store.aclose()

    async def test_leases_fences_and_ids_go_on(self, clock: ManualClock, home: Path) -> None:
        """A holder that lives on can settle; new fences and ids are above all old ones."""
        store = await self.open_store(clock, home)
        await store.create_crawl(crawl())
        await store.add(new_links(2))
        old = await lease_one(store)
        store = await self._reopen(store, clock, home)
        await lease_nothing(store)
        await settle_one(store, all_fetched(old))
        await store.add([new_link("https://a.example/later")])
        new = await lease_one(store)
        assert new.fence > old.fence
        assert new.links[0].id > max(link.id for link in old.links)
        await store.aclose()

    async def test_leases_of_the_dead_can_be_ended(self, clock: ManualClock, home: Path) -> None:
        """A master that starts again and knows of no worker ends them all."""
        store = await self.open_store(clock, home)
        await store.create_crawl(crawl())
        await store.add(new_links(2))
        old = await lease_one(store)
        store = await self._reopen(store, clock, home)
        assert await store.expire(everything=True) == 1
        new = await lease_one(store)
        assert urls_of(new) == urls_of(old)
        assert new.fence > old.fence
        assert await store.settle([all_fetched(old), all_fetched(new)]) == [False, True]
        await store.aclose()

    async def test_fences_grow_though_no_lease_is_left(self, clock: ManualClock, home: Path) -> None:
        """Also when the crawl that they were for is gone."""
        store = await self.open_store(clock, home)
        fences: list[int] = []
        for _ in range(3):
            await store.create_crawl(crawl())
            await store.add(new_links(1))
            batch = await lease_one(store)
            await settle_one(store, all_fetched(batch))
            await store.delete_crawl("crawl")
            fences.append(batch.fence)
            store = await self._reopen(store, clock, home)
        assert fences == sorted(set(fences))
        await store.aclose()

    async def test_rests_and_retries_go_on(self, clock: ManualClock, home: Path) -> None:
        """A restart is no reason to be impolite."""
        store = await self.open_store(clock, home)
        await store.create_crawl(crawl())
        await store.add(new_links(1, "a.example") + new_links(1, "b.example"))
        for batch in (await store.lease(lease_request())).batches:
            waits = batch.host.host == "b.example"
            outcome = retry(batch.links[0], 60.0 if waits else 0.0)
            report = HostReport(rest=0.0 if waits else 30.0)
            await settle_one(store, settlement(batch, outcome, report=report))
        store = await self._reopen(store, clock, home)
        clock.advance(29.0)
        await lease_nothing(store)
        clock.advance(2.0)
        assert urls_of(await lease_one(store)) == ["https://a.example/0"]
        clock.advance(30.0)
        assert urls_of(await lease_one(store)) == ["https://b.example/0"]
        await store.aclose()

    async def test_the_budget_goes_on(self, clock: ManualClock, home: Path) -> None:
        """Pages and links that are out count as before."""
        store = await self.open_store(clock, home)
        await store.create_crawl(crawl(max_pages=3, max_pages_per_template=4))
        await store.add(new_links(4, template=5))
        await settle_one(store, all_fetched(await lease_one(store, batch_links=2)))
        await lease_one(store)
        store = await self._reopen(store, clock, home)
        await lease_nothing(store)
        assert await store.add([new_link("https://a.example/5", template=5)]) == 0
        await store.aclose()
