"""Limits that users lay down for hosts: blocks, slots and delays."""

import pytest

from crawlmesh.model.host import HostLimits, HostReport, HostState
from crawlmesh.model.lease import Renewal
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import (
    all_fetched,
    crawl,
    fetched,
    lease_request,
    new_link,
    new_links,
    retry,
    settlement,
)
from crawlmesh.testing.conformance.crawl_store.case import (
    CrawlStoreCase,
    hosts_of,
    lease_batches,
    lease_nothing,
    lease_one,
    lease_while_granted,
    set_host,
    settle_one,
)
from crawlmesh.testing.manual_clock import ManualClock

HOST = "a.example"
BLOCKED = HostLimits(blocked=True)


class BlockedHosts(CrawlStoreCase):
    """`HostLimits.blocked`."""

    async def test_a_blocked_host_grants_nothing(self, store: CrawlStore) -> None:
        """Its links wait, and time alone brings none."""
        await store.add(new_links(3))
        await store.limit_host(HOST, BLOCKED)
        grant = await store.lease(lease_request())
        assert (grant.batches, grant.retry_in) == ((), None)
        progress = await store.progress("crawl")
        assert (progress.pending, progress.leased) == (3, 0)

    async def test_other_hosts_go_on(self, store: CrawlStore) -> None:
        """Only the blocked one is left out."""
        await store.add(new_links(2) + new_links(2, "b.example") + new_links(2, "c.example"))
        await store.limit_host("b.example", BLOCKED)
        assert sorted(hosts_of(await lease_batches(store))) == ["a.example", "c.example"]

    async def test_an_unblocked_host_goes_on_at_once(self, store: CrawlStore) -> None:
        """With all of its links, those added meanwhile too."""
        await store.limit_host(HOST, BLOCKED)
        await store.add(new_links(2))
        await lease_nothing(store)
        await store.add(new_links(5))
        await store.limit_host(HOST, HostLimits())
        batch = await lease_one(store)
        assert len(batch.links) == 5
        assert batch.limits == HostLimits()

    async def test_what_is_leased_may_be_settled(self, store: CrawlStore) -> None:
        """And what comes back waits."""
        await store.add(new_links(3))
        batch = await lease_one(store)
        await store.limit_host(HOST, BLOCKED)
        found = [new_link("https://a.example/new"), new_link("https://b.example/")]
        await settle_one(store, settlement(batch, fetched(batch.links[0]), discovered=found))
        assert hosts_of(await lease_batches(store)) == ["b.example"]
        progress = await store.progress("crawl")
        assert (progress.done, progress.pending, progress.leased) == (1, 3, 1)

    async def test_it_stays_blocked_when_its_leases_run_out(
        self, store: CrawlStore, clock: ManualClock
    ) -> None:
        """Neither a renewal nor an expiry opens it."""
        await store.add(new_links(3))
        batch = await lease_one(store)
        await store.limit_host(HOST, BLOCKED)
        report = HostReport(state=HostState(HOST, slots=6, exclusive=False))
        assert await store.renew([Renewal(batch.fence, 60.0, report)]) == [True]
        await lease_nothing(store)
        clock.advance(61.0)
        assert await store.expire() == 1
        await lease_nothing(store)

    async def test_a_retry_on_a_blocked_host_waits(self, store: CrawlStore, clock: ManualClock) -> None:
        """Also when its moment has come; nobody is told to come back for it."""
        await store.add(new_links(1))
        batch = await lease_one(store)
        await settle_one(store, settlement(batch, retry(batch.links[0], 5.0)))
        await store.limit_host(HOST, BLOCKED)
        clock.advance(6.0)
        grant = await store.lease(lease_request())
        assert (grant.batches, grant.retry_in) == ((), None)
        await store.limit_host(HOST, HostLimits())
        assert (await lease_one(store)).links[0].attempt == 2

    async def test_a_block_holds_for_all_crawls(self, store: CrawlStore) -> None:
        """Those that are made later, too."""
        await store.limit_host(HOST, BLOCKED)
        await store.create_crawl(crawl("later"))
        await store.add(new_links(2) + new_links(2, crawl_id="later"))
        await lease_nothing(store, "crawl", "later")


