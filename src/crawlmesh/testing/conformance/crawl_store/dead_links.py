"""Dead links: which there are, and trying some of them again."""

from crawlmesh.model.lease import HostBatch
from crawlmesh.model.record import DeadLink
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import (
    crawl,
    dead,
    fetched,
    fingerprint,
    lease_request,
    new_links,
    retry,
    settlement,
)
from crawlmesh.testing.conformance.crawl_store.case import (
    CrawlStoreCase,
    fetch_everything,
    lease_batches,
    lease_one,
    settle_one,
)
from crawlmesh.testing.conformance.crawl_store.dedup_modes import filtered_crawl
from crawlmesh.testing.invariants import assert_crawl_invariants

_REASONS = ("http_404", "dns", "http_500")


async def urls_of_dead(store: CrawlStore, reason: str | None = None) -> list[str]:
    """The URLs of all dead links, page by page."""
    urls: list[str] = []
    after = 0
    while page := await store.dead_links("crawl", reason, after, 2):
        assert len(page) <= 2
        urls += [link.url for link in page]
        after = page[-1].link_id
    return urls


async def _let_die(store: CrawlStore, batch: HostBatch) -> None:
    """Each link dies, for one of the reasons in turn."""
    await settle_one(
        store,
        settlement(
            batch, *(dead(link, _REASONS[at % 3], fetched_at=7.0) for at, link in enumerate(batch.links))
        ),
    )


class DeadLinks(CrawlStoreCase):
    """`dead_links`."""

    async def test_what_is_told_of_a_dead_link(self, store: CrawlStore) -> None:
        """Its last attempt; what is done or pending is not among them."""
        await store.add(new_links(3))
        batch = await lease_one(store)
        first, second, third = batch.links
        await settle_one(store, settlement(batch, fetched(first), retry(second), retry(third, retry_in=9.0)))
        batch = await lease_one(store)
        await settle_one(
            store, settlement(batch, dead(batch.links[0], "http_500", http_status=500, fetched_at=7.5))
        )
        expected = DeadLink(second.id, second.url, "http_500", 500, 2, 7.5)
        assert await store.dead_links("crawl") == [expected]

    async def test_a_link_without_a_reason(self, store: CrawlStore) -> None:
        """Its reason is unknown, as in the counters, and it is found by that."""
        await store.add(new_links(1))
        batch = await lease_one(store)
        await settle_one(store, settlement(batch, dead(batch.links[0], reason=None, http_status=None)))  # type: ignore[arg-type]
        (link,) = await store.dead_links("crawl", "unknown")
        assert (link.reason, link.http_status) == ("unknown", None)
        assert await store.dead_links("crawl", "http_404") == []
        assert (await store.progress("crawl")).by_reason == {"unknown": 1}
        assert await store.retry_dead("crawl", "unknown") == 1

    async def test_dead_links_come_in_pages(self, store: CrawlStore) -> None:
        """In the order of their ids, over all hosts, however they died; also those of one reason."""
        links = [link for host in ("a.example", "b.example", "c.example") for link in new_links(5, host)]
        await store.add(links)
        for batch in reversed(await lease_batches(store)):
            await _let_die(store, batch)
        assert sorted(await urls_of_dead(store)) == sorted(link.url for link in links)
        ids = [link.link_id for link in await store.dead_links("crawl")]
        assert ids == sorted(ids)
        wanted = {f"https://{host}.example/{page}" for host in "abc" for page in (1, 4)}
        assert set(await urls_of_dead(store, "dns")) == wanted
        assert await urls_of_dead(store, "no such reason") == []
        assert await store.dead_links("crawl", limit=0) == []

    async def test_dead_links_of_others(self, store: CrawlStore) -> None:
        """Each crawl has its own; an unknown one has none."""
        await store.create_crawl(crawl("other"))
        await store.add(new_links(2, crawl_id="other"))
        await _let_die(store, await lease_one(store, "other"))
        assert await store.dead_links("crawl") == []
        assert len(await store.dead_links("other")) == 2
        assert await store.dead_links("nobody") == []
        await store.delete_crawl("other")
        await store.create_crawl(crawl("other"))
        assert await store.dead_links("other") == []

    async def test_links_that_are_visited_again_are_not_dead(self, store: CrawlStore) -> None:
        """After a recrawl all are pending, and those that die again are dead once."""
        await store.add(new_links(3))
        await _let_die(store, await lease_one(store))
        await store.recrawl("crawl")
        assert await store.dead_links("crawl") == []
        batch = await lease_one(store)
        await settle_one(store, settlement(batch, fetched(batch.links[0]), *map(dead, batch.links[1:])))
        assert await urls_of_dead(store) == ["https://a.example/1", "https://a.example/2"]

    async def test_dead_links_of_a_crawl_with_a_filter(self, store: CrawlStore) -> None:
        """Links that are done may be forgotten, dead ones are not."""
        if not self.filters:
            return
        await store.create_crawl(filtered_crawl("filtered"))
        await store.add(new_links(6, crawl_id="filtered"))
        batch = await lease_one(store, "filtered")
        ends = [dead(link) if at % 2 else fetched(link) for at, link in enumerate(batch.links)]
        await settle_one(store, settlement(batch, *ends))
        found = await store.dead_links("filtered", "http_404")
        assert [link.url for link in found] == [f"https://a.example/{page}" for page in (1, 3, 5)]
        named = [fingerprint(f"https://a.example/{page}") for page in (0, 1, 9)]
        assert await store.retry_dead("filtered", fingerprints=named) == 1
        assert await store.retry_dead("filtered") == 2
        await fetch_everything(store, "filtered")
        assert (await store.progress("filtered")).done == 6


