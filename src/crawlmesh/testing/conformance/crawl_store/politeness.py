"""Politeness: one host, its slots, its delay and its rests, over all crawls and nodes."""

import pytest

from crawlmesh.model.host import HostReport, HostState, RobotsFile
from crawlmesh.model.lease import HostBatch, Renewal
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import all_fetched, crawl, new_link, new_links, retry, settlement
from crawlmesh.testing.conformance.crawl_store.case import (
    CrawlStoreCase,
    lease_batches,
    lease_nothing,
    lease_one,
    set_host,
    settle_one,
    urls_of,
)
from crawlmesh.testing.manual_clock import ManualClock


class FirstMetHosts(CrawlStoreCase):
    """A host that nobody met before."""

    async def test_it_takes_the_defaults_of_its_crawl(self, store: CrawlStore) -> None:
        """It is exclusive, and does not rest at first."""
        await store.create_crawl(crawl("slow", default_delay=3.0, default_slots=2))
        await store.add([new_link("https://a.example/", "slow")])
        batch = await lease_one(store, "slow")
        assert batch.host == HostState("a.example", delay=3.0, slots=2, exclusive=True)
        assert batch.slots == 2

    async def test_the_first_crawl_counts(self, store: CrawlStore) -> None:
        """Another crawl finds the host as it is."""
        await store.create_crawl(crawl("slow", default_delay=3.0, default_slots=2))
        await store.add([new_link("https://a.example/")])
        await store.add([new_link("https://a.example/", "slow")])
        assert (await lease_one(store, "slow")).host.delay == 0.0

    async def test_a_discovered_host_takes_the_defaults_too(self, store: CrawlStore) -> None:
        """Those of the crawl that discovered it."""
        await store.create_crawl(crawl("slow", default_delay=3.0, default_slots=2))
        await store.add([new_link("https://a.example/", "slow")])
        found = [new_link("https://b.example/", "slow")]
        await settle_one(store, all_fetched(await lease_one(store, "slow"), discovered=found))
        assert (await lease_one(store, "slow")).host == HostState("b.example", delay=3.0, slots=2)

    async def test_the_host_is_the_whole_authority(self, store: CrawlStore) -> None:
        """Two ports are two hosts."""
        await store.add([new_link("https://a.example/"), new_link("https://a.example:8443/")])
        assert len(await lease_batches(store)) == 2


class HostSlots(CrawlStoreCase):
    """Exclusive hosts and shared ones."""

    async def test_an_exclusive_host_has_one_lease_with_all_slots(self, store: CrawlStore) -> None:
        """`batch_slots` does not count, and no crawl gets beside it."""
        await store.create_crawl(crawl("other"))
        await store.add(new_links(9) + new_links(9, crawl_id="other"))
        batch = await lease_one(store, "crawl", batch_links=2, batch_slots=1)
        assert batch.slots == 4
        await lease_nothing(store, "crawl", "other", node_id="another node")
        await settle_one(store, all_fetched(batch))
        assert len(await lease_batches(store, "other", batch_links=2)) == 1

    async def test_a_shared_host_never_gives_more_than_its_slots(self, store: CrawlStore) -> None:
        """Lease after lease, until all of them are out."""
        await store.add(new_links(40))
        await set_host(store, await lease_one(store), exclusive=False, slots=5)
        slots = [batch.slots for batch in await self._lease_all(store)]
        assert sum(slots) == 5
        assert all(1 <= number <= 2 for number in slots)
        await lease_nothing(store)

    async def test_a_settled_lease_gives_its_slots_back(self, store: CrawlStore) -> None:
        """And only those."""
        await store.add(new_links(40))
        await set_host(store, await lease_one(store), exclusive=False, slots=4)
        first, *others = await self._lease_all(store)
        await settle_one(store, all_fetched(first))
        again = await self._lease_all(store)
        assert sum(batch.slots for batch in others + again) == 4

    async def test_leases_of_a_shared_host_have_different_links(self, store: CrawlStore) -> None:
        """And different fences."""
        await store.add(new_links(40))
        await set_host(store, await lease_one(store), exclusive=False, slots=4)
        batches = await self._lease_all(store)
        urls = urls_of(*batches)
        assert len(set(urls)) == len(urls)
        assert len({batch.fence for batch in batches}) == len(batches) > 1

    async def test_a_host_that_turns_exclusive_waits_for_all_its_leases(self, store: CrawlStore) -> None:
        """Then it has one lease."""
        await store.add(new_links(40))
        await set_host(store, await lease_one(store), exclusive=False, slots=4)
        first, *others = await self._lease_all(store)
        await set_host(store, first, exclusive=True)
        await lease_nothing(store)
        for batch in others:
            await settle_one(store, all_fetched(batch))
        await lease_one(store, batch_links=2)
        await lease_nothing(store)

    async def test_a_host_with_fewer_slots_waits_until_they_are_free(self, store: CrawlStore) -> None:
        """Leases that are out keep theirs."""
        await store.add(new_links(40))
        await set_host(store, await lease_one(store), exclusive=False, slots=4)
        first, *others = await self._lease_all(store)
        await set_host(store, first, exclusive=False, slots=1)
        await lease_nothing(store)
        assert all(await store.settle([all_fetched(batch) for batch in others]))
        assert (await lease_one(store, batch_links=2)).slots == 1
        await lease_nothing(store)

    async def test_a_renewal_opens_a_host(self, store: CrawlStore) -> None:
        """Its state counts at once, while the lease keeps the slots that it has."""
        await store.add(new_links(40))
        batch = await lease_one(store, batch_links=4)
        report = HostReport(state=HostState("a.example", slots=6, exclusive=False))
        assert await store.renew([Renewal(batch.fence, 60.0, report)]) == [True]
        assert sum(other.slots for other in await self._lease_all(store)) == 2

    async def _lease_all(self, store: CrawlStore) -> list[HostBatch]:
        leased: list[HostBatch] = []
        while batches := await lease_batches(store, batch_links=4, batch_slots=2):
            leased += batches
        return leased


