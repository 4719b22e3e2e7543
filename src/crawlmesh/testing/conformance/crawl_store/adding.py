"""Adding links: dedup, identity, order."""

import pytest

from crawlmesh.errors import UnknownCrawlError
from crawlmesh.model.link import LinkState
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import (
    all_fetched,
    crawl,
    fetched,
    fingerprint,
    new_link,
    new_links,
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
    urls_of,
)


class Adding(CrawlStoreCase):
    """`add`, and the discovered links of `settle`."""

    async def test_add_counts_what_is_new(self, store: CrawlStore) -> None:
        """The second time nothing is."""
        assert await store.add(new_links(3)) == 3
        assert await store.add(new_links(5)) == 2
        assert await store.add(new_links(5)) == 0
        progress = await store.progress("crawl")
        assert (progress.pending, progress.added) == (5, 5)
        assert not progress.finished

    async def test_adding_nothing_is_fine(self, store: CrawlStore) -> None:
        """And changes nothing."""
        assert await store.add([]) == 0
        assert await store.add((), ()) == 0
        assert (await store.progress("crawl")).added == 0

    async def test_a_url_twice_in_one_call_is_one_link(self, store: CrawlStore) -> None:
        """The first one stays as it is."""
        url = "https://a.example/x"
        assert await store.add([new_link(url, depth=1, priority=3), new_link(url, depth=9, priority=9)]) == 1
        (link,) = (await lease_one(store)).links
        assert (link.depth, link.priority) == (1, 3)

    async def test_a_url_in_two_calls_is_one_link(self, store: CrawlStore) -> None:
        """The first one stays as it is."""
        url = "https://a.example/x"
        assert await store.add([new_link(url, depth=1, priority=3)]) == 1
        assert await store.add([new_link(url, depth=0, priority=10)]) == 0
        (link,) = (await lease_one(store)).links
        assert (link.depth, link.priority) == (1, 3)

    async def test_a_url_in_two_crawls_is_two_links(self, store: CrawlStore) -> None:
        """With different ids and counters of their own."""
        await store.create_crawl(crawl("other"))
        url = "https://a.example/x"
        assert await store.add([new_link(url), new_link(url, "other")]) == 2
        batch = await lease_one(store, "crawl", "other")
        assert {link.crawl_id for link in batch.links} == {"crawl", "other"}
        assert len({link.id for link in batch.links}) == 2
        await settle_one(store, settlement(batch, fetched(batch.links[0])))
        assert (await store.progress(batch.links[0].crawl_id)).done == 1
        assert (await store.progress(batch.links[1].crawl_id)).pending == 1

    async def test_a_leased_link_is_not_added_again(self, store: CrawlStore) -> None:
        """Neither while its lease lives nor by the settlement itself."""
        await store.add(new_links(1))
        batch = await lease_one(store)
        assert await store.add(new_links(1)) == 0
        await settle_one(store, all_fetched(batch, discovered=new_links(1)))
        progress = await store.progress("crawl")
        assert (progress.added, progress.done) == (1, 1)

    async def test_a_done_link_is_not_added_again(self, store: CrawlStore) -> None:
        """Its page may link to itself and to others that are done."""
        await store.add(new_links(3))
        await fetch_everything(store)
        await store.add([new_link("https://a.example/last")])
        await settle_one(store, all_fetched(await lease_one(store), discovered=new_links(4)))
        progress = await store.progress("crawl")
        assert (progress.added, progress.done, progress.pending) == (5, 4, 1)

    async def test_discovered_links_are_added(self, store: CrawlStore) -> None:
        """Also to hosts that nobody met before, and once where two settlements bring the same."""
        await store.add([new_link("https://a.example/"), new_link("https://b.example/")])
        batches = await lease_batches(store)
        found = [new_link("https://a.example/x"), new_link("https://c.example/")]
        assert await store.settle([all_fetched(batch, discovered=found) for batch in batches]) == [True, True]
        progress = await store.progress("crawl")
        assert (progress.done, progress.pending) == (2, 2)
        assert sorted(urls_of(*await lease_batches(store))) == ["https://a.example/x", "https://c.example/"]

    async def test_ids_grow_with_discovery(self, store: CrawlStore) -> None:
        """They are positive, and unique over all crawls."""
        await store.create_crawl(crawl("other"))
        await store.add(new_links(3))
        await store.add(new_links(2, crawl_id="other"))
        await store.add(new_links(5))
        batch = await lease_one(store, "crawl", "other")
        ids = {(link.crawl_id, link.url): link.id for link in batch.links}
        discovery = [*new_links(3), *new_links(2, crawl_id="other"), *new_links(5)[3:]]
        in_order = [ids[link.crawl_id, link.url] for link in discovery]
        assert in_order == sorted(set(in_order))
        assert in_order[0] > 0

    async def test_an_unknown_crawl_adds_nothing(self, store: CrawlStore) -> None:
        """Not even the links of the known crawl beside it."""
        known, unknown = new_link("https://a.example/1"), new_link("https://a.example/2", "unknown")
        before = await snapshot(store, [known.url, unknown.url])
        with pytest.raises(UnknownCrawlError):
            await store.add([known, unknown])
        with pytest.raises(UnknownCrawlError):
            await store.add([known], [skipped_link("https://a.example/3", crawl_id="unknown")])
        assert await snapshot(store, [known.url, unknown.url]) == before

    async def test_a_leased_link_says_what_was_added(self, store: CrawlStore) -> None:
        """Everything that a worker needs comes back."""
        url, address = "https://a.example/?a=1&b=2", "https://a.example/?b=2&a=1"
        plain = new_link("https://a.example/plain")
        await store.add([new_link(url, depth=3, priority=7, request_url=address, redirects=2), plain])
        first, second = (await lease_one(store)).links
        assert (first.crawl_id, first.url, first.depth, first.priority) == ("crawl", url, 3, 7)
        assert (first.request_url, first.address, first.redirects, first.attempt) == (address, address, 2, 1)
        assert (first.etag, first.last_modified) == (None, None)
        assert (second.request_url, second.address, second.redirects) == (None, plain.url, 0)

    async def test_five_thousand_links_in_one_call(self, store: CrawlStore) -> None:
        """Added, leased and settled in three calls."""
        links = [link for host in range(50) for link in new_links(100, f"h{host}.example")]
        assert await store.add(links) == 5_000
        batches = await lease_batches(store, max_links=5_000, max_batches=50, batch_links=100)
        assert sum(len(batch.links) for batch in batches) == 5_000
        found = [new_link(f"https://new.example/{number}") for number in range(5_000)]
        settlements = [
            all_fetched(batch, discovered=found[index * 100 : index * 100 + 100])
            for index, batch in enumerate(batches)
        ]
        assert all(await store.settle(settlements))
        progress = await store.progress("crawl")
        assert (progress.done, progress.records, progress.pending) == (5_000, 5_000, 5_000)


