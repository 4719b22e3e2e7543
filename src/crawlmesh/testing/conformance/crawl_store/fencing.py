"""Fencing: whoever does not own a lease changes nothing."""

import pytest

from crawlmesh.model.host import HostReport, HostState
from crawlmesh.model.lease import HostBatch, Renewal, Settlement
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import (
    all_fetched,
    dead,
    fetched,
    new_link,
    new_links,
    retry,
    settlement,
    skipped_link,
)
from crawlmesh.testing.conformance.crawl_store.case import (
    CrawlStoreCase,
    fetch_everything,
    lease_batches,
    lease_one,
    settle_one,
    snapshot,
)
from crawlmesh.testing.manual_clock import ManualClock

URLS = [link.url for link in new_links(3)] + ["https://found.example/", "https://skipped.example/"]


def loud_settlement(batch: HostBatch) -> Settlement:
    """A settlement that would change everything there is to change."""
    first, *others = batch.links
    outcomes = [fetched(first, record=b'{"title":"Late"}')] + [dead(link) for link in others]
    return settlement(
        batch,
        *outcomes,
        discovered=[new_link("https://found.example/")],
        skipped=[skipped_link("https://skipped.example/")],
        report=HostReport(rest=500.0, state=HostState("a.example", delay=50.0, failures=9)),
    )


class Fencing(CrawlStoreCase):
    """Fences of `lease`, `settle` and `renew`."""

    async def test_fences_only_grow(self, store: CrawlStore) -> None:
        """Over hosts, calls, settlements and expiries."""
        await store.add(new_links(9, "a.example") + new_links(9, "b.example"))
        fences: list[int] = []
        for round_number in range(4):
            batches = await lease_batches(store, batch_links=1)
            assert min(batch.fence for batch in batches) > max(fences, default=0)
            fences += [batch.fence for batch in batches]
            if round_number % 2:
                await store.expire(everything=True)
            else:
                assert all(await store.settle([all_fetched(batch) for batch in batches]))
        assert len(set(fences)) == len(fences)

    async def test_fences_grow_after_everything_is_deleted(self, store: CrawlStore) -> None:
        """A fence that was given out once never comes again."""
        await store.add(new_links(1))
        old = await lease_one(store)
        crawl = (await store.crawls())[0]
        await store.delete_crawl("crawl")
        await store.create_crawl(crawl)
        await store.add(new_links(1))
        assert (await lease_one(store)).fence > old.fence

    async def test_a_repeated_settlement_changes_nothing(self, store: CrawlStore) -> None:
        """It is refused and leaves no trace."""
        await store.add(new_links(3))
        loud = loud_settlement(await lease_one(store))
        await settle_one(store, loud)
        before = await snapshot(store, URLS)
        assert before.progress.added == 4
        assert await store.settle([loud, loud]) == [False, False]
        assert await snapshot(store, URLS) == before

    async def test_a_settlement_after_expiry_changes_nothing(self, store: CrawlStore) -> None:
        """Its links are ready for another node at once: the report did not make the host rest."""
        await store.add(new_links(3))
        batch = await lease_one(store)
        await store.expire(everything=True)
        before = await snapshot(store, URLS)
        assert await store.settle([loud_settlement(batch)]) == [False]
        assert await snapshot(store, URLS) == before
        assert (await lease_one(store)).host == batch.host

    async def test_a_settlement_of_a_lost_lease_leaves_the_new_one_alone(self, store: CrawlStore) -> None:
        """The links are another node's by then, and that one can settle them."""
        await store.add(new_links(3))
        old = await lease_one(store)
        await store.expire(everything=True)
        new = await lease_one(store)
        assert {link.id for link in new.links} == {link.id for link in old.links}
        before = await snapshot(store, URLS)
        assert await store.settle([loud_settlement(old)]) == [False]
        assert await snapshot(store, URLS) == before
        await settle_one(store, all_fetched(new))
        assert (await store.progress("crawl")).done == 3

    @pytest.mark.parametrize("fence", [-1, 0, 10**9])
    async def test_a_fence_that_never_was_is_refused(self, store: CrawlStore, fence: int) -> None:
        """By `settle` and by `renew`."""
        await store.add(new_links(3))
        await lease_one(store)
        before = await snapshot(store, URLS)
        found = [new_link("https://found.example/")]
        assert await store.settle([Settlement(fence, (), found)]) == [False]
        assert await store.renew([Renewal(fence, 60.0)]) == [False]
        assert await snapshot(store, URLS) == before

    async def test_a_renewal_after_settling_changes_nothing(self, store: CrawlStore) -> None:
        """Its report is not heard."""
        await store.add(new_links(3))
        batch = await lease_one(store)
        await settle_one(store, settlement(batch, *(retry(link) for link in batch.links)))
        before = await snapshot(store, URLS)
        report = HostReport(rest=500.0, state=HostState("a.example", delay=50.0))
        assert await store.renew([Renewal(batch.fence, 60.0, report)]) == [False]
        assert await snapshot(store, URLS) == before
        assert len((await lease_one(store)).links) == 3

    async def test_a_renewal_after_expiry_does_not_bring_the_lease_back(
        self, store: CrawlStore, clock: ManualClock
    ) -> None:
        """Once ended, always ended."""
        await store.add(new_links(3))
        batch = await lease_one(store, duration=10.0)
        clock.advance(11.0)
        assert await store.expire() == 1
        assert await store.renew([Renewal(batch.fence, 600.0)]) == [False]
        assert await store.settle([all_fetched(batch)]) == [False]
        await fetch_everything(store)
        assert (await store.progress("crawl")).pages == 3
