"""Records: one for each link that is done and has one."""

from crawlmesh.model.record import Record
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import (
    all_fetched,
    crawl,
    dead,
    fetched,
    new_link,
    new_links,
    redirected,
    retry,
    returned,
    settlement,
    skipped,
)
from crawlmesh.testing.conformance.crawl_store.case import (
    CrawlStoreCase,
    fetch_everything,
    lease_one,
    settle_one,
)
from crawlmesh.testing.invariants import read_all_records


class Records(CrawlStoreCase):
    """`records`."""

    async def test_a_record_says_where_it_comes_from(self, store: CrawlStore) -> None:
        """Everything that the outcome and the link say of it."""
        url = "https://a.example/x"
        await store.add([new_link(url, depth=2)])
        batch = await lease_one(store)
        data = '{"title":"Füße", "price": 1.50}'.encode()
        outcome = fetched(
            batch.links[0],
            record=data,
            http_status=203,
            final_url="https://a.example/y",
            fetched_at=99.5,
            archive="seg-1:20:300",
        )
        await settle_one(store, settlement(batch, outcome))
        assert await store.records("crawl") == [
            Record(
                link_id=batch.links[0].id,
                url=url,
                final_url="https://a.example/y",
                status=203,
                depth=2,
                fetched_at=99.5,
                data=data,
                archive="seg-1:20:300",
            )
        ]

    async def test_the_final_url_is_the_requested_one_by_default(self, store: CrawlStore) -> None:
        """Which is not the canonical one where a link has another request URL."""
        plain, address = "https://a.example/x", "https://a.example/?b=2&a=1"
        await store.add([new_link(plain), new_link("https://a.example/?a=1&b=2", request_url=address)])
        await fetch_everything(store)
        assert [record.final_url for record in await store.records("crawl")] == [plain, address]

    async def test_only_fetched_links_with_a_record_have_one(self, store: CrawlStore) -> None:
        """Whatever else an outcome carries."""
        await store.add(new_links(7))
        batch = await lease_one(store)
        a, b, c, d, e, f, _ = batch.links
        outcomes = [
            fetched(a),
            fetched(b, record=None),
            redirected(c, "https://a.example/0"),
            skipped(d),
            dead(e),
            retry(f),
        ]
        await settle_one(store, settlement(batch, *outcomes))
        assert [record.link_id for record in await store.records("crawl")] == [a.id]
        assert (await store.progress("crawl")).records == 1

    async def test_a_link_that_is_not_done_has_no_record(self, store: CrawlStore) -> None:
        """Not while it is leased again, nor once it is dead."""
        await store.add(new_links(1))
        for outcome in (retry, returned, dead):
            batch = await lease_one(store)
            assert await store.records("crawl") == []
            await settle_one(store, settlement(batch, outcome(batch.links[0])))
        assert await store.records("crawl") == []

    async def test_records_are_paged_in_the_order_of_link_ids(self, store: CrawlStore) -> None:
        """In whichever order they were settled."""
        await store.add(new_links(10))
        batch = await lease_one(store)
        ids = [link.id for link in batch.links]
        await settle_one(store, settlement(batch, *(fetched(link) for link in batch.links[7:])))
        batch = await lease_one(store)
        await settle_one(store, settlement(batch, *(fetched(link) for link in reversed(batch.links))))
        first = await store.records("crawl", limit=4)
        assert [record.link_id for record in first] == ids[:4]
        second = await store.records("crawl", after=ids[3], limit=4)
        assert [record.link_id for record in second] == ids[4:8]
        third = await store.records("crawl", after=ids[7], limit=4)
        assert [record.link_id for record in third] == ids[8:]
        assert await store.records("crawl", after=ids[9]) == []

    async def test_records_of_other_crawls_are_not_listed(self, store: CrawlStore) -> None:
        """Though their ids lie between."""
        await store.create_crawl(crawl("other"))
        for number in range(6):
            await store.add([new_link(f"https://a.example/{number}", "crawl" if number % 2 else "other")])
        await settle_one(store, all_fetched(await lease_one(store, "crawl", "other")))
        urls = [record.url for record in await store.records("crawl", limit=3)]
        assert urls == ["https://a.example/1", "https://a.example/3", "https://a.example/5"]

    async def test_many_records_can_be_read_through(self, store: CrawlStore) -> None:
        """More than one page of the default size."""
        await store.add([link for host in range(30) for link in new_links(50, f"h{host}.example")])
        await fetch_everything(store)
        assert len(await store.records("crawl")) == 1_000
        assert len(await read_all_records(store, "crawl")) == 1_500