class HostRests(CrawlStoreCase):
    """Delays and reported rests."""

    async def test_a_host_rests_for_its_delay(self, store: CrawlStore, clock: ManualClock) -> None:
        """Counted from the settlement."""
        await store.update_crawl(crawl(default_delay=2.0))
        await store.add(new_links(3))
        batch = await lease_one(store, batch_links=1)
        clock.advance(10.0)
        await settle_one(store, all_fetched(batch))
        clock.advance(1.5)
        await lease_nothing(store)
        clock.advance(1.0)
        await lease_one(store)

    async def test_a_host_rests_as_reported(self, store: CrawlStore, clock: ManualClock) -> None:
        """Where that is longer than its delay, as after a Retry-After."""
        await store.update_crawl(crawl(default_delay=2.0))
        await store.add(new_links(3))
        batch = await lease_one(store)
        outcomes = [retry(link) for link in batch.links]
        await settle_one(store, settlement(batch, *outcomes, report=HostReport(rest=120.0)))
        clock.advance(119.0)
        await lease_nothing(store)
        clock.advance(2.0)
        assert len((await lease_one(store)).links) == 3

    async def test_what_is_left_of_the_delay_can_be_reported(
        self, store: CrawlStore, clock: ManualClock
    ) -> None:
        """Whoever sent the last request knows when that was."""
        await store.update_crawl(crawl(default_delay=5.0))
        await store.add(new_links(3))
        batch = await lease_one(store, batch_links=1)
        await settle_one(store, all_fetched(batch, report=HostReport(rest=1.0)))
        clock.advance(0.5)
        await lease_nothing(store)
        clock.advance(1.0)
        await lease_one(store)

    async def test_a_new_delay_counts_at_once(self, store: CrawlStore, clock: ManualClock) -> None:
        """The one that the settlement itself reports."""
        await store.add(new_links(3))
        await set_host(store, await lease_one(store), delay=8.0)
        clock.advance(7.0)
        await lease_nothing(store)
        clock.advance(2.0)
        assert (await lease_one(store)).host.delay == 8.0

    async def test_a_host_without_a_delay_is_ready_at_once(self, store: CrawlStore) -> None:
        """No time has to pass."""
        await store.add(new_links(2))
        await settle_one(store, all_fetched(await lease_one(store, batch_links=1)))
        await lease_one(store)

    async def test_a_rest_holds_for_all_crawls(self, store: CrawlStore, clock: ManualClock) -> None:
        """And for links that are added meanwhile."""
        await store.create_crawl(crawl("other"))
        await store.add(new_links(1))
        await settle_one(store, all_fetched(await lease_one(store), report=HostReport(rest=10.0)))
        await store.add(new_links(2, crawl_id="other"))
        await lease_nothing(store, "crawl", "other")
        clock.advance(10.5)
        await lease_one(store, "other")

    async def test_a_rest_holds_only_for_its_host(self, store: CrawlStore) -> None:
        """Others go on."""
        await store.add(new_links(2, "a.example"))
        batch = await lease_one(store, batch_links=1)
        await store.add(new_links(2, "b.example"))
        await settle_one(store, all_fetched(batch, report=HostReport(rest=10.0)))
        assert (await lease_one(store)).host.host == "b.example"

    async def test_a_later_report_does_not_cut_a_rest_short(
        self, store: CrawlStore, clock: ManualClock
    ) -> None:
        """Another lease of a shared host may not have met the 429."""
        await store.add(new_links(20))
        await set_host(store, await lease_one(store), exclusive=False, slots=4)
        first = (await lease_batches(store, batch_links=2))[0]
        second = (await lease_batches(store, batch_links=2))[0]
        await settle_one(store, all_fetched(first, report=HostReport(rest=60.0)))
        await settle_one(store, all_fetched(second))
        clock.advance(59.0)
        await lease_nothing(store)
        clock.advance(2.0)
        assert await lease_batches(store)

    async def test_a_renewal_brings_a_rest(self, store: CrawlStore, clock: ManualClock) -> None:
        """Nobody else gets the free slots of a shared host until it is over."""
        await store.add(new_links(20))
        await set_host(store, await lease_one(store), exclusive=False, slots=4)
        batch = (await lease_batches(store, max_batches=1, batch_links=2))[0]
        assert await store.renew([Renewal(batch.fence, 600.0, HostReport(rest=30.0))]) == [True]
        clock.advance(29.0)
        await lease_nothing(store)
        clock.advance(2.0)
        assert await lease_batches(store)

    @pytest.mark.parametrize(
        ("delay", "duration", "expected"),
        [(2.0, 60.0, 15), (0.5, 10.0, 10), (25.0, 60.0, 1), (100.0, 60.0, 1)],
    )
    async def test_a_batch_fits_into_half_of_its_lease(
        self, store: CrawlStore, delay: float, duration: float, expected: int
    ) -> None:
        """At one request for each delay; one link may always go out."""
        await store.update_crawl(crawl(default_delay=delay))
        await store.add(new_links(40))
        assert len((await lease_one(store, duration=duration)).links) == expected

    async def test_a_delay_does_not_enlarge_a_batch(self, store: CrawlStore) -> None:
        """`batch_links` still holds."""
        await store.update_crawl(crawl(default_delay=1.0))
        await store.add(new_links(40))
        assert len((await lease_one(store, batch_links=5, duration=600.0)).links) == 5


