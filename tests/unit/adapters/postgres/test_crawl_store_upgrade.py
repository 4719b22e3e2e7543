from pathlib import Path

import asyncpg
import pytest

from crawlmesh.adapters.postgres.crawl_store import PostgresCrawlStore
from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.model.host import HostState
from crawlmesh.model.lease import LeaseRequest, Settlement
from crawlmesh.model.link import LeasedLink, LinkState
from crawlmesh.testing.builders import crawl, dead, fetched, fingerprint, lease_request, new_links
from crawlmesh.testing.invariants import assert_crawl_invariants, read_all_records
from crawlmesh.testing.manual_clock import ManualClock

OLD_STORE = Path(__file__).with_name("crawl_store_schema_1.sql")
EXPECTED = crawl("old", max_pages=50, max_pages_per_template=3, default_slots=6)
PROGRESS = CrawlProgress(
    pending=1,
    leased=2,
    done=1,
    dead=1,
    records=1,
    bytes=100,
    skipped=3,
    retries=1,
    pages=1,
    by_outcome={"dead": 1, "fetched": 1, "retry": 1},
    by_status={"200": 1, "404": 1, "503": 1},
    by_rule={"robots": 1, "template": 2},
    by_reason={"http_404": 1},
)


@pytest.fixture
async def old_dsn(postgres_dsn: str) -> str:
    connection = await asyncpg.connect(postgres_dsn)
    await connection.execute(OLD_STORE.read_text())
    await connection.close()
    return postgres_dsn


async def test_everything_is_there_after_the_upgrade(old_dsn: str) -> None:
    for _ in range(2):  # the second time there is nothing to do
        store = await PostgresCrawlStore.open(old_dsn, ManualClock())
        assert await store.crawls() == [EXPECTED]
        assert await store.progress("old") == PROGRESS
        (record,) = await read_all_records(store, "old")
        assert (record.link_id, record.url) == (1, "https://a.example/0")
        states = {
            url: entry.state
            for url in (f"https://{host}.example/{page}" for host in "ab" for page in range(5))
            if (entry := await store.explain("old", fingerprint(url))) is not None
        }
        assert states == {
            "https://a.example/0": LinkState.DONE,
            "https://a.example/1": LinkState.DEAD,
            "https://a.example/2": LinkState.PENDING,
            "https://a.example/3": None,
            "https://a.example/4": None,
            "https://b.example/0": LinkState.LEASED,
            "https://b.example/1": LinkState.LEASED,
        }
        assert [host.host for host in await store.all_hosts()] == ["a.example", "b.example"]
        assert [link.url for link in await store.dead_links("old", "http_404")] == ["https://a.example/1"]
        await assert_crawl_invariants(store, "old", added=5)
        await store.aclose()


async def test_the_crawl_goes_on_where_it_stood(old_dsn: str) -> None:
    clock = ManualClock()
    store = await PostgresCrawlStore.open(old_dsn, clock)
    assert await store.add(new_links(5, "a.example", "old") + new_links(2, "b.example", "old")) == 2
    leased = [LeasedLink(number, "old", f"https://b.example/{number - 6}", 0, 5, 1) for number in (6, 7)]
    assert await store.settle([Settlement(2, [fetched(link) for link in leased])]) == [True]
    clock.advance(6.0)
    (batch,) = (await store.lease(lease_request("old"))).batches
    assert batch.fence > 2
    assert batch.host == HostState("a.example", slots=6, exclusive=False)
    waited, *new = batch.links
    assert (waited.id, waited.attempt) == (3, 2)
    assert min(link.id for link in new) > 7
    await store.settle([Settlement(batch.fence, [fetched(link) for link in batch.links])])
    await assert_crawl_invariants(store, "old", added=7)
    entry = await store.explain("old", fingerprint("https://a.example/2"))
    assert entry is not None
    assert [attempt.kind for attempt in entry.attempts] == ["retry", "fetched"]
    await store.aclose()


async def test_an_old_crawl_moves_into_tables_of_its_own(old_dsn: str) -> None:
    store = await PostgresCrawlStore.open(old_dsn, ManualClock(), own_tables_from=6)
    assert await store.add(new_links(9, "c.example", "old")) == 9
    connection = await asyncpg.connect(old_dsn)
    assert await connection.fetchval("SELECT count(*) FROM crawl_store.links_1") == 14
    assert await connection.fetchval("SELECT count(*) FROM crawl_store.links_small") == 0
    await connection.close()
    progress = await store.progress("old")
    assert (progress.pending, progress.leased, progress.done, progress.dead) == (10, 2, 1, 1)
    await assert_crawl_invariants(store, "old", added=14)
    await store.expire(everything=True)
    grant = await store.lease(LeaseRequest("node", ("old",), max_links=100))
    assert sorted(len(batch.links) for batch in grant.batches) == [2, 9]
    await store.delete_crawl("old")
    assert await store.crawls() == []
    await store.aclose()


async def test_dead_links_of_the_second_version_are_found_by_indexes(postgres_dsn: str) -> None:
    store = await PostgresCrawlStore.open(postgres_dsn, ManualClock(), own_tables_from=6)
    for crawl_id, links in (("small", 3), ("large", 9)):
        await store.create_crawl(crawl(crawl_id))
        await store.add(new_links(links, crawl_id=crawl_id))
        (batch,) = (await store.lease(lease_request(crawl_id))).batches
        await store.settle([Settlement(batch.fence, [dead(link) for link in batch.links])])
    await store.aclose()
    connection = await asyncpg.connect(postgres_dsn)
    new = await _indexes(connection)
    assert len(new) == 4
    for index in new:
        await connection.execute(f"DROP INDEX crawl_store.{index}")
    await connection.execute("UPDATE crawl_store.about SET version = 2")
    store = await PostgresCrawlStore.open(postgres_dsn, ManualClock())
    assert await _indexes(connection) == new
    await connection.close()
    assert len(await store.dead_links("small")) == 3
    assert len(await store.dead_links("large", "http_404", limit=7)) == 7
    await store.aclose()


async def _indexes(connection: asyncpg.Connection) -> list[str]:
    """The names of those that are about dead links."""
    rows = await connection.fetch(
        "SELECT indexname FROM pg_indexes WHERE schemaname = 'crawl_store'"
        " AND indexdef LIKE '%dead%' ORDER BY indexname"
    )
    return [row[0] for row in rows]
