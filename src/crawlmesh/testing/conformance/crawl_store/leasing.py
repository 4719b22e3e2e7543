"""Leasing: which links are handed out, in which order, and when to ask again."""

import pytest

from crawlmesh.model.host import HostReport
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import (
    all_fetched,
    crawl,
    lease_request,
    new_link,
    new_links,
    retry,
    returned,
    settlement,
)
from crawlmesh.testing.conformance.crawl_store.case import (
    CrawlStoreCase,
    hosts_of,
    lease_batches,
    lease_nothing,
    lease_one,
    settle_one,
    urls_of,
)
from crawlmesh.testing.manual_clock import ManualClock


class Leasing(CrawlStoreCase):
    """`lease`."""

    async def test_leased_links_are_counted(self, store: CrawlStore, clock: ManualClock) -> None:
        """They leave the pending ones, and the lease ends when it was asked to."""
        await store.add(new_links(3))
        batch = await lease_one(store, batch_links=2, duration=45.0)
        assert batch.expires_at == pytest.approx(clock.now() + 45.0)
        progress = await store.progress("crawl")
        assert (progress.pending, progress.leased, progress.added) == (1, 2, 3)

    async def test_nothing_to_lease(self, store: CrawlStore) -> None:
        """Without links, crawls or room there is no batch, and time alone brings none."""
        assert await store.lease(lease_request()) == await store.lease(lease_request("unknown"))
        assert (await store.lease(lease_request())).retry_in is None
        await store.add(new_links(1))
        grant = await store.lease(lease_request(crawl_ids=()))
        assert (grant.batches, grant.retry_in) == ((), None)
        await lease_nothing(store, max_links=0)
        await lease_nothing(store, max_batches=0)
        assert len((await lease_one(store, "unknown", "crawl")).links) == 1

    async def test_a_link_is_leased_to_one_at_a_time(self, store: CrawlStore) -> None:
        """A second request does not see it."""
        await store.add(new_links(3))
        await lease_one(store)
        await lease_nothing(store, node_id="another node")

    async def test_higher_priorities_come_first_then_older_links(self, store: CrawlStore) -> None:
        """Whichever was added first, and over several batches."""
        for url, priority in (("low", 1), ("old", 5), ("young", 5), ("high", 10), ("higher", 10)):
            await store.add([new_link(f"https://a.example/{url}", priority=priority)])
        names: list[str] = []
        for _ in range(3):
            batch = await lease_one(store, batch_links=2)
            names += [url.rsplit("/", 1)[1] for url in urls_of(batch)]
            await settle_one(store, all_fetched(batch))
        assert names == ["high", "higher", "old", "young", "low"]

    async def test_a_link_that_comes_back_keeps_its_age(self, store: CrawlStore) -> None:
        """A returned or retried link goes before younger ones."""
        await store.add(new_links(3))
        batch = await lease_one(store, batch_links=2)
        first, second = batch.links
        await settle_one(store, settlement(batch, returned(first), retry(second)))
        assert urls_of(await lease_one(store)) == [link.url for link in new_links(3)]

    async def test_several_crawls_share_a_batch(self, store: CrawlStore) -> None:
        """Priority and age count over all of them."""
        await store.create_crawl(crawl("other"))
        await store.add([new_link("https://a.example/1", priority=5)])
        await store.add([new_link("https://a.example/2", "other", priority=5)])
        await store.add([new_link("https://a.example/3", priority=5)])
        await store.add([new_link("https://a.example/4", "other", priority=9)])
        batch = await lease_one(store, "crawl", "other")
        assert [link.url[-1] for link in batch.links] == ["4", "1", "2", "3"]
        assert [link.crawl_id for link in batch.links] == ["other", "crawl", "other", "crawl"]
        assert (await store.progress("crawl")).leased == 2
        assert (await store.progress("other")).leased == 2

    async def test_links_of_other_crawls_are_not_handed_out(self, store: CrawlStore) -> None:
        """Even on a host that is leased, and at a higher priority."""
        await store.create_crawl(crawl("other"))
        await store.add(new_links(2) + new_links(2, crawl_id="other", priority=10))
        batch = await lease_one(store, "crawl")
        assert {link.crawl_id for link in batch.links} == {"crawl"}
        assert len(batch.links) == 2
        assert (await store.progress("other")).pending == 2

    async def test_other_crawls_do_not_starve_a_crawl(self, store: CrawlStore, clock: ManualClock) -> None:
        """Many hosts of theirs that have been ready for longer stand in nobody's way."""
        await store.create_crawl(crawl("other"))
        await store.add([new_link(f"https://h{number}.example/", "other") for number in range(300)])
        clock.advance(10.0)
        await store.add(new_links(1))
        assert urls_of(await lease_one(store, "crawl", max_links=1, max_batches=1)) == ["https://a.example/0"]

    async def test_hosts_go_first_that_have_been_ready_the_longest(
        self, store: CrawlStore, clock: ManualClock
    ) -> None:
        """Counted from when they had a link to hand out."""
        for host in ("m.example", "z.example", "a.example"):
            await store.add(new_links(2, host))
            clock.advance(1.0)
        assert hosts_of(await lease_batches(store, max_batches=2)) == ["m.example", "z.example"]

    async def test_a_host_that_had_its_turn_goes_to_the_end(
        self, store: CrawlStore, clock: ManualClock
    ) -> None:
        """So hosts take turns."""
        hosts = ["c.example", "b.example", "a.example"]
        for host in hosts:
            await store.add(new_links(3, host))
            clock.advance(1.0)
        served = []
        for _ in range(6):
            batch = await lease_one(store, max_batches=1, batch_links=1)
            served.append(batch.host.host)
            clock.advance(1.0)
            await settle_one(store, all_fetched(batch))
            clock.advance(1.0)
        assert served == hosts * 2

    async def test_a_host_is_ready_from_the_end_of_its_rest(
        self, store: CrawlStore, clock: ManualClock
    ) -> None:
        """Not from the settlement before it."""
        await store.add(new_links(2, "a.example") + new_links(2, "b.example"))
        rests = {"a.example": 20.0, "b.example": 10.0}
        for batch in await lease_batches(store, batch_links=1):
            report = HostReport(rest=rests[batch.host.host])
            await settle_one(store, all_fetched(batch, report=report))
        clock.advance(30.0)
        assert hosts_of(await lease_batches(store)) == ["b.example", "a.example"]


