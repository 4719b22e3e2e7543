"""A store that was walked over at random moves into another one, and the crawl goes on there to its end."""

from collections.abc import Awaitable, Callable
from contextlib import aclosing
from typing import Any, ClassVar, NamedTuple, cast

import pytest

from crawlmesh.control.move_crawls import move_crawls, tally_crawls
from crawlmesh.model.crawl import Crawl, CrawlProgress, Dedup
from crawlmesh.model.host import HostLimits, HostReport, HostState
from crawlmesh.model.lease import Settlement
from crawlmesh.model.link import FoundBy, LinkState
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.ports.crawl_transfer import CrawlTransfer
from crawlmesh.testing.builders import (
    crawl,
    dead,
    fetched,
    fingerprint,
    lease_request,
    new_link,
    not_modified,
    redirected,
    retry,
    settlement,
    skipped,
    skipped_link,
)
from crawlmesh.testing.conformance.crawl_store.case import lease_batches
from crawlmesh.testing.conformance.crawl_store.random_walk import CRAWLS, MAX_PAGES, URLS, Walk
from crawlmesh.testing.invariants import assert_crawl_invariants, read_all_records
from crawlmesh.testing.manual_clock import ManualClock


class StoreKind(NamedTuple):
    """How a store is opened to be used, and how to be moved, at the same place."""

    store: Callable[[], Awaitable[CrawlStore]]
    transfer: Callable[[], Awaitable[CrawlTransfer]]


