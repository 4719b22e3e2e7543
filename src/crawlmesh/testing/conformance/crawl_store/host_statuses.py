"""Limits beside what workers report of hosts, and hosts over all crawls."""

from pathlib import Path

import pytest

from crawlmesh.model.host import HostLimits, HostReport, HostState, HostStatus
from crawlmesh.model.lease import HostBatch, Renewal, Settlement
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import (
    all_fetched,
    crawl,
    dead,
    fetched,
    new_link,
    new_links,
    retry,
    settlement,
)
from crawlmesh.testing.conformance.crawl_store.case import (
    CrawlStoreCase,
    lease_nothing,
    lease_one,
    lease_while_granted,
    set_host,
    settle_one,
)
from crawlmesh.testing.manual_clock import ManualClock

HOST = "a.example"
BLOCKED = HostLimits(blocked=True)


class KeptLimits(CrawlStoreCase):
    """Limits beside what workers report."""

    LIMITS = HostLimits(delay=1.5, slots=2)

    async def test_a_batch_carries_them_beside_the_state(self, store: CrawlStore) -> None:
        """The state itself is without them."""
        await store.add(new_links(3))
        await store.limit_host(HOST, self.LIMITS)
        batch = await lease_one(store)
        assert batch.limits == self.LIMITS
        assert batch.host == HostState(HOST)
        assert [host.state for host in await store.hosts("crawl")] == [HostState(HOST)]

    async def test_reports_do_not_overwrite_them(self, store: CrawlStore, clock: ManualClock) -> None:
        """Neither with a renewal nor with a settlement."""
        await store.add(new_links(40))
        await store.limit_host(HOST, self.LIMITS)
        batch = await lease_one(store, batch_links=2)
        state = HostState(HOST, slots=9, exclusive=False)
        assert await store.renew([Renewal(batch.fence, 60.0, HostReport(state=state))]) == [True]
        await lease_nothing(store, node_id="another")
        await settle_one(store, Settlement(batch.fence, (), report=HostReport(state=state)))
        await lease_nothing(store)
        clock.advance(2.0)
        batch = await lease_one(store)
        assert (batch.slots, batch.limits, batch.host) == (2, self.LIMITS, state)
        await lease_nothing(store)

    async def test_they_do_not_leak_into_the_state(self, store: CrawlStore, clock: ManualClock) -> None:
        """Once they are taken away, the host is as it was reported."""
        await store.add(new_links(40))
        await store.limit_host(HOST, self.LIMITS)
        state = await set_host(store, await lease_one(store), exclusive=False, slots=6)
        await store.limit_host(HOST, HostLimits())
        clock.advance(2.0)
        batches = await lease_while_granted(store)
        assert sum(batch.slots for batch in batches) == 6
        assert {batch.host.delay for batch in batches} == {state.delay} == {0.0}

    async def test_later_limits_replace_earlier_ones(self, store: CrawlStore) -> None:
        """Whole, not field by field."""
        await store.add(new_links(3))
        await store.limit_host(HOST, BLOCKED)
        await store.limit_host(HOST, self.LIMITS)
        await store.limit_host(HOST, HostLimits(slots=1))
        batch = await lease_one(store)
        assert batch.limits == HostLimits(slots=1)
        assert batch.slots == 1

    async def test_a_host_that_was_never_met(self, store: CrawlStore) -> None:
        """It takes the defaults of the crawl that meets it, under the limits."""
        await store.limit_host(HOST, HostLimits(slots=2))
        await store.create_crawl(crawl("slow", default_delay=3.0, default_slots=6))
        await store.add(new_links(3, crawl_id="slow"))
        batch = await lease_one(store, "slow")
        assert batch.host == HostState(HOST, delay=3.0, slots=6)
        assert (batch.slots, batch.limits) == (2, HostLimits(slots=2))

    async def test_a_discovered_host_has_its_limits(self, store: CrawlStore) -> None:
        """Also one that a settlement brings."""
        await store.limit_host("b.example", BLOCKED)
        await store.add(new_links(1))
        found = [new_link("https://b.example/")]
        await settle_one(store, all_fetched(await lease_one(store), discovered=found))
        await lease_nothing(store)
        await store.limit_host("b.example", HostLimits())
        await lease_one(store)

    async def test_they_outlive_the_crawl(self, store: CrawlStore) -> None:
        """Limits belong to the host."""
        await store.add(new_links(2))
        await store.limit_host(HOST, self.LIMITS)
        await store.delete_crawl("crawl")
        await store.create_crawl(crawl("other"))
        await store.add(new_links(2, crawl_id="other"))
        assert (await lease_one(store, "other")).limits == self.LIMITS

    async def test_they_are_there_when_the_store_is_opened_again(
        self, clock: ManualClock, tmp_path: Path
    ) -> None:
        """Of hosts that were met, and of others."""
        if not self.durable:
            pytest.skip("this store keeps nothing when it is closed")
        store = await self.open_store(clock, tmp_path)
        await store.create_crawl(crawl())
        await store.add(new_links(9))
        await store.limit_host(HOST, HostLimits(slots=2))
        await store.limit_host("b.example", BLOCKED)
        await store.limit_host("c.example", BLOCKED)
        await store.limit_host("c.example", HostLimits())
        await store.aclose()
        store = await self.open_store(clock, tmp_path)
        try:
            found = {status.host: status.limits for status in await store.all_hosts()}
            assert found == {HOST: HostLimits(slots=2), "b.example": BLOCKED}
            await store.add(new_links(2, "b.example"))
            batch = await lease_one(store)
            assert (batch.host.host, batch.slots, batch.limits) == (HOST, 2, HostLimits(slots=2))
        finally:
            await store.aclose()