class AskingAgain(CrawlStoreCase):
    """`LeaseGrant.retry_in`."""

    async def test_none_while_everything_is_leased(self, store: CrawlStore) -> None:
        """Settling brings more work, time does not: an expiry has to be called for."""
        await store.add(new_links(3))
        grant = await store.lease(lease_request(batch_links=1))
        assert len(grant.batches) == 1
        assert grant.retry_in is None
        assert (await store.lease(lease_request())).retry_in is None

    async def test_none_when_all_is_done(self, store: CrawlStore) -> None:
        """Also where the host still rests."""
        await store.add(new_links(1))
        await settle_one(store, all_fetched(await lease_one(store), report=HostReport(rest=9.0)))
        assert (await store.lease(lease_request())).retry_in is None

    async def test_at_once_where_more_is_ready(self, store: CrawlStore) -> None:
        """The request's own limits kept it back."""
        await store.add(new_links(1, "a.example") + new_links(1, "b.example"))
        assert (await store.lease(lease_request(max_batches=1))).retry_in == 0.0

    async def test_until_a_host_has_rested(self, store: CrawlStore, clock: ManualClock) -> None:
        """The soonest of all."""
        await store.add(new_links(2, "a.example") + new_links(2, "b.example"))
        rests = {"a.example": 20.0, "b.example": 12.0}
        for batch in await lease_batches(store, batch_links=1):
            report = HostReport(rest=rests[batch.host.host])
            await settle_one(store, all_fetched(batch, report=report))
        assert (await store.lease(lease_request())).retry_in == pytest.approx(12.0)
        clock.advance(5.0)
        grant = await store.lease(lease_request())
        assert grant.batches == ()
        assert grant.retry_in == pytest.approx(7.0)
        clock.advance(7.5)
        grant = await store.lease(lease_request())
        assert hosts_of(grant.batches) == ["b.example"]
        assert grant.retry_in == pytest.approx(7.5)

    async def test_until_a_link_may_be_retried(self, store: CrawlStore) -> None:
        """Where that is later than the rest of its host."""
        await store.add(new_links(1))
        batch = await lease_one(store)
        await settle_one(store, settlement(batch, retry(batch.links[0], 30.0), report=HostReport(rest=3.0)))
        assert (await store.lease(lease_request())).retry_in == pytest.approx(30.0)

    async def test_until_the_host_of_a_retried_link_has_rested(self, store: CrawlStore) -> None:
        """Where that is later than the link's own time."""
        await store.add(new_links(1))
        batch = await lease_one(store)
        await settle_one(store, settlement(batch, retry(batch.links[0], 3.0), report=HostReport(rest=30.0)))
        assert (await store.lease(lease_request())).retry_in == pytest.approx(30.0)

    async def test_other_crawls_do_not_count(self, store: CrawlStore) -> None:
        """What becomes ready there is not for this request."""
        await store.create_crawl(crawl("other"))
        await store.add(new_links(2, crawl_id="other"))
        batch = await lease_one(store, "other", batch_links=1)
        await settle_one(store, all_fetched(batch, report=HostReport(rest=5.0)))
        assert (await store.lease(lease_request("crawl"))).retry_in is None
        assert (await store.lease(lease_request("other"))).retry_in == pytest.approx(5.0)

    async def test_a_crawl_without_budget_does_not_count(self, store: CrawlStore) -> None:
        """Its links do not become ready by time alone."""
        await store.update_crawl(crawl(max_pages=1))
        await store.add(new_links(3))
        await settle_one(store, all_fetched(await lease_one(store), report=HostReport(rest=5.0)))
        assert (await store.lease(lease_request())).retry_in is None
