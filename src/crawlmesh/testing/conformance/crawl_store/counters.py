"""Counters: the progress of crawls and of their hosts."""

import pytest

from crawlmesh.model.crawl import HostProgress
from crawlmesh.model.host import HostReport
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import (
    crawl,
    dead,
    fetched,
    new_link,
    new_links,
    not_modified,
    redirected,
    retry,
    returned,
    settlement,
    skipped,
    skipped_link,
)
from crawlmesh.testing.conformance.crawl_store.case import (
    CrawlStoreCase,
    lease_batches,
    lease_one,
    settle_one,
)
from crawlmesh.testing.manual_clock import ManualClock


class Counters(CrawlStoreCase):
    """`progress`."""

    async def test_every_settled_attempt_is_counted(self, store: CrawlStore) -> None:
        """By outcome, status and reason; those that were returned are not."""
        await store.add(new_links(9))
        batch = await lease_one(store)
        a, b, c, d, e, f, g, h, i = batch.links
        outcomes = [
            fetched(a, size=1_000),
            fetched(b, size=234, http_status=203, record=None),
            not_modified(c),
            redirected(d, "https://a.example/0"),
            skipped(e),
            retry(f),
            dead(g, "http_404"),
            dead(h, "dns", http_status=None),
            returned(i),
        ]
        await settle_one(store, settlement(batch, *outcomes))
        progress = await store.progress("crawl")
        assert progress.by_outcome == {
            "fetched": 2,
            "not_modified": 1,
            "redirected": 1,
            "skipped": 1,
            "retry": 1,
            "dead": 2,
        }
        assert progress.by_status == {"200": 1, "203": 1, "301": 1, "304": 1, "404": 1, "503": 1}
        assert progress.by_reason == {"http_404": 1, "dns": 1}
        assert (progress.pages, progress.retries, progress.records, progress.bytes) == (3, 1, 1, 1_234)
        assert (progress.pending, progress.leased, progress.done, progress.dead) == (2, 0, 5, 2)

    async def test_counters_add_up_over_settlements(self, store: CrawlStore) -> None:
        """A link that was retried twice and then fetched counts three attempts."""
        await store.add(new_links(1))
        for outcome in (retry, retry, fetched):
            batch = await lease_one(store)
            await settle_one(store, settlement(batch, outcome(batch.links[0])))
        progress = await store.progress("crawl")
        assert progress.by_outcome == {"retry": 2, "fetched": 1}
        assert progress.by_status == {"503": 2, "200": 1}
        assert (progress.retries, progress.pages, progress.done, progress.finished) == (2, 1, 1, True)
        assert progress.by_reason == {}

    async def test_skipped_links_count_by_their_rule(self, store: CrawlStore) -> None:
        """Beside the URLs that a rule kept out before they became links."""
        await store.add(new_links(2))
        batch = await lease_one(store)
        outcomes = [skipped(link, "robots") for link in batch.links]
        skips = [skipped_link("https://b.example/", "host")]
        await settle_one(store, settlement(batch, *outcomes, skipped=skips))
        progress = await store.progress("crawl")
        assert (progress.skipped, progress.by_rule) == (3, {"robots": 2, "host": 1})
        assert (progress.done, progress.pages) == (2, 0)

    async def test_each_crawl_has_its_own_counters(self, store: CrawlStore) -> None:
        """Also where one settlement ends links of both."""
        await store.create_crawl(crawl("other"))
        await store.add(new_links(2) + new_links(1, crawl_id="other"))
        batch = await lease_one(store, "crawl", "other")
        outcomes = [fetched(link) if link.crawl_id == "crawl" else dead(link) for link in batch.links]
        skips = [skipped_link("https://b.example/", "host", "other")]
        await settle_one(store, settlement(batch, *outcomes, skipped=skips))
        mine, theirs = await store.progress("crawl"), await store.progress("other")
        assert (mine.done, mine.dead, mine.by_outcome, mine.by_rule) == (2, 0, {"fetched": 2}, {})
        assert (theirs.done, theirs.dead, theirs.by_outcome, theirs.skipped) == (0, 1, {"dead": 1}, 1)


