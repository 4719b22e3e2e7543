"""How much is handed out: the limits of a request and the budget of a crawl."""

from crawlmesh.model.lease import HostBatch
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import (
    all_fetched,
    crawl,
    dead,
    fetched,
    new_link,
    new_links,
    not_modified,
    redirected,
    retry,
    settlement,
    skipped,
)
from crawlmesh.testing.conformance.crawl_store.case import (
    CrawlStoreCase,
    fetch_everything,
    lease_batches,
    lease_nothing,
    lease_one,
    settle_one,
)


def count_links(batches: tuple[HostBatch, ...]) -> int:
    """How many links batches hold together."""
    return sum(len(batch.links) for batch in batches)


class RequestLimits(CrawlStoreCase):
    """`max_links`, `max_batches` and `batch_links`."""

    async def test_max_links_counts_over_all_batches(self, store: CrawlStore) -> None:
        """The last batch is cut short."""
        for host in ("a.example", "b.example", "c.example"):
            await store.add(new_links(4, host))
        assert count_links(await lease_batches(store, max_links=6)) == 6
        assert (await store.progress("crawl")).leased == 6

    async def test_max_batches(self, store: CrawlStore) -> None:
        """The other hosts stay for the next request."""
        for number in range(5):
            await store.add(new_links(2, f"h{number}.example"))
        first = await lease_batches(store, max_batches=3)
        second = await lease_batches(store, max_batches=3)
        assert (len(first), len(second)) == (3, 2)
        assert len({batch.host.host for batch in first + second}) == 5

    async def test_batch_links(self, store: CrawlStore) -> None:
        """No batch is larger, however many links its host has."""
        await store.add(new_links(10, "a.example") + new_links(2, "b.example"))
        batches = await lease_batches(store, batch_links=4)
        assert {batch.host.host: len(batch.links) for batch in batches} == {"a.example": 4, "b.example": 2}

    async def test_no_batch_is_empty(self, store: CrawlStore) -> None:
        """Hosts without a link for the request are left out."""
        await store.create_crawl(crawl("other"))
        await store.add(new_links(1, "a.example") + new_links(1, "b.example", "other"))
        assert count_links((await lease_one(store, "crawl"),)) == 1


class PageBudget(CrawlStoreCase):
    """`max_pages`: pages + leased stays at or below it."""

    async def _with_budget(self, store: CrawlStore, max_pages: int, links: int = 20) -> None:
        await store.update_crawl(crawl(max_pages=max_pages))
        await store.add([new_link(f"https://h{number % 5}.example/{number}") for number in range(links)])

    async def test_no_more_is_leased_than_the_budget(self, store: CrawlStore) -> None:
        """Exact over several leases that are out at once."""
        await self._with_budget(store, 7)
        first = await lease_batches(store, max_links=3)
        second = await lease_batches(store)
        assert (count_links(first), count_links(second)) == (3, 4)
        await lease_nothing(store)
        assert all(await store.settle([all_fetched(batch) for batch in first + second]))
        await lease_nothing(store)
        progress = await store.progress("crawl")
        assert (progress.pages, progress.done, progress.pending) == (7, 7, 13)

    async def test_fetching_stops_at_the_budget(self, store: CrawlStore) -> None:
        """Round after round."""
        await self._with_budget(store, 11)
        await fetch_everything(store)
        assert (await store.progress("crawl")).pages == 11

    async def test_what_is_no_page_gives_its_budget_back(self, store: CrawlStore) -> None:
        """Retried, redirected, skipped, dead and returned links; fetched and unmodified ones do not."""
        await self._with_budget(store, 7, links=0)
        await store.add(new_links(20))
        batch = await lease_one(store)
        a, b, c, d, e, f, _ = batch.links
        found = [new_link("https://a.example/target")]
        outcomes = [retry(a), redirected(b, found[0].url), skipped(c), dead(d), fetched(e), not_modified(f)]
        await settle_one(store, settlement(batch, *outcomes, discovered=found))
        assert (await store.progress("crawl")).pages == 2
        assert len((await lease_one(store)).links) == 5

    async def test_an_expired_lease_gives_its_budget_back(self, store: CrawlStore) -> None:
        """Its links are not out any more."""
        await self._with_budget(store, 4)
        assert count_links(await lease_batches(store)) == 4
        await store.expire(everything=True)
        assert count_links(await lease_batches(store)) == 4

    async def test_a_raised_budget_lets_more_out(self, store: CrawlStore) -> None:
        """And None takes it away."""
        await self._with_budget(store, 2)
        await fetch_everything(store)
        await store.update_crawl(crawl(max_pages=5))
        assert count_links(await lease_batches(store)) == 3
        await store.update_crawl(crawl(max_pages=None))
        await store.expire(everything=True)
        await fetch_everything(store)
        assert (await store.progress("crawl")).done == 20

    async def test_a_lowered_budget_takes_nothing_back(self, store: CrawlStore) -> None:
        """What is out may be settled; nothing more goes out."""
        await self._with_budget(store, 5)
        batches = await lease_batches(store)
        await store.update_crawl(crawl(max_pages=1))
        await lease_nothing(store)
        assert all(await store.settle([all_fetched(batch) for batch in batches]))
        await lease_nothing(store)
        assert (await store.progress("crawl")).pages == 5

    async def test_a_spent_budget_does_not_hold_up_another_crawl(self, store: CrawlStore) -> None:
        """Not even where both wait for the same host."""
        await store.create_crawl(crawl("other"))
        await store.update_crawl(crawl(max_pages=1))
        await store.add(new_links(3, priority=10) + new_links(3, crawl_id="other"))
        batch = await lease_one(store, "crawl", "other")
        assert [link.crawl_id for link in batch.links] == ["crawl", "other", "other", "other"]

    async def test_budgets_hold_in_a_shared_batch(self, store: CrawlStore) -> None:
        """Each crawl gives what it may."""
        await store.create_crawl(crawl("other", max_pages=1))
        await store.update_crawl(crawl(max_pages=2))
        await store.add(new_links(5) + new_links(5, crawl_id="other"))
        batch = await lease_one(store, "crawl", "other")
        assert sorted(link.crawl_id for link in batch.links) == ["crawl", "crawl", "other"]
