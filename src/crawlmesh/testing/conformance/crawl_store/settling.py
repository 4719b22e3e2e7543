"""Settling: what outcomes do to their links."""

import pytest

from crawlmesh.model.lease import Settlement
from crawlmesh.model.link import LeasedLink, LinkState
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import (
    all_fetched,
    dead,
    fetched,
    fingerprint,
    new_links,
    not_modified,
    redirected,
    retry,
    returned,
    settlement,
    skipped,
)
from crawlmesh.testing.conformance.crawl_store.case import (
    CrawlStoreCase,
    lease_batches,
    lease_nothing,
    lease_one,
    settle_one,
    urls_of,
)
from crawlmesh.testing.manual_clock import ManualClock


class Settling(CrawlStoreCase):
    """`settle`."""

    async def test_every_outcome_leads_to_its_state(self, store: CrawlStore) -> None:
        """As `OutcomeKind` says."""
        await store.add(new_links(7))
        batch = await lease_one(store)
        a, b, c, d, e, f, g = batch.links
        outcomes = [
            fetched(a),
            not_modified(b),
            redirected(c, "https://a.example/0"),
            skipped(d),
            retry(e, 9.0),
            dead(f),
            returned(g),
        ]
        await settle_one(store, settlement(batch, *outcomes))
        states = []
        for link in batch.links:
            entry = await store.explain("crawl", fingerprint(link.url))
            assert entry is not None
            states.append(entry.state)
        done, pending = LinkState.DONE, LinkState.PENDING
        assert states == [done, done, done, done, pending, LinkState.DEAD, pending]
        progress = await store.progress("crawl")
        assert (progress.pending, progress.leased, progress.done, progress.dead) == (2, 0, 4, 1)

    async def test_a_part_of_a_batch_can_be_settled(self, store: CrawlStore) -> None:
        """What is unfinished stays leased by the same fence, and the host with it."""
        await store.add(new_links(4))
        batch = await lease_one(store)
        a, b, c, _ = batch.links
        part = settlement(batch, fetched(a), discovered=new_links(6), unfinished=(b.id, c.id))
        await settle_one(store, part)
        progress = await store.progress("crawl")
        assert (progress.pending, progress.leased, progress.done) == (3, 2, 1)
        await lease_nothing(store)
        assert await store.settle([part]) == [True]
        assert await store.progress("crawl") == progress
        await settle_one(store, settlement(batch, fetched(b), fetched(c)))
        progress = await store.progress("crawl")
        assert (progress.pending, progress.leased, progress.done, progress.pages) == (3, 0, 3, 3)
        assert await store.settle([part]) == [False]
        assert len((await lease_one(store)).links) == 3

    async def test_what_is_unfinished_is_pending_when_its_lease_expires(self, store: CrawlStore) -> None:
        """And what was settled before stays so."""
        await store.add(new_links(2))
        batch = await lease_one(store)
        a, b = batch.links
        await settle_one(store, settlement(batch, fetched(a), unfinished=(b.id,)))
        assert await store.expire(everything=True) == 1
        progress = await store.progress("crawl")
        assert (progress.pending, progress.leased, progress.done, progress.records) == (1, 0, 1, 1)

    async def test_settling_nothing_is_fine(self, store: CrawlStore) -> None:
        """An empty call has an empty answer."""
        assert await store.settle([]) == []
        assert await store.renew([]) == []

    async def test_links_without_an_outcome_are_returned(self, store: CrawlStore) -> None:
        """At once, and their attempt does not count."""
        await store.add(new_links(3))
        batch = await lease_one(store)
        await settle_one(store, settlement(batch, fetched(batch.links[1])))
        again = await lease_one(store)
        assert urls_of(again) == ["https://a.example/0", "https://a.example/2"]
        assert [link.attempt for link in again.links] == [1, 1]

    async def test_an_empty_settlement_returns_everything(self, store: CrawlStore) -> None:
        """And counts nothing."""
        await store.add(new_links(3))
        batch = await lease_one(store)
        await settle_one(store, Settlement(batch.fence, ()))
        progress = await store.progress("crawl")
        assert (progress.pending, progress.leased, progress.by_outcome) == (3, 0, {})
        assert (await lease_one(store)).links == batch.links

    async def test_a_returned_link_keeps_its_attempt(self, store: CrawlStore) -> None:
        """Also after a retry that counted."""
        await store.add(new_links(1))
        for outcome, attempt in ((returned, 1), (retry, 1), (returned, 2), (retry, 2), (fetched, 3)):
            batch = await lease_one(store)
            assert [link.attempt for link in batch.links] == [attempt]
            await settle_one(store, settlement(batch, outcome(batch.links[0])))

    async def test_a_retried_link_waits(self, store: CrawlStore, clock: ManualClock) -> None:
        """Not before `retry_in`, then as the next attempt."""
        await store.add(new_links(1))
        batch = await lease_one(store)
        await settle_one(store, settlement(batch, retry(batch.links[0], 30.0)))
        assert (await store.progress("crawl")).pending == 1
        clock.advance(29.0)
        await lease_nothing(store)
        clock.advance(2.0)
        (link,) = (await lease_one(store)).links
        assert (link.id, link.attempt) == (batch.links[0].id, 2)

    async def test_a_waiting_link_holds_up_no_other(self, store: CrawlStore, clock: ManualClock) -> None:
        """Its host goes on with the rest, those that are added later too."""
        await store.add(new_links(1, priority=10))
        await store.add(new_links(3))
        batch = await lease_one(store)
        outcomes = [retry(batch.links[0], 30.0), fetched(batch.links[1])]
        await settle_one(store, settlement(batch, *outcomes))
        await store.add(new_links(4))
        batch = await lease_one(store)
        assert urls_of(batch) == ["https://a.example/2", "https://a.example/3"]
        await settle_one(store, all_fetched(batch))
        await lease_nothing(store)
        clock.advance(31.0)
        assert urls_of(await lease_one(store)) == ["https://a.example/0"]

    async def test_waiting_links_come_back_each_in_its_time(
        self, store: CrawlStore, clock: ManualClock
    ) -> None:
        """One does not wait for another."""
        await store.add(new_links(3))
        batch = await lease_one(store)
        waits = (50.0, 10.0, 30.0)
        outcomes = [retry(link, wait) for link, wait in zip(batch.links, waits, strict=True)]
        await settle_one(store, settlement(batch, *outcomes))
        for url in ("https://a.example/1", "https://a.example/2", "https://a.example/0"):
            clock.advance(11.0 if url.endswith("1") else 20.0)
            batch = await lease_one(store)
            assert urls_of(batch) == [url]
            await settle_one(store, all_fetched(batch))

    async def test_a_link_outside_the_lease_is_passed_over(self, store: CrawlStore) -> None:
        """Be it pending, another lease's, done, or nobody's."""
        await store.add(new_links(3, "a.example") + new_links(1, "b.example"))
        batches = {batch.host.host: batch for batch in await lease_batches(store, batch_links=1)}
        mine, theirs = batches["a.example"], batches["b.example"]
        stranger = LeasedLink(10**9, "crawl", "https://c.example/", 0, 5, 1)
        outcomes = [fetched(mine.links[0]), dead(theirs.links[0]), dead(stranger)]
        await settle_one(store, settlement(mine, *outcomes))
        progress = await store.progress("crawl")
        assert (progress.done, progress.dead, progress.leased, progress.pending) == (1, 0, 1, 2)
        assert progress.by_outcome == {"fetched": 1}
        await settle_one(store, all_fetched(theirs))

    async def test_settlements_in_one_call_stand_alone(self, store: CrawlStore) -> None:
        """A refused one between them stops none of the others."""
        await store.add(new_links(1, "a.example") + new_links(1, "b.example"))
        first, second = await lease_batches(store)
        unknown = Settlement(max(first.fence, second.fence) + 1_000, (), new_links(1, "c.example"))
        answers = await store.settle([all_fetched(first), unknown, all_fetched(first), all_fetched(second)])
        assert answers == [True, False, False, True]
        progress = await store.progress("crawl")
        assert (progress.done, progress.added, progress.pages) == (2, 2, 2)

    @pytest.mark.parametrize("length", [0, 1, 64])
    async def test_lists_and_tuples_are_both_fine(self, store: CrawlStore, length: int) -> None:
        """A settlement takes any sequence."""
        await store.add(new_links(64))
        batch = await lease_one(store)
        outcomes = [fetched(link) for link in batch.links[:length]]
        await settle_one(store, Settlement(batch.fence, outcomes, list(new_links(2)), []))
        assert (await store.progress("crawl")).done == length