class Skipping(CrawlStoreCase):
    """URLs that a rule kept out."""

    async def test_a_skipped_url_counts_once(self, store: CrawlStore) -> None:
        """However often it is found, in one call or in two; in each crawl for itself."""
        await store.create_crawl(crawl("other"))
        skip = skipped_link("https://a.example/x", "depth")
        assert await store.add([], [skip, skip, skipped_link("https://a.example/y", "pattern")]) == 0
        await store.add([], [skip, skipped_link("https://a.example/x", "depth", "other")])
        progress = await store.progress("crawl")
        assert (progress.skipped, progress.added) == (2, 0)
        assert progress.by_rule == {"depth": 1, "pattern": 1}
        assert (await store.progress("other")).by_rule == {"depth": 1}

    async def test_a_settlement_brings_skips(self, store: CrawlStore) -> None:
        """They are counted as those of `add` are."""
        await store.add(new_links(1), [skipped_link("https://b.example/", "host")])
        skips = [skipped_link("https://b.example/", "host"), skipped_link("https://c.example/", "host")]
        await settle_one(store, all_fetched(await lease_one(store), skipped=skips))
        progress = await store.progress("crawl")
        assert (progress.skipped, progress.by_rule) == (2, {"host": 2})

    async def test_a_skipped_url_may_become_a_link(self, store: CrawlStore) -> None:
        """Found again by a shorter way it passes the depth rule."""
        url = "https://a.example/x"
        await store.add([], [skipped_link(url, "depth", depth=4)])
        assert await store.add([new_link(url, depth=2)]) == 1
        entry = await store.explain("crawl", fingerprint(url))
        assert entry is not None
        assert (entry.state, entry.depth) == (LinkState.PENDING, 2)

    async def test_a_link_stays_a_link_when_it_is_skipped_elsewhere(self, store: CrawlStore) -> None:
        """The ledger goes on showing the link."""
        url = "https://a.example/x"
        await store.add([new_link(url, depth=2)])
        await store.add([], [skipped_link(url, "depth", depth=4)])
        entry = await store.explain("crawl", fingerprint(url))
        assert entry is not None
        assert (entry.state, entry.depth) == (LinkState.PENDING, 2)
        assert urls_of(await lease_one(store)) == [url]