class HostCounters(CrawlStoreCase):
    """`hosts`."""

    async def test_what_is_queued_done_and_dead(self, store: CrawlStore) -> None:
        """Leased links are none of these; links that wait for a retry are queued."""
        await store.add(new_links(8))
        batch = await lease_one(store, batch_links=6)
        a, b, c, d, e, _ = batch.links
        outcomes = [
            fetched(a, elapsed=1.0),
            fetched(b, elapsed=2.0),
            fetched(c, elapsed=3.0),
            dead(d, elapsed=6.0),
            retry(e, 60.0, elapsed=8.0),
        ]
        await settle_one(store, settlement(batch, *outcomes))
        await lease_one(store, batch_links=1)
        (host,) = await store.hosts("crawl")
        expected = HostProgress("a.example", 3, 3, 1, mean_elapsed=host.mean_elapsed, state=batch.host)
        assert host == expected
        assert host.mean_elapsed == pytest.approx(4.0)

    async def test_how_long_a_host_still_rests(self, store: CrawlStore, clock: ManualClock) -> None:
        """Whether its delay or a report wants it; 0 from the moment in which it is leased again."""
        await store.update_crawl(crawl(default_delay=2.0))
        await store.add(new_links(3))
        assert (await store.hosts("crawl"))[0].ready_in == 0.0
        batch = await lease_one(store, batch_links=1)
        await settle_one(store, settlement(batch, fetched(batch.links[0])))
        assert (await store.hosts("crawl"))[0].ready_in == pytest.approx(2.0)
        clock.advance(1.5)
        assert (await store.hosts("crawl"))[0].ready_in == pytest.approx(0.5)
        clock.advance(1.0)
        assert (await store.hosts("crawl"))[0].ready_in == 0.0
        batch = await lease_one(store, batch_links=1)
        report = HostReport(rest=120.0)
        await settle_one(store, settlement(batch, retry(batch.links[0]), report=report))
        assert (await store.hosts("crawl"))[0].ready_in == pytest.approx(120.0)

    async def test_a_host_without_a_settled_request(self, store: CrawlStore) -> None:
        """Has no mean yet."""
        await store.add(new_links(2))
        (host,) = await store.hosts("crawl")
        assert (host.queued, host.done, host.dead, host.mean_elapsed) == (2, 0, 0, 0.0)

    async def test_each_crawl_sees_its_own_part(self, store: CrawlStore) -> None:
        """Hosts of other crawls are not listed, and their requests do not count."""
        await store.create_crawl(crawl("other"))
        await store.add(new_links(2) + new_links(1, crawl_id="other") + new_links(1, "b.example", "other"))
        batch = await lease_one(store, "crawl")
        await settle_one(store, settlement(batch, *(fetched(link, elapsed=2.0) for link in batch.links)))
        (mine,) = await store.hosts("crawl")
        assert (mine.queued, mine.done) == (0, 2)
        assert mine.mean_elapsed == pytest.approx(2.0)
        theirs = {host.host: host for host in await store.hosts("other")}
        assert set(theirs) == {"a.example", "b.example"}
        assert (theirs["a.example"].queued, theirs["a.example"].done) == (1, 0)
        assert theirs["a.example"].mean_elapsed == 0.0

    async def test_hosts_with_most_dead_links_come_first_then_the_slowest(self, store: CrawlStore) -> None:
        """And `limit` cuts the list."""
        plan = {
            "quick": (0, 0.1),
            "slow": (0, 5.0),
            "deadly": (3, 0.2),
            "deadlier": (4, 0.1),
            "mixed": (3, 1.0),
        }
        for host in plan:
            await store.add([new_link(f"https://{host}.example/{number}") for number in range(5)])
        for batch in await lease_batches(store):
            deaths, elapsed = plan[batch.host.host.removesuffix(".example")]
            outcomes = [dead(link, elapsed=elapsed) for link in batch.links[:deaths]]
            outcomes += [fetched(link, elapsed=elapsed) for link in batch.links[deaths:]]
            await settle_one(store, settlement(batch, *outcomes))
        names = [host.host.removesuffix(".example") for host in await store.hosts("crawl")]
        assert names == ["deadlier", "mixed", "deadly", "slow", "quick"]
        limited = [host.host for host in await store.hosts("crawl", limit=2)]
        assert limited == ["deadlier.example", "mixed.example"]