class CrawlTransferSuite:
    """A subclass says what the two ends are: fixtures `source` and `target` that yield a `StoreKind`, empty.

    `remembers`: both ends keep attempts of earlier rounds, and say the same of links that are tried again.
    `filters`: both can have crawls with a Bloom filter.
    """

    remembers: ClassVar[bool] = True
    filters: ClassVar[bool] = False

    @pytest.fixture
    def clock(self) -> ManualClock:
        """The time of both stores."""
        return ManualClock()

    @pytest.mark.parametrize("seed", range(2))
    async def test_walked_store_is_the_same_elsewhere(
        self, source: StoreKind, target: StoreKind, clock: ManualClock, seed: int
    ) -> None:
        """Everything that the port shows is what it was, once leases ended; then the crawl ends there."""
        store = await source.store()
        for crawl_id in CRAWLS:
            await store.create_crawl(crawl(crawl_id, max_pages=MAX_PAGES if crawl_id == "other" else None))
        walk = Walk(store, clock, seed)
        await walk.run(60)
        stale = (await store.lease(lease_request(*CRAWLS))).batches
        await store.aclose()
        await _move(source, target)
        before, after = await source.store(), await target.store()
        await before.expire(everything=True)
        for crawl_id in CRAWLS:
            await self._assert_same(before, after, crawl_id)
        assert await after.settle([Settlement(batch.fence, ()) for batch in stale]) == [False] * len(stale)
        for host in range(4):
            await after.limit_host(f"h{host}.example", HostLimits())
        await _finish(after, clock)
        granted = [batch.fence for batch in stale]
        await after.add([new_link("https://new.example/", "crawl")])
        clock.advance(100.0)
        assert (await lease_batches(after, "crawl"))[0].fence > max(granted, default=0)
        await before.aclose()
        await after.aclose()

    async def test_whole_ledger_moves(self, source: StoreKind, target: StoreKind) -> None:
        """Parents, redirects, attempts, validators, records, places in the archive, skips and templates."""
        store = await source.store()
        await store.create_crawl(crawl(max_pages_per_template=3, default_delay=0.0))
        await _eventful_crawl(store)
        await store.aclose()
        await _move(source, target)
        before, after = await source.store(), await target.store()
        await self._assert_same(before, after, "crawl", _LEDGER)
        links = [new_link(f"https://a.example/t{number}", template=7) for number in range(5)]
        assert await before.add(links) == await after.add(links) == 1
        skips = [skipped_link("https://a.example/kept-out")]
        await after.add([], skips)
        assert (await after.progress("crawl")).by_rule == (await before.progress("crawl")).by_rule
        await before.aclose()
        await after.aclose()

    async def test_second_round_goes_on(
        self, source: StoreKind, target: StoreKind, clock: ManualClock
    ) -> None:
        """A crawl that is visited again carries its validators, and its records stay until then."""
        store = await source.store()
        await store.create_crawl(crawl())
        await _second_round(store)
        await store.aclose()
        await _move(source, target)
        before, after = await source.store(), await target.store()
        urls = [f"https://a.example/{number}" for number in range(8)]
        await self._assert_same(before, after, "crawl", urls, recrawled=True)
        clock.advance(100.0)
        leased = {
            name: sorted(
                (link.id, link.url, link.attempt, link.etag, link.last_modified)
                for batch in await lease_batches(each, batch_links=100)
                for link in batch.links
            )
            for name, each in (("before", before), ("after", after))
        }
        assert leased["before"] == leased["after"]
        assert any(row[3] for row in leased["after"])
        await before.aclose()
        await after.aclose()

    async def test_hosts_keep_their_rest_and_limits(
        self, source: StoreKind, target: StoreKind, clock: ManualClock
    ) -> None:
        """Also limits of hosts that nobody has met, and the delay of a host that was leased."""
        store = await source.store()
        await store.create_crawl(crawl())
        await store.add(
            [new_link(f"https://h{number}.example/{path}") for number in range(4) for path in range(3)]
        )
        await store.limit_host("never.example", HostLimits(delay=3.0))
        await store.limit_host("h1.example", HostLimits(slots=1, blocked=True))
        batches = {batch.host.host: batch for batch in await lease_batches(store, batch_links=1)}
        state = HostState("h2.example", delay=30.0, slots=2, pressure=1.5, crawl_delay=2.0)
        report = HostReport(rest=50.0, state=state)
        rested = batches["h2.example"]
        await store.settle([settlement(rested, fetched(rested.links[0]), report=report)])
        await store.aclose()
        await _move(source, target)
        before, after = await source.store(), await target.store()
        await before.expire(everything=True)
        assert await after.all_hosts() == await before.all_hosts()
        assert {batch.host.host for batch in await lease_batches(after)} == {"h0.example", "h3.example"}
        clock.advance(51.0)
        (later,) = await lease_batches(after)
        assert (later.host, later.limits) == (state, HostLimits())
        await before.aclose()
        await after.aclose()

    async def test_store_that_is_moved_into_twice(self, source: StoreKind, target: StoreKind) -> None:
        """What a move that broke off left behind is gone; fences go on from the higher of both."""
        store = await source.store()
        await store.create_crawl(crawl())
        await store.add([new_link(f"https://a.example/{number}") for number in range(5)])
        await store.aclose()
        await _move(source, target)
        after = await target.store()
        fences = [batch.fence for batch in await lease_batches(after)]
        await after.add([new_link("https://b.example/")])
        await after.aclose()
        await _move(source, target)
        after = await target.store()
        assert (await after.progress("crawl")).pending == 5
        assert (await lease_batches(after))[0].fence > max(fences)
        await after.aclose()

    async def test_who_still_works_at_the_source_is_seen(self, source: StoreKind, clock: ManualClock) -> None:
        """A lease that is alive says so, and one that ran out does not."""
        store, transfer = await source.store(), await source.transfer()
        await store.create_crawl(crawl())
        await store.add([new_link("https://a.example/")])
        assert await transfer.leased_for() == 0.0
        await lease_batches(store, duration=60.0)
        clock.advance(20.0)
        assert await transfer.leased_for() == pytest.approx(40.0)
        clock.advance(41.0)
        assert await transfer.leased_for() == 0.0
        await transfer.aclose()
        await store.aclose()

    async def test_many_links_cross_in_batches(self, source: StoreKind, target: StoreKind) -> None:
        """More than one batch of each kind, and of several crawls."""
        store = await source.store()
        for name in ("crawl", "other"):
            await store.create_crawl(crawl(name))
            await store.add(
                [
                    new_link(f"https://h{number % 37}.example/{number}", name, template=number)
                    for number in range(2_500)
                ],
                [skipped_link(f"https://s.example/{number}", crawl_id=name) for number in range(2_100)],
            )
        await store.aclose()
        await _move(source, target)
        transfer = await target.transfer()
        counts = (await tally_crawls(transfer)).counts
        assert (counts["links"], counts["skips"], counts["crawls"]) == (5_000, 4_200, 2)
        await transfer.aclose()

    async def test_crawl_with_a_filter(self, source: StoreKind, target: StoreKind) -> None:
        """Known links stay known, where both ends have filters of one kind."""
        if not self.filters:
            pytest.skip("one of the ends cannot have it")
        store = await source.store()
        await store.create_crawl(crawl(dedup=Dedup.BLOOM, filter_capacity=1_000))
        links = [new_link(f"https://a.example/{number}") for number in range(300)]
        await store.add(links)
        await store.aclose()
        await _move(source, target)
        after = await target.store()
        assert await after.add(links) == 0
        assert (await after.progress("crawl")).filter is not None
        await after.aclose()

    async def _assert_same(
        self,
        before: CrawlStore,
        after: CrawlStore,
        crawl_id: str,
        urls: list[str] = URLS,
        *,
        recrawled: bool = False,
    ) -> None:
        progress = await before.progress(crawl_id)
        assert await after.progress(crawl_id) == progress
        assert await _crawl(before, crawl_id) == await _crawl(after, crawl_id)
        assert await read_all_records(after, crawl_id) == await read_all_records(before, crawl_id)
        hosts = [sorted(await store.hosts(crawl_id), key=lambda each: each.host) for store in (before, after)]
        assert hosts[0] == hosts[1]
        for url in urls:
            entries = [await store.explain(crawl_id, fingerprint(url)) for store in (before, after)]
            if self.remembers or entries[0] is None:
                assert entries[0] == entries[1]
                continue
            first, second = entries
            assert first is not None
            assert second is not None
            for name in ("url", "depth", "found_by", "parent_url", "state", "rule", "has_record"):
                assert getattr(first, name) == getattr(second, name)
        await assert_crawl_invariants(after, crawl_id, added=progress.added, recrawled=recrawled)