class HostMemory(CrawlStoreCase):
    """`HostReport.state`."""

    STATE = HostState(
        "a.example",
        delay=0.25,
        slots=3,
        exclusive=False,
        robots={"https": RobotsFile(5.0, 200, "User-agent: *"), "http": RobotsFile(6.0, None, None)},
        pressure=0.75,
        failures=2,
    )

    async def test_a_settled_state_comes_back(self, store: CrawlStore, clock: ManualClock) -> None:
        """With the next lease, whichever crawl it is for, and in the list of hosts."""
        await store.create_crawl(crawl("other"))
        await store.add(new_links(2) + new_links(2, crawl_id="other"))
        batch = await lease_one(store, "crawl", batch_links=1)
        await settle_one(store, all_fetched(batch, report=HostReport(state=self.STATE)))
        assert [host.state for host in await store.hosts("crawl")] == [self.STATE]
        clock.advance(1.0)
        assert (await lease_one(store, "other")).host == self.STATE

    async def test_a_renewed_state_comes_back(self, store: CrawlStore, clock: ManualClock) -> None:
        """Even if the lease is never settled."""
        await store.add(new_links(2))
        batch = await lease_one(store)
        await store.renew([Renewal(batch.fence, 60.0, HostReport(state=self.STATE))])
        assert [host.state for host in await store.hosts("crawl")] == [self.STATE]
        await store.expire(everything=True)
        clock.advance(1.0)
        assert (await lease_one(store)).host == self.STATE

    async def test_no_state_leaves_it_as_it_was(self, store: CrawlStore, clock: ManualClock) -> None:
        """A report without one, or no report."""
        await store.add(new_links(3))
        batch = await lease_one(store, batch_links=1)
        await settle_one(store, all_fetched(batch, report=HostReport(state=self.STATE)))
        clock.advance(1.0)
        batch = await lease_one(store, batch_links=1)
        await store.renew([Renewal(batch.fence, 60.0)])
        await settle_one(store, all_fetched(batch))
        clock.advance(1.0)
        assert (await lease_one(store)).host == self.STATE