class TemplateLimit(CrawlStoreCase):
    """`max_pages_per_template`."""

    async def test_links_over_the_limit_are_skipped(self, store: CrawlStore) -> None:
        """They do not count as new; the ledger names the rule."""
        await store.update_crawl(crawl(max_pages_per_template=2))
        assert await store.add(new_links(5, template=77)) == 2
        progress = await store.progress("crawl")
        assert (progress.pending, progress.skipped, progress.by_rule) == (2, 3, {"template": 3})
        entry = await store.explain("crawl", fingerprint("https://a.example/4"))
        assert entry is not None
        assert (entry.state, entry.rule) == (None, "template")

    async def test_the_limit_holds_over_calls(self, store: CrawlStore) -> None:
        """In `add` and in `settle`, and a URL that is skipped twice counts once."""
        await store.update_crawl(crawl(max_pages_per_template=3))
        assert await store.add(new_links(2, template=77)) == 2
        batch = await lease_one(store)
        await settle_one(store, all_fetched(batch, discovered=new_links(5, template=77)))
        assert await store.add(new_links(5, template=77)) == 0
        progress = await store.progress("crawl")
        assert (progress.added, progress.by_rule) == (3, {"template": 2})

    async def test_duplicates_do_not_use_up_the_limit(self, store: CrawlStore) -> None:
        """Only new links count."""
        await store.update_crawl(crawl(max_pages_per_template=2))
        link, other = new_links(2, template=77)
        assert await store.add([link, link, link]) == 1
        assert await store.add([link, other]) == 1
        assert (await store.progress("crawl")).skipped == 0

    async def test_each_template_of_each_crawl_has_its_own_count(self, store: CrawlStore) -> None:
        """Links without a template (0) are not counted at all."""
        await store.update_crawl(crawl(max_pages_per_template=1))
        await store.create_crawl(crawl("other", max_pages_per_template=1))
        largest = 2**63 - 1
        assert await store.add([new_link("https://a.example/p", template=1)]) == 1
        assert await store.add([new_link("https://a.example/q", template=largest)]) == 1
        assert await store.add([new_link("https://a.example/p", "other", template=1)]) == 1
        assert await store.add(new_links(9, template=0)) == 9
        assert await store.add([new_link("https://a.example/r", template=largest)]) == 0

    async def test_a_raised_limit_lets_more_in(self, store: CrawlStore) -> None:
        """Also those that it kept out before."""
        await store.update_crawl(crawl(max_pages_per_template=1))
        assert await store.add(new_links(3, template=77)) == 1
        await store.update_crawl(crawl(max_pages_per_template=2))
        assert await store.add(new_links(3, template=77)) == 1