_LEDGER = [
    *(f"https://a.example/{number}" for number in range(9)),
    "https://a.example/child", "https://a.example/target", "https://a.example/kept-out", "https://a.example/t0",
]  # fmt: skip


async def _eventful_crawl(store: CrawlStore) -> None:
    """All ends that a link can have, but for those of a second round."""
    seeds = [
        new_link(f"https://a.example/{number}", found_by=FoundBy.SEED, priority=9) for number in range(9)
    ]
    await store.add(
        [*seeds, new_link("https://other.example/x", host="a.example", request_url="https://a.example/x#")]
    )
    (batch,) = await lease_batches(store, batch_links=9)
    first, *others = batch.links
    outcomes = [
        fetched(
            first, elapsed=0.123456, fetched_at=11.5, etag='"e"', last_modified="Monday", archive="a:1:2"
        ),
        fetched(others[0], record=None, size=7),
        redirected(others[1], "https://a.example/target"),
        skipped(others[2]),
        dead(others[3], elapsed=1.5, fetched_at=12.0),
        retry(others[4], 0.0),
        retry(others[5], 500.0, fetched_at=13.0),
    ]
    found = [
        new_link("https://a.example/child", parent_id=first.id, depth=1),
        new_link("https://a.example/target", parent_id=others[1].id, found_by=FoundBy.REDIRECT, redirects=1),
        *(new_link(f"https://a.example/t{number}", template=7) for number in range(2)),
    ]
    skips = [
        skipped_link("https://a.example/kept-out", parent_id=first.id, depth=2),
        skipped_link("https://a.example/became-a-link"),
    ]
    state = HostState("a.example", slots=4, exclusive=False)
    await store.settle(
        [settlement(batch, *outcomes, discovered=found, skipped=skips, report=HostReport(0.0, state))]
    )
    await store.add([new_link("https://a.example/became-a-link")])
    (batch,) = await lease_batches(store, batch_links=1, max_links=1)
    await store.settle([settlement(batch, fetched(batch.links[0], fetched_at=20.0))])


