"""Revisiting: trying dead links again, and crawling everything again."""

from crawlmesh.model.link import LinkState
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import (
    crawl,
    dead,
    fetched,
    fingerprint,
    new_link,
    new_links,
    not_modified,
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
    urls_of,
)
from crawlmesh.testing.invariants import assert_crawl_invariants


class RetryingDead(CrawlStoreCase):
    """`retry_dead`."""

    async def test_dead_links_are_pending_again(self, store: CrawlStore) -> None:
        """Their attempts start again at 1; the done ones stay done."""
        await store.add(new_links(3))
        batch = await lease_one(store)
        a, b, c = batch.links
        await settle_one(store, settlement(batch, fetched(a), retry(b), retry(c)))
        batch = await lease_one(store)
        await settle_one(store, settlement(batch, *(dead(link) for link in batch.links)))
        assert await store.retry_dead("crawl") == 2
        progress = await store.progress("crawl")
        assert (progress.pending, progress.done, progress.dead, progress.by_reason) == (2, 1, 0, {})
        again = await lease_one(store)
        assert [(link.id, link.attempt) for link in again.links] == [(b.id, 1), (c.id, 1)]

    async def test_nothing_is_dead(self, store: CrawlStore) -> None:
        """Nothing changes."""
        await store.add(new_links(1))
        before = await store.progress("crawl")
        assert await store.retry_dead("crawl") == 0
        assert await store.progress("crawl") == before

    async def test_dead_links_of_other_crawls_stay_dead(self, store: CrawlStore) -> None:
        """Also on the same host."""
        await store.create_crawl(crawl("other"))
        await store.add(new_links(1) + new_links(1, crawl_id="other"))
        batch = await lease_one(store, "crawl", "other")
        await settle_one(store, settlement(batch, *(dead(link) for link in batch.links)))
        assert await store.retry_dead("crawl") == 1
        assert (await store.progress("other")).dead == 1