class HostStatuses(CrawlStoreCase):
    """`host_status` and `all_hosts`."""

    async def test_a_host_that_nobody_knows(self, store: CrawlStore) -> None:
        """There is nothing to say."""
        assert await store.host_status("nobody.example") is None
        assert await store.all_hosts() == []

    async def test_a_host_with_limits_that_was_never_met(self, store: CrawlStore) -> None:
        """It is known by its limits alone, and only as long as it has some."""
        await store.limit_host(HOST, BLOCKED)
        expected = HostStatus(HOST, HostState(HOST), BLOCKED)
        assert await store.host_status(HOST) == expected
        assert await store.all_hosts() == [expected]
        await store.limit_host(HOST, HostLimits())
        assert await store.host_status(HOST) is None
        assert await store.all_hosts() == []

    async def test_counters_over_two_crawls(self, store: CrawlStore, clock: ManualClock) -> None:
        """What waits, runs, is done and dead, and how fast the host answers."""
        await store.create_crawl(crawl("other"))
        await store.add(new_links(4))
        await settle_one(store, self._three_ends(await lease_one(store)))
        await store.add(new_links(3, crawl_id="other"))
        clock.advance(10.0)
        batch = await lease_one(store, "other", batch_links=1)
        status = await store.host_status(HOST)
        assert status is not None
        assert (status.queued, status.done, status.dead, status.running) == (4, 1, 1, batch.slots)
        assert status.mean_elapsed == pytest.approx((1.5 + 0.5 + 1.0) / 3)
        assert (status.state, status.limits) == (batch.host, HostLimits())
        await settle_one(store, all_fetched(batch, report=HostReport(rest=20.0)))
        clock.advance(5.0)
        status = await store.host_status(HOST)
        assert status is not None
        assert (status.queued, status.done, status.dead, status.running) == (4, 2, 1, 0)
        assert status.ready_in == pytest.approx(15.0)
        assert await store.all_hosts() == [status]

    async def test_running_slots_of_several_leases(self, store: CrawlStore) -> None:
        """Those of all nodes together."""
        await store.add(new_links(40))
        await set_host(store, await lease_one(store), exclusive=False, slots=5)
        batches = await lease_while_granted(store, "node-1", "node-2")
        status = await store.host_status(HOST)
        assert status is not None
        assert status.running == sum(batch.slots for batch in batches) == 5
        await store.expire(everything=True)
        status = await store.host_status(HOST)
        assert status is not None
        assert (status.running, status.queued) == (0, 40)

    async def test_a_host_is_remembered_without_its_crawl(self, store: CrawlStore) -> None:
        """What workers learnt of it still holds; what was counted belonged to the crawl."""
        await store.add(new_links(2))
        await settle_one(store, all_fetched(await lease_one(store)))
        await store.delete_crawl("crawl")
        status = await store.host_status(HOST)
        assert status is not None
        assert (status.queued, status.running, status.done, status.dead) == (0, 0, 0, 0)

    async def test_pages_in_the_order_of_names(self, store: CrawlStore) -> None:
        """Known hosts and limited ones among each other, each once."""
        names = ["10.0.0.1", "a-b.example", "a.example", "a.example:8080", "ab.example", "xn--bcher.example"]
        for name in names[::2]:
            await store.add(new_links(1, name))
        for name in names[1:]:
            await store.limit_host(name, HostLimits(slots=1))
        assert [status.host for status in await store.all_hosts()] == names
        first = [status.host for status in await store.all_hosts(limit=4)]
        assert first == names[:4]
        assert [status.host for status in await store.all_hosts(first[-1], 4)] == names[4:]
        assert [status.host for status in await store.all_hosts("a.example", 1)] == ["a.example:8080"]
        assert await store.all_hosts(names[-1]) == []
        assert [status.host for status in await store.all_hosts(search="a.ex")] == names[2:4]
        assert [status.host for status in await store.all_hosts("a.example", 5, "a.ex")] == ["a.example:8080"]
        assert [status.host for status in await store.all_hosts(limit=1, search="b")] == ["a-b.example"]
        assert await store.all_hosts(search="_") == []

    async def test_counters_of_a_page(self, store: CrawlStore) -> None:
        """Every host has its own."""
        await store.create_crawl(crawl("other"))
        await store.add(new_links(2) + new_links(3, "b.example") + new_links(4, "b.example", "other"))
        assert {status.host: status.queued for status in await store.all_hosts()} == {HOST: 2, "b.example": 7}

    def _three_ends(self, batch: HostBatch) -> Settlement:
        """One page, one dead link, one retry, and one that is returned."""
        first, second, third, _ = batch.links
        outcomes = fetched(first, elapsed=1.5), dead(second, elapsed=0.5), retry(third, 600.0, elapsed=1.0)
        return settlement(batch, *outcomes)