async def _second_round(store: CrawlStore) -> None:
    await store.add([new_link(f"https://a.example/{number}") for number in range(8)])
    (batch,) = await lease_batches(store, batch_links=100)
    outcomes = [
        fetched(link, fetched_at=float(link.id), etag=f'"{link.id}"', last_modified="Monday", archive="a:1:2")
        for link in batch.links
    ]
    free = HostReport(0.0, HostState("a.example", exclusive=False))
    await store.settle([settlement(batch, *outcomes, report=free)])
    await store.recrawl("crawl")
    (batch,) = await lease_batches(store, batch_links=5, max_links=5)
    links = batch.links
    outcomes = [
        not_modified(links[0], fetched_at=30.0),
        fetched(links[1], fetched_at=31.0, etag='"new"', record=b'{"title":"Another"}'),
        retry(links[2], 0.0),
        dead(links[3]),
        fetched(links[4], record=None),
    ]
    await store.settle([settlement(batch, *outcomes, report=free)])


async def _move(source: StoreKind, target: StoreKind) -> None:
    """Move, and compare counts and checksums of both."""
    giving, taking = await source.transfer(), await target.transfer()
    try:
        moved = await move_crawls(giving, taking)
        found = await tally_crawls(taking)
        assert found.counts == moved.counts
        if found.checksums() != moved.checksums():
            assert await _rows(giving) == await _rows(taking)
        assert found.checksums() == moved.checksums()
        assert (await taking.sequences()).fence >= (await giving.sequences()).fence
    finally:
        await giving.aclose()
        await taking.aclose()


async def _rows(transfer: CrawlTransfer) -> dict[str, Any]:
    rows: dict[str, Any] = {"crawls": await transfer.crawls()}
    for part in ("hosts", "links", "skips", "templates", "shares"):
        async with aclosing(cast("Any", getattr(transfer, part)())) as batches:
            rows[part] = sorted([row async for batch in batches for row in batch], key=repr)
    return rows


async def _crawl(store: CrawlStore, crawl_id: str) -> Crawl:
    return next(each for each in await store.crawls() if each.id == crawl_id)


async def _finish(store: CrawlStore, clock: ManualClock) -> None:
    """Fetch what is left, as far as limits allow, and see that nothing is missing at the end."""
    added = {crawl_id: (await store.progress(crawl_id)).added for crawl_id in CRAWLS}
    for _ in range(200):
        clock.advance(100.0)
        for batch in (await store.lease(lease_request(*CRAWLS))).batches:
            outcomes = [fetched(link) for link in batch.links]
            assert await store.settle([settlement(batch, *outcomes)]) == [True]
        if all([_over(await store.progress(crawl_id), crawl_id) for crawl_id in CRAWLS]):
            break
    for crawl_id in CRAWLS:
        progress = await store.progress(crawl_id)
        assert _over(progress, crawl_id)
        await assert_crawl_invariants(store, crawl_id, added=added[crawl_id])
        explained = [await store.explain(crawl_id, fingerprint(url)) for url in URLS]
        known = [entry.state for entry in explained if entry is not None]
        assert known.count(LinkState.DONE) == progress.done


def _over(progress: CrawlProgress, crawl_id: str) -> bool:
    return progress.finished or (crawl_id == "other" and progress.pages >= MAX_PAGES)