class Recrawling(CrawlStoreCase):
    """`recrawl`."""

    async def _crawl_once(self, store: CrawlStore) -> None:
        await store.add(new_links(2), [skipped_link("https://b.example/", "host")])
        batch = await lease_one(store)
        a, b = batch.links
        tagged = fetched(a, etag='"v1"', last_modified="Thu, 01 Jan 1970 00:00:00 GMT")
        await settle_one(store, settlement(batch, tagged, retry(b)))
        batch = await lease_one(store)
        await settle_one(store, settlement(batch, dead(batch.links[0])))

    async def test_everything_is_pending_again(self, store: CrawlStore) -> None:
        """Counters of attempts and skips start at zero; records stay."""
        await self._crawl_once(store)
        assert await store.recrawl("crawl") == 2
        progress = await store.progress("crawl")
        assert (progress.pending, progress.leased, progress.done, progress.dead) == (2, 0, 0, 0)
        assert (progress.pages, progress.bytes, progress.retries, progress.skipped) == (0, 0, 0, 0)
        assert progress.by_outcome == progress.by_status == progress.by_rule == progress.by_reason == {}
        assert progress.records == 1
        assert len(await store.records("crawl")) == 1
        assert [link.attempt for link in (await lease_one(store)).links] == [1, 1]

    async def test_the_answer_counts_all_that_is_pending(self, store: CrawlStore) -> None:
        """Also what was pending before; leased links stay leased and can be settled."""
        await store.add(new_links(2))
        await fetch_everything(store)
        await store.add(new_links(3, "b.example"))
        batch = await lease_one(store, batch_links=2)
        assert await store.recrawl("crawl") == 3
        progress = await store.progress("crawl")
        assert (progress.pending, progress.leased) == (3, 2)
        await settle_one(store, settlement(batch, *(fetched(link) for link in batch.links)))
        await assert_crawl_invariants(store, "crawl", added=5, recrawled=True)

    async def test_validators_come_back(self, store: CrawlStore) -> None:
        """Those of the copy that the store holds, also after a page was found unchanged."""
        await self._crawl_once(store)
        for _ in range(2):
            await store.recrawl("crawl")
            batch = await lease_one(store)
            first, second = batch.links
            assert (first.etag, first.last_modified) == ('"v1"', "Thu, 01 Jan 1970 00:00:00 GMT")
            assert (second.etag, second.last_modified) == (None, None)
            await settle_one(store, settlement(batch, not_modified(first), dead(second)))

    async def test_a_changed_page_replaces_its_record_and_validators(self, store: CrawlStore) -> None:
        """There is still one."""
        await self._crawl_once(store)
        await store.recrawl("crawl")
        batch = await lease_one(store)
        changed = fetched(batch.links[0], record=b'{"title":"New"}', etag='"v2"')
        await settle_one(store, settlement(batch, changed))
        (record,) = await store.records("crawl")
        assert bytes(record.data) == b'{"title":"New"}'
        assert (await store.progress("crawl")).records == 1
        await store.recrawl("crawl")
        assert (await lease_one(store)).links[0].etag == '"v2"'

    async def test_an_unchanged_page_keeps_its_record(self, store: CrawlStore) -> None:
        """It counts as a page."""
        await self._crawl_once(store)
        before = await store.records("crawl")
        await store.recrawl("crawl")
        batch = await lease_one(store)
        await settle_one(store, settlement(batch, *(not_modified(link) for link in batch.links)))
        assert await store.records("crawl") == before
        progress = await store.progress("crawl")
        assert (progress.records, progress.pages, progress.done) == (1, 2, 2)
        entry = await store.explain("crawl", fingerprint("https://a.example/0"))
        assert entry is not None
        assert (entry.state, entry.outcome, entry.has_record) == (LinkState.DONE, "not_modified", True)

    async def test_a_page_that_was_never_changed_is_visited_again(self, store: CrawlStore) -> None:
        """Some servers answer 304 to whoever comes for the first time."""
        await store.add(new_links(1))
        batch = await lease_one(store)
        await settle_one(store, settlement(batch, not_modified(batch.links[0])))
        assert await store.recrawl("crawl") == 1
        assert len((await lease_one(store)).links) == 1

    async def test_a_page_that_died_loses_its_record(self, store: CrawlStore) -> None:
        """A record exists only for a link that is done."""
        await self._crawl_once(store)
        await store.recrawl("crawl")
        batch = await lease_one(store)
        await settle_one(store, settlement(batch, *(dead(link) for link in batch.links)))
        assert await store.records("crawl") == []
        assert (await store.progress("crawl")).records == 0
        await assert_crawl_invariants(store, "crawl", added=2)

    async def test_the_budget_starts_again(self, store: CrawlStore) -> None:
        """Pages of the earlier round do not count."""
        await store.update_crawl(crawl(max_pages=3))
        await store.add(new_links(5))
        await fetch_everything(store)
        await store.recrawl("crawl")
        assert len((await lease_one(store)).links) == 3

    async def test_templates_start_again(self, store: CrawlStore) -> None:
        """As many new links of a template may come as in the first round."""
        await store.update_crawl(crawl(max_pages_per_template=2))
        await store.add(new_links(2, template=7))
        await fetch_everything(store)
        assert await store.add([new_link("https://a.example/more", template=7)]) == 0
        await store.recrawl("crawl")
        later = [new_link(f"https://a.example/later/{number}", template=7) for number in range(3)]
        assert await store.add(later) == 2
        assert (await store.progress("crawl")).by_rule == {"template": 1}

    async def test_skips_are_counted_again(self, store: CrawlStore) -> None:
        """A URL that was skipped in the first round counts once in the second."""
        await self._crawl_once(store)
        await store.recrawl("crawl")
        for _ in range(2):
            await store.add([], [skipped_link("https://b.example/", "host")])
        progress = await store.progress("crawl")
        assert (progress.skipped, progress.by_rule) == (1, {"host": 1})

    async def test_known_links_are_not_added_again(self, store: CrawlStore) -> None:
        """Dedup holds over rounds, and ids stay."""
        await store.add(new_links(3))
        first = await lease_one(store)
        await settle_one(store, settlement(first, *(fetched(link) for link in first.links)))
        await store.recrawl("crawl")
        assert await store.add(new_links(3)) == 0
        assert [link.id for link in (await lease_one(store)).links] == [link.id for link in first.links]

    async def test_other_crawls_are_left_alone(self, store: CrawlStore) -> None:
        """Also on the same host."""
        await store.create_crawl(crawl("other"))
        await store.add(new_links(2) + new_links(2, crawl_id="other"))
        await fetch_everything(store, "crawl", "other")
        before = await store.progress("other")
        await store.recrawl("crawl")
        assert await store.progress("other") == before
        batches = await lease_batches(store, "crawl", "other")
        assert {link.crawl_id for batch in batches for link in batch.links} == {"crawl"}

    async def test_an_empty_crawl(self, store: CrawlStore) -> None:
        """Has nothing to revisit."""
        assert await store.recrawl("crawl") == 0
        assert urls_of(*await lease_batches(store)) == []

    async def test_round_after_round(self, store: CrawlStore) -> None:
        """The invariants hold at the end of each."""
        await store.add(new_links(5, "a.example") + new_links(5, "b.example"))
        for _ in range(3):
            await fetch_everything(store)
            await assert_crawl_invariants(store, "crawl", added=10)
            assert await store.recrawl("crawl") == 10
