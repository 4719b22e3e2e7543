"""Dedup by a Bloom filter. Needs the flag `filters`; a store without it must refuse such crawls."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio

from crawlmesh.errors import UsageError
from crawlmesh.model.crawl import Crawl, Dedup, FilterStatus
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import all_fetched, crawl, new_link, new_links
from crawlmesh.testing.conformance.crawl_store.case import CrawlStoreCase, lease_one, settle_one, urls_of
from crawlmesh.testing.conformance.crawl_store.random_walk import CRAWLS, MAX_PAGES, Walk
from crawlmesh.testing.invariants import assert_crawl_invariants
from crawlmesh.testing.manual_clock import ManualClock


def filtered_crawl(crawl_id: str = "crawl", **fields: object) -> Crawl:
    """A crawl with a filter that will not err in a test, and grows soon."""
    defaults = {"dedup": Dedup.BLOOM, "filter_capacity": 100, "filter_error_rate": 1e-8}
    return crawl(crawl_id, **(defaults | fields))


async def filter_of(store: CrawlStore, crawl_id: str = "crawl") -> FilterStatus:
    """The filter of a crawl that has one."""
    status = (await store.progress(crawl_id)).filter
    assert status is not None
    return status


class RefusedFilters(CrawlStoreCase):
    """A store that has no filters."""

    async def test_a_crawl_that_wants_a_filter_is_refused(self, store: CrawlStore) -> None:
        """In words that name the setting; and the crawl is not there."""
        if self.filters:
            pytest.skip("this store has filters")
        with pytest.raises(UsageError, match=r'dedup = "bloom".*dedup = "exact"'):
            await store.create_crawl(filtered_crawl("filtered"))
        assert [each.id for each in await store.crawls()] == ["crawl"]


class Filters(CrawlStoreCase):
    """A crawl with a filter."""

    @pytest_asyncio.fixture
    async def filtered(self, clock: ManualClock, tmp_path: Path) -> AsyncIterator[CrawlStore]:
        """A store that knows one crawl with a filter, named "crawl"."""
        if not self.filters:
            pytest.skip("this store has no filters")
        store = await self.open_store(clock, tmp_path)
        await store.create_crawl(filtered_crawl())
        yield store
        await store.aclose()

    async def test_a_known_link_is_not_added_to_a_filter_again(self, filtered: CrawlStore) -> None:
        """Whether it comes twice in one call or in two, or on a page."""
        links = new_links(50)
        assert await filtered.add([*links, *links]) == 50
        assert await filtered.add(links) == 0
        batch = await lease_one(filtered)
        found = [*links, new_link("https://a.example/new")]
        await settle_one(filtered, all_fetched(batch, discovered=[*found, *found]))
        await assert_crawl_invariants(filtered, "crawl", added=51)
        assert urls_of(await lease_one(filtered)) == ["https://a.example/new"]

    async def test_a_filter_grows_before_its_rate_breaks(self, filtered: CrawlStore) -> None:
        """It forgets nothing, always has room for all, and tells what it is like."""
        assert await filter_of(filtered) == FilterStatus(100, 0, 1, (await filter_of(filtered)).bytes, 0.0)
        links = new_links(1_000)
        for start in range(0, 1_000, 100):
            assert await filtered.add(links[start : start + 100]) == 100
            status = await filter_of(filtered)
            assert status.count == start + 100
            assert status.count <= status.capacity
            assert status.error_rate <= 1e-8
        status = await filter_of(filtered)
        assert status.layers > 1
        assert status.bytes > 1_000
        assert 0.0 < status.fill <= 1.0
        assert await filtered.add(links) == 0

    async def test_a_call_that_fills_several_layers(self, filtered: CrawlStore) -> None:
        """A batch may be larger than what is left of a layer."""
        assert await filtered.add(new_links(1_000)) == 1_000
        assert await filtered.add(new_links(1_001)) == 1

    async def test_each_crawl_has_a_filter_of_its_own(self, filtered: CrawlStore) -> None:
        """Or none: exact crawls say so."""
        await filtered.create_crawl(filtered_crawl("other"))
        await filtered.create_crawl(crawl("exact"))
        assert await filtered.add(new_links(5)) == 5
        assert await filtered.add(new_links(4, crawl_id="other")) == 4
        assert await filtered.add(new_links(3, crawl_id="exact")) == 3
        assert [(await filter_of(filtered, name)).count for name in ("crawl", "other")] == [5, 4]
        assert (await filtered.progress("exact")).filter is None

    async def test_a_deleted_crawl_takes_its_filter_along(self, filtered: CrawlStore) -> None:
        """Made again, it knows nothing."""
        await filtered.add(new_links(300))
        await filtered.delete_crawl("crawl")
        await filtered.create_crawl(filtered_crawl())
        assert (await filter_of(filtered)).count == 0
        assert await filtered.add(new_links(300)) == 300

    async def test_the_dedup_of_a_crawl_cannot_change(self, filtered: CrawlStore) -> None:
        """An update leaves it as it was, and with it what is known."""
        await filtered.add(new_links(5))
        await filtered.update_crawl(crawl(max_pages=7))
        (kept,) = await filtered.crawls()
        assert kept == filtered_crawl(max_pages=7)
        assert await filtered.add(new_links(6)) == 1

    async def test_a_link_that_its_template_kept_out_is_not_in_the_filter(self, filtered: CrawlStore) -> None:
        """A raised limit lets it in."""
        await filtered.update_crawl(filtered_crawl(max_pages_per_template=2))
        assert await filtered.add(new_links(5, template=77)) == 2
        assert (await filter_of(filtered)).count == 2
        await filtered.update_crawl(filtered_crawl(max_pages_per_template=4))
        assert await filtered.add(new_links(5, template=77)) == 2

    @pytest.mark.parametrize("seed", range(2))
    async def test_random_walk_with_filters(
        self, filtered: CrawlStore, clock: ManualClock, seed: int
    ) -> None:
        """The rules of the port hold as they do for exact crawls."""
        for crawl_id in CRAWLS:
            await filtered.delete_crawl(crawl_id)
        await filtered.create_crawl(filtered_crawl(filter_capacity=10))
        await filtered.create_crawl(filtered_crawl("other", filter_capacity=10, max_pages=MAX_PAGES))
        await Walk(filtered, clock, seed).run(150)

    async def test_a_filter_is_there_again(
        self, filtered: CrawlStore, clock: ManualClock, tmp_path: Path
    ) -> None:
        """Opened again, the store knows all links that it knew; those that were done, too."""
        if not self.durable:
            pytest.skip("this store keeps nothing when it is closed")
        await filtered.add(new_links(350))
        await settle_one(filtered, all_fetched(await lease_one(filtered)))
        before = await filter_of(filtered)
        await filtered.aclose()
        again = await self.open_store(clock, tmp_path)
        assert await filter_of(again) == before
        assert await again.add(new_links(351)) == 1
        await again.aclose()
