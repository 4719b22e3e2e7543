"""The ledger: what is known about one URL."""

from crawlmesh.model.link import FoundBy, LinkState
from crawlmesh.model.record import LedgerEntry
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import (
    crawl,
    dead,
    fetched,
    fingerprint,
    new_link,
    new_links,
    redirected,
    retry,
    returned,
    seed,
    settlement,
    skipped,
    skipped_link,
)
from crawlmesh.testing.conformance.crawl_store.case import CrawlStoreCase, lease_one, settle_one
from crawlmesh.testing.manual_clock import ManualClock

START = "https://a.example/"


async def explain(store: CrawlStore, url: str, crawl_id: str = "crawl") -> LedgerEntry:
    """The entry of a URL that must have one."""
    entry = await store.explain(crawl_id, fingerprint(url))
    assert entry is not None
    return entry


class Ledger(CrawlStoreCase):
    """`explain`."""

    async def test_a_url_that_was_never_seen(self, store: CrawlStore) -> None:
        """Has no entry, whatever another crawl knows of it."""
        await store.create_crawl(crawl("other"))
        await store.add([new_link(START, "other")])
        assert await store.explain("crawl", fingerprint(START)) is None

    async def test_a_seed(self, store: CrawlStore) -> None:
        """Nothing happened to it yet."""
        await store.add([seed(START)])
        entry = await explain(store, START)
        assert entry == LedgerEntry(START, 0, FoundBy.SEED, None, LinkState.PENDING)

    async def test_a_leased_link(self, store: CrawlStore) -> None:
        """Its state says so."""
        await store.add([seed(START)])
        await lease_one(store)
        assert (await explain(store, START)).state is LinkState.LEASED

    async def test_a_link_that_was_found_on_a_page(self, store: CrawlStore) -> None:
        """The page is named, also for a skipped one and for one of a sitemap."""
        await store.add([seed(START)])
        batch = await lease_one(store)
        parent = batch.links[0].id
        found = [
            new_link("https://a.example/x", depth=1, parent_id=parent),
            new_link("https://a.example/y", depth=1, parent_id=parent, found_by=FoundBy.SITEMAP),
        ]
        skips = [skipped_link("https://b.example/", "host", parent_id=parent, depth=1)]
        await settle_one(store, settlement(batch, fetched(batch.links[0]), discovered=found, skipped=skips))
        entry = await explain(store, "https://a.example/x")
        assert (entry.found_by, entry.parent_url, entry.depth) == (FoundBy.LINK, START, 1)
        entry = await explain(store, "https://a.example/y")
        assert (entry.found_by, entry.parent_url, entry.redirected_from) == (FoundBy.SITEMAP, START, ())
        entry = await explain(store, "https://b.example/")
        assert (entry.state, entry.rule, entry.parent_url, entry.depth) == (None, "host", START, 1)
        assert (entry.attempts, entry.has_record) == ((), False)

    async def test_a_fetched_page(self, store: CrawlStore, clock: ManualClock) -> None:
        """With the attempt that brought it."""
        await store.add([seed(START)])
        batch = await lease_one(store)
        final_url = "https://a.example/home"
        outcome = fetched(
            batch.links[0], fetched_at=clock.now(), elapsed=1.5, size=77, final_url=final_url, http_status=203
        )
        await settle_one(store, settlement(batch, outcome))
        entry = await explain(store, START)
        assert (entry.state, entry.outcome, entry.http_status) == (LinkState.DONE, "fetched", 203)
        assert (entry.fetched_at, entry.elapsed, entry.size) == (clock.now(), 1.5, 77)
        assert (entry.final_url, entry.has_record) == (final_url, True)
        (attempt,) = entry.attempts
        assert (attempt.number, attempt.kind, attempt.http_status) == (1, "fetched", 203)
        assert (attempt.at, attempt.elapsed) == (clock.now(), 1.5)

    async def test_a_page_without_a_record(self, store: CrawlStore) -> None:
        """It is done all the same."""
        await store.add([seed(START)])
        batch = await lease_one(store)
        await settle_one(store, settlement(batch, fetched(batch.links[0], record=None)))
        entry = await explain(store, START)
        assert (entry.state, entry.has_record) == (LinkState.DONE, False)

    async def test_a_redirect(self, store: CrawlStore) -> None:
        """Both ends tell of it; the target of a chain names at least the hop before it."""
        hops = [START, "https://a.example/one", "https://a.example/two"]
        await store.add([seed(START)])
        for number, target in enumerate(hops[1:], start=1):
            batch = await lease_one(store)
            (link,) = batch.links
            found = new_link(target, parent_id=link.id, found_by=FoundBy.REDIRECT, redirects=number)
            await settle_one(store, settlement(batch, redirected(link, target), discovered=[found]))
        entry = await explain(store, START)
        assert (entry.state, entry.outcome, entry.final_url) == (LinkState.DONE, "redirected", hops[1])
        assert (entry.redirected_from, entry.has_record) == ((), False)
        entry = await explain(store, hops[1])
        assert (entry.found_by, entry.redirected_from) == (FoundBy.REDIRECT, (START,))
        assert hops[1] in (await explain(store, hops[2])).redirected_from

    async def test_a_link_that_was_skipped_once_its_host_answered(self, store: CrawlStore) -> None:
        """It is done, and the reason is named."""
        await store.add([seed(START)])
        batch = await lease_one(store)
        await settle_one(store, settlement(batch, skipped(batch.links[0], "robots")))
        entry = await explain(store, START)
        assert (entry.state, entry.outcome, entry.reason) == (LinkState.DONE, "skipped", "robots")

    async def test_attempts_are_listed_in_their_order(self, store: CrawlStore, clock: ManualClock) -> None:
        """Every one that was settled as a retry, then the last; those that were returned are not."""
        await store.add([seed(START)])
        times = []
        for outcome in (retry, returned, retry, fetched):
            batch = await lease_one(store)
            clock.advance(1.0)
            if outcome is not returned:
                times.append(clock.now())
            settled = outcome(batch.links[0], fetched_at=clock.now(), elapsed=0.25 * len(times))
            await settle_one(store, settlement(batch, settled))
        attempts = (await explain(store, START)).attempts
        assert [attempt.number for attempt in attempts] == [1, 2, 3]
        assert [attempt.kind for attempt in attempts] == ["retry", "retry", "fetched"]
        assert [attempt.http_status for attempt in attempts] == [503, 503, 200]
        assert [attempt.reason for attempt in attempts] == ["http_503", "http_503", None]
        assert [attempt.at for attempt in attempts] == times
        assert [attempt.elapsed for attempt in attempts] == [0.25, 0.5, 0.75]

    async def test_a_link_that_waits_for_a_retry(self, store: CrawlStore) -> None:
        """It is pending, and its attempt is listed already."""
        await store.add([seed(START)])
        batch = await lease_one(store)
        await settle_one(store, settlement(batch, retry(batch.links[0], 60.0)))
        entry = await explain(store, START)
        assert (entry.state, entry.has_record) == (LinkState.PENDING, False)
        assert [attempt.number for attempt in entry.attempts] == [1]

    async def test_a_dead_link(self, store: CrawlStore) -> None:
        """The reason is named, for the link and for the attempt."""
        await store.add([seed(START)])
        for outcome in (retry, dead):
            batch = await lease_one(store)
            settled = outcome(batch.links[0], reason="dns", http_status=None)
            await settle_one(store, settlement(batch, settled))
        entry = await explain(store, START)
        assert (entry.state, entry.outcome, entry.reason) == (LinkState.DEAD, "dead", "dns")
        assert (entry.http_status, entry.has_record) == (None, False)
        assert [(attempt.kind, attempt.reason) for attempt in entry.attempts] == [
            ("retry", "dns"),
            ("dead", "dns"),
        ]

    async def test_links_of_one_batch_are_told_apart(self, store: CrawlStore) -> None:
        """Each entry is about its own URL."""
        await store.add(new_links(3))
        batch = await lease_one(store)
        a, b, c = batch.links
        await settle_one(store, settlement(batch, fetched(a), dead(b), retry(c, 5.0)))
        states = [(await explain(store, link.url)).state for link in batch.links]
        assert states == [LinkState.DONE, LinkState.DEAD, LinkState.PENDING]
