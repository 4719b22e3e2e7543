"""Expiry and renewal: a lease of a node that is gone comes to an end."""

from crawlmesh.model.lease import Renewal
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import all_fetched, crawl, new_link, new_links, retry, settlement
from crawlmesh.testing.conformance.crawl_store.case import (
    CrawlStoreCase,
    lease_batches,
    lease_nothing,
    lease_one,
    settle_one,
)
from crawlmesh.testing.manual_clock import ManualClock


class Expiry(CrawlStoreCase):
    """`expire`."""

    async def test_only_leases_that_ran_out_expire(self, store: CrawlStore, clock: ManualClock) -> None:
        """The others stay with their holders."""
        await store.add(new_links(2, "a.example"))
        short = await lease_one(store, duration=10.0)
        await store.add(new_links(3, "b.example"))
        long = await lease_one(store, duration=100.0)
        assert await store.expire() == 0
        clock.advance(9.0)
        assert await store.expire() == 0
        clock.advance(2.0)
        assert await store.expire() == 1
        assert await store.expire() == 0
        progress = await store.progress("crawl")
        assert (progress.pending, progress.leased) == (2, 3)
        assert await store.settle([all_fetched(short), all_fetched(long)]) == [False, True]

    async def test_everything_expires(self, store: CrawlStore) -> None:
        """When the caller knows that no holder lives."""
        await store.add(new_links(2, "a.example") + new_links(2, "b.example"))
        batches = await lease_batches(store)
        assert await store.expire(everything=True) == 2
        assert await store.expire(everything=True) == 0
        assert (await store.progress("crawl")).pending == 4
        assert await store.settle([all_fetched(batch) for batch in batches]) == [False, False]

    async def test_leases_of_a_dead_node_expire(self, store: CrawlStore, clock: ManualClock) -> None:
        """And those that ran out, whose holder they may be; no others."""
        await store.add([new_link(f"https://h{number}.example/") for number in range(4)])
        late = await lease_one(store, node_id="late", duration=10.0, max_links=1)
        gone = await lease_batches(store, node_id="gone", duration=100.0, max_links=2)
        alive = await lease_one(store, node_id="alive", duration=100.0, max_links=1)
        assert await store.expire(node_id="unknown") == 0
        clock.advance(20.0)
        assert await store.expire(node_id="gone") == 3
        assert await store.expire(node_id="gone") == 0
        assert (await store.progress("crawl")).leased == 1
        settlements = [all_fetched(batch) for batch in (late, *gone, alive)]
        assert await store.settle(settlements) == [False, False, False, True]

    async def test_the_host_of_a_dead_node_rests(self, store: CrawlStore, clock: ManualClock) -> None:
        """For its delay, as after any expiry."""
        await store.update_crawl(crawl(default_delay=5.0))
        await store.add(new_links(2))
        await lease_one(store, node_id="gone")
        assert await store.expire(node_id="gone") == 1
        await lease_nothing(store)
        clock.advance(5.5)
        assert [link.attempt for link in (await lease_one(store)).links] == [1, 1]

    async def test_an_expired_attempt_does_not_count(self, store: CrawlStore) -> None:
        """The links come again as they were, and no counter moved."""
        await store.add(new_links(2))
        batch = await lease_one(store)
        await settle_one(store, settlement(batch, retry(batch.links[0])))
        before = await store.progress("crawl")
        batch = await lease_one(store)
        await store.expire(everything=True)
        assert await store.progress("crawl") == before
        again = await lease_one(store)
        assert again.links == batch.links
        assert [link.attempt for link in again.links] == [2, 1]

    async def test_the_host_of_an_expired_lease_rests(self, store: CrawlStore, clock: ManualClock) -> None:
        """For its delay, from the expiry on: its holder may just have sent a request."""
        await store.update_crawl(crawl(default_delay=5.0))
        await store.add(new_links(2))
        await lease_one(store, duration=10.0)
        clock.advance(20.0)
        assert await store.expire() == 1
        clock.advance(4.0)
        await lease_nothing(store)
        clock.advance(2.0)
        await lease_one(store)

    async def test_expire_without_leases(self, store: CrawlStore) -> None:
        """Nothing ends."""
        assert await store.expire() == 0
        assert await store.expire(everything=True) == 0

    async def test_a_lease_lives_until_it_is_expired(self, store: CrawlStore, clock: ManualClock) -> None:
        """Nobody else can have its links before, so work that comes late is not lost."""
        await store.add(new_links(2))
        batch = await lease_one(store, duration=10.0)
        clock.advance(20.0)
        await lease_nothing(store)
        await settle_one(store, all_fetched(batch))
        assert await store.expire() == 0
        assert (await store.progress("crawl")).done == 2


class Renewing(CrawlStoreCase):
    """`renew`."""

    async def test_a_renewed_lease_lives_on(self, store: CrawlStore, clock: ManualClock) -> None:
        """For the new duration, from the renewal on."""
        await store.add(new_links(2))
        batch = await lease_one(store, duration=10.0)
        for _ in range(3):
            clock.advance(8.0)
            assert await store.renew([Renewal(batch.fence, 10.0)]) == [True]
            assert await store.expire() == 0
        clock.advance(11.0)
        assert await store.expire() == 1

    async def test_each_renewal_stands_alone(self, store: CrawlStore, clock: ManualClock) -> None:
        """One bool each, in their order."""
        await store.add(new_links(1, "a.example") + new_links(1, "b.example"))
        first, second = await lease_batches(store, duration=10.0)
        await settle_one(store, all_fetched(first))
        assert await store.renew([Renewal(first.fence, 50.0), Renewal(second.fence, 50.0)]) == [False, True]
        clock.advance(20.0)
        assert await store.expire() == 0
        await settle_one(store, all_fetched(second))

    async def test_a_renewal_changes_no_counter(self, store: CrawlStore) -> None:
        """The links stay leased."""
        await store.add(new_links(2))
        batch = await lease_one(store)
        before = await store.progress("crawl")
        await store.renew([Renewal(batch.fence, 10.0)])
        assert await store.progress("crawl") == before