class LimitedSlots(CrawlStoreCase):
    """`HostLimits.slots`."""

    async def test_fewer_slots_hold_over_leases_and_nodes(self, store: CrawlStore) -> None:
        """Together they never have more than the limit."""
        await store.add(new_links(40))
        await set_host(store, await lease_one(store), exclusive=False, slots=8)
        await store.limit_host(HOST, HostLimits(slots=3))
        batches = await lease_while_granted(store, "node-1", "node-2")
        assert sum(batch.slots for batch in batches) == 3
        assert len(batches) > 1

    async def test_more_slots_than_its_own(self, store: CrawlStore) -> None:
        """A user may know that the host bears more."""
        await store.add(new_links(40))
        await set_host(store, await lease_one(store), exclusive=False, slots=2)
        await store.limit_host(HOST, HostLimits(slots=7))
        batches = await lease_while_granted(store, "node-1", "node-2", "node-3")
        assert sum(batch.slots for batch in batches) == 7

    async def test_an_exclusive_host_gives_the_slots_of_the_limit(self, store: CrawlStore) -> None:
        """Under one lease."""
        await store.add(new_links(9))
        await store.limit_host(HOST, HostLimits(slots=1))
        batch = await lease_one(store, batch_links=2)
        assert (batch.slots, batch.host.slots, batch.host.exclusive) == (1, 4, True)
        await lease_nothing(store, node_id="another")

    async def test_leases_that_are_out_keep_theirs(self, store: CrawlStore) -> None:
        """No more are granted until enough came back."""
        await store.add(new_links(40))
        await set_host(store, await lease_one(store), exclusive=False, slots=4)
        first, *others = await lease_while_granted(store)
        await store.limit_host(HOST, HostLimits(slots=2))
        await lease_nothing(store)
        await settle_one(store, all_fetched(first))
        await lease_nothing(store)
        assert all(await store.settle([all_fetched(batch) for batch in others]))
        assert sum(batch.slots for batch in await lease_while_granted(store)) == 2

    async def test_without_the_limit_its_own_slots_hold_again(self, store: CrawlStore) -> None:
        """From the next lease on."""
        await store.add(new_links(40))
        await set_host(store, await lease_one(store), exclusive=False, slots=4)
        await store.limit_host(HOST, HostLimits(slots=1))
        batches = await lease_while_granted(store)
        await store.limit_host(HOST, HostLimits())
        batches += await lease_while_granted(store)
        assert [sum(batch.slots for batch in batches), batches[0].slots] == [4, 1]


class LimitedDelay(CrawlStoreCase):
    """`HostLimits.delay`."""

    async def test_a_delay_makes_a_host_exclusive(self, store: CrawlStore, clock: ManualClock) -> None:
        """One lease at a time, and a rest behind each."""
        await store.add(new_links(40))
        await set_host(store, await lease_one(store), exclusive=False, slots=4)
        await store.limit_host(HOST, HostLimits(delay=3.0))
        batch = await lease_one(store, batch_links=2)
        await lease_nothing(store, node_id="another")
        await settle_one(store, all_fetched(batch))
        grant = await store.lease(lease_request())
        assert grant.batches == ()
        assert grant.retry_in == pytest.approx(3.0)
        clock.advance(3.5)
        await lease_one(store)

    async def test_shared_leases_end_before_the_delay_begins(self, store: CrawlStore) -> None:
        """Two of them could not keep it together."""
        await store.add(new_links(40))
        await set_host(store, await lease_one(store), exclusive=False, slots=4)
        first, *others = await lease_while_granted(store)
        assert others
        await store.limit_host(HOST, HostLimits(delay=3.0))
        await settle_one(store, all_fetched(first, report=HostReport(rest=0.0)))
        await lease_nothing(store)

    async def test_a_batch_fits_into_half_of_its_lease_under_the_limit(self, store: CrawlStore) -> None:
        """As with a delay of the host's own."""
        await store.add(new_links(40))
        await store.limit_host(HOST, HostLimits(delay=2.0))
        assert len((await lease_one(store, duration=60.0)).links) == 15

    @pytest.mark.parametrize(("own", "laid_down", "expected"), [(2.0, 8.0, 8.0), (8.0, 2.0, 8.0)])
    async def test_the_longer_delay_holds(
        self, store: CrawlStore, clock: ManualClock, own: float, laid_down: float, expected: float
    ) -> None:
        """A limit only slows down."""
        await store.update_crawl(crawl(default_delay=own))
        await store.add(new_links(3))
        await store.limit_host(HOST, HostLimits(delay=laid_down))
        await settle_one(store, all_fetched(await lease_one(store, batch_links=1)))
        clock.advance(expected - 0.5)
        await lease_nothing(store)
        clock.advance(1.0)
        await lease_one(store)

    async def test_a_reported_rest_holds_as_it_is(self, store: CrawlStore, clock: ManualClock) -> None:
        """Whoever sent the last request kept to the limit, and knows what is left of it."""
        await store.add(new_links(3))
        await store.limit_host(HOST, HostLimits(delay=8.0))
        batch = await lease_one(store, batch_links=1)
        await settle_one(store, all_fetched(batch, report=HostReport(rest=2.0)))
        clock.advance(1.5)
        await lease_nothing(store)
        clock.advance(1.0)
        await lease_one(store)

    async def test_an_expired_lease_rests_for_the_limit(self, store: CrawlStore, clock: ManualClock) -> None:
        """Nobody knows when its last request went out."""
        await store.add(new_links(3))
        await store.limit_host(HOST, HostLimits(delay=8.0))
        await lease_one(store)
        assert await store.expire(everything=True) == 1
        clock.advance(7.5)
        await lease_nothing(store)
        clock.advance(1.0)
        await lease_one(store)

    async def test_it_holds_for_all_crawls(self, store: CrawlStore, clock: ManualClock) -> None:
        """One crawl waits for the rest that another one caused."""
        await store.create_crawl(crawl("other"))
        await store.add(new_links(2) + new_links(2, crawl_id="other"))
        await store.limit_host(HOST, HostLimits(delay=8.0))
        batch = await lease_one(store, "crawl")
        await lease_nothing(store, "other")
        await settle_one(store, all_fetched(batch))
        await lease_nothing(store, "other")
        clock.advance(8.5)
        await lease_one(store, "other")
