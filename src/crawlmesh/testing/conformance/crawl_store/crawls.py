"""Crawls: making them known, changing and forgetting them."""

import pytest

from crawlmesh.errors import UnknownCrawlError
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import (
    all_fetched,
    crawl,
    fetched,
    fingerprint,
    new_link,
    new_links,
    settlement,
)
from crawlmesh.testing.conformance.crawl_store.case import (
    CrawlStoreCase,
    fetch_everything,
    lease_nothing,
    lease_one,
    settle_one,
    urls_of,
)


class Crawls(CrawlStoreCase):
    """`create_crawl`, `update_crawl`, `crawls`, `delete_crawl`."""

    async def test_crawls_are_listed_oldest_first(self, store: CrawlStore) -> None:
        """In the order of their creation, with everything they were created with."""
        second = crawl("a second", created_at=2.0, definition=b'{"seeds":[]}', max_pages=7)
        third = crawl(
            "another third", created_at=3.0, max_pages_per_template=3, default_delay=1.5, default_slots=2
        )
        assert await store.create_crawl(second)
        assert await store.create_crawl(third)
        assert await store.crawls() == [crawl(), second, third]

    async def test_a_known_crawl_is_not_created_again(self, store: CrawlStore) -> None:
        """It says False and leaves the crawl and its links alone."""
        await store.add(new_links(2))
        assert not await store.create_crawl(crawl(max_pages=1))
        assert await store.crawls() == [crawl()]
        assert (await store.progress("crawl")).pending == 2

    async def test_a_new_crawl_is_empty(self, store: CrawlStore) -> None:
        """All counters are zero and nothing is left to do."""
        progress = await store.progress("crawl")
        assert progress.added == 0
        assert progress.finished
        assert progress.by_outcome == progress.by_status == progress.by_rule == progress.by_reason == {}
        assert await store.hosts("crawl") == []
        assert await store.records("crawl") == []

    async def test_update_replaces_limits_and_defaults(self, store: CrawlStore) -> None:
        """They are listed and used from then on, for hosts that are met from then on."""
        await store.add([new_link("https://old.example/")])
        changed = crawl(max_pages=10, max_pages_per_template=5, default_delay=2.0, default_slots=1)
        await store.update_crawl(changed)
        assert await store.crawls() == [changed]
        await store.add([new_link("https://new.example/")])
        delays = {host.host: host.state.delay for host in await store.hosts("crawl")}
        assert delays == {"old.example": 0.0, "new.example": 2.0}

    async def test_an_unknown_crawl_cannot_be_updated(self, store: CrawlStore) -> None:
        """Nor is it created by it."""
        with pytest.raises(UnknownCrawlError):
            await store.update_crawl(crawl("unknown"))
        assert await store.crawls() == [crawl()]

    async def test_an_unknown_crawl_has_no_progress(self, store: CrawlStore) -> None:
        """Asking for it is an error, while lists of it are empty."""
        with pytest.raises(UnknownCrawlError):
            await store.progress("unknown")
        assert await store.hosts("unknown") == []
        assert await store.records("unknown") == []
        assert await store.explain("unknown", fingerprint("https://a.example/")) is None

    async def test_a_deleted_crawl_is_forgotten(self, store: CrawlStore) -> None:
        """With its links, records and ledger."""
        await store.add(new_links(3))
        await fetch_everything(store)
        await store.add([new_link("https://a.example/pending")])
        await store.delete_crawl("crawl")
        assert await store.crawls() == []
        with pytest.raises(UnknownCrawlError):
            await store.progress("crawl")
        assert await store.records("crawl") == []
        assert await store.explain("crawl", fingerprint("https://a.example/0")) is None
        await lease_nothing(store)

    async def test_deleting_an_unknown_crawl_is_fine(self, store: CrawlStore) -> None:
        """Also twice."""
        await store.delete_crawl("unknown")
        await store.delete_crawl("crawl")
        await store.delete_crawl("crawl")

    async def test_a_deleted_crawl_can_be_created_afresh(self, store: CrawlStore) -> None:
        """Nothing of the old one shines through."""
        await store.add(new_links(3))
        await fetch_everything(store)
        await store.delete_crawl("crawl")
        assert await store.create_crawl(crawl())
        assert (await store.progress("crawl")).added == 0
        assert await store.add(new_links(3)) == 3
        assert [link.attempt for link in (await lease_one(store)).links] == [1, 1, 1]

    async def test_deleting_ends_the_leases_of_a_crawl(self, store: CrawlStore) -> None:
        """A settlement that comes later is refused, and the host is free for other crawls."""
        await store.create_crawl(crawl("other"))
        await store.add([new_link("https://a.example/1"), new_link("https://a.example/2", "other")])
        batch = await lease_one(store, "crawl")
        await store.delete_crawl("crawl")
        assert await store.settle([all_fetched(batch)]) == [False]
        assert urls_of(await lease_one(store, "other")) == ["https://a.example/2"]

    async def test_deleting_leaves_a_shared_lease_to_the_other_crawl(self, store: CrawlStore) -> None:
        """What the settlement says of the forgotten crawl is passed over."""
        await store.create_crawl(crawl("other"))
        await store.add([new_link("https://a.example/1"), new_link("https://a.example/2", "other")])
        batch = await lease_one(store, "crawl", "other")
        assert len(batch.links) == 2
        await store.delete_crawl("crawl")
        found = [new_link("https://a.example/3"), new_link("https://a.example/3", "other")]
        outcomes = [fetched(link) for link in batch.links]
        await settle_one(store, settlement(batch, *outcomes, discovered=found))
        progress = await store.progress("other")
        assert (progress.done, progress.pending, progress.records) == (1, 1, 1)
        assert [row.id for row in await store.crawls()] == ["other"]

    async def test_other_crawls_survive_a_deletion(self, store: CrawlStore) -> None:
        """Also where they have the same URLs."""
        await store.create_crawl(crawl("other"))
        await store.add(new_links(3) + new_links(3, crawl_id="other"))
        await fetch_everything(store, "crawl", "other")
        await store.delete_crawl("crawl")
        assert (await store.progress("other")).done == 3
        assert len(await store.records("other")) == 3