class RetryingSome(CrawlStoreCase):
    """`retry_dead` with conditions."""

    async def test_those_of_a_reason(self, store: CrawlStore) -> None:
        """The others stay dead; counters say so, those of hosts too."""
        await store.add(new_links(4) + new_links(3, "b.example"))
        for batch in await lease_batches(store):
            await _let_die(store, batch)
        assert await store.retry_dead("crawl", "http_404") == 3
        progress = await store.progress("crawl")
        assert (progress.pending, progress.dead) == (3, 4)
        assert progress.by_reason == {"dns": 2, "http_500": 2}
        hosts = {host.host: (host.queued, host.dead) for host in await store.hosts("crawl")}
        assert hosts == {"a.example": (2, 2), "b.example": (1, 2)}
        assert await urls_of_dead(store, "http_404") == []
        batches = (await store.lease(lease_request())).batches
        again = sorted((link.url, link.attempt) for batch in batches for link in batch.links)
        assert again == [("https://a.example/0", 1), ("https://a.example/3", 1), ("https://b.example/0", 1)]
        await assert_crawl_invariants(store, "crawl", added=7)

    async def test_those_that_are_named(self, store: CrawlStore) -> None:
        """What is not dead, not known, or named twice does not count; both conditions must hold."""
        await store.add(new_links(5))
        batch = await lease_one(store)
        first, *others = batch.links
        await settle_one(
            store,
            settlement(
                batch, fetched(first), *(dead(link, _REASONS[at]) for at, link in enumerate(others[:3]))
            ),
        )
        named = [fingerprint(f"https://a.example/{page}") for page in (0, 1, 2, 2, 4, 9)]
        assert await store.retry_dead("crawl", fingerprints=[]) == 0
        assert await store.retry_dead("crawl", "dns", named) == 1
        assert await store.retry_dead("crawl", fingerprints=named) == 1
        assert await urls_of_dead(store) == ["https://a.example/3"]
        progress = await store.progress("crawl")
        assert (progress.pending, progress.dead, progress.by_reason) == (3, 1, {"http_500": 1})
        await assert_crawl_invariants(store, "crawl", added=5)

    async def test_a_link_that_dies_again(self, store: CrawlStore) -> None:
        """Is dead once, for its new reason."""
        await store.add(new_links(1))
        await _let_die(store, await lease_one(store))
        for _ in range(2):
            assert await store.retry_dead("crawl") == 1
            batch = await lease_one(store)
            await settle_one(store, settlement(batch, dead(batch.links[0], "tls")))
            assert [link.reason for link in await store.dead_links("crawl")] == ["tls"]
            assert (await store.progress("crawl")).by_reason == {"tls": 1}

    async def test_no_links_died_for_that(self, store: CrawlStore) -> None:
        """Nothing changes."""
        await store.add(new_links(2))
        await _let_die(store, await lease_one(store))
        before = await store.progress("crawl")
        assert await store.retry_dead("crawl", "tls") == 0
        assert await store.progress("crawl") == before
