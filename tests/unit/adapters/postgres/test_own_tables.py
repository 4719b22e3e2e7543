import asyncio
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from crawlmesh.adapters.postgres.crawl_store import PostgresCrawlStore
from crawlmesh.adapters.postgres.crawl_store.own_tables import give_own_tables
from crawlmesh.adapters.postgres.crawl_store.tables import CRAWL_TABLES
from crawlmesh.errors import UnknownCrawlError
from crawlmesh.model.outcome import OutcomeKind
from crawlmesh.testing.builders import (
    all_fetched,
    crawl,
    dead,
    fetched,
    fingerprint,
    lease_request,
    new_link,
    new_links,
    retry,
    settlement,
    skipped_link,
)
from crawlmesh.testing.conformance.crawl_store.case import snapshot
from crawlmesh.testing.invariants import assert_crawl_invariants
from crawlmesh.testing.manual_clock import ManualClock

LARGE = 100

_REFUSE_DELETES = """
CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN RAISE EXCEPTION 'rows are deleted'; END $$;
"""


@pytest_asyncio.fixture
async def store(postgres_dsn: str) -> AsyncIterator[PostgresCrawlStore]:
    store = await PostgresCrawlStore.open(postgres_dsn, ManualClock(), own_tables_from=LARGE)
    await store.create_crawl(crawl())
    yield store
    await store.aclose()


@pytest_asyncio.fixture
async def sql(postgres_dsn: str) -> AsyncIterator[asyncpg.Connection]:
    connection = await asyncpg.connect(postgres_dsn, server_settings={"search_path": "crawl_store"})
    yield connection
    await connection.close()


async def own_tables(sql: asyncpg.Connection) -> int:
    statement = "SELECT count(*) FROM pg_tables WHERE schemaname = 'crawl_store' AND tablename ~ '_[0-9]+$'"
    return int(await sql.fetchval(statement))


async def rows_in_small_tables(sql: asyncpg.Connection) -> int:
    return sum([await sql.fetchval(f"SELECT count(*) FROM {table}_small") for table in CRAWL_TABLES])


async def move(store: PostgresCrawlStore, crawl_id: str = "crawl") -> None:
    await store._database.transact(lambda session: give_own_tables(session, crawl_id))


async def fill(store: PostgresCrawlStore, crawl_id: str = "crawl") -> list[str]:
    """Something in each of the tables. Returns the URLs."""
    await store.add(
        new_links(20, crawl_id=crawl_id, template=3),
        [skipped_link("https://a.example/no", "depth", crawl_id)],
    )
    (batch,) = (await store.lease(lease_request(crawl_id, batch_links=4))).batches
    first, second, third, fourth = batch.links
    ends = fetched(first), dead(second), retry(third), retry(fourth, 60.0)
    assert await store.settle([settlement(batch, *ends)]) == [True]
    return [f"https://a.example/{page}" for page in [*range(20), "no"]]


async def test_a_crawl_that_grows_large_moves(store: PostgresCrawlStore, sql: asyncpg.Connection) -> None:
    await store.add(new_links(LARGE - 1))
    assert await own_tables(sql) == 0
    await store.add(new_links(LARGE + 20))
    assert await own_tables(sql) == len(CRAWL_TABLES)
    assert await rows_in_small_tables(sql) == 0
    await assert_crawl_invariants(store, "crawl", added=LARGE + 20)


async def test_a_crawl_moves_by_what_its_pages_bring(
    store: PostgresCrawlStore, sql: asyncpg.Connection
) -> None:
    await store.add(new_links(10))
    while not await own_tables(sql):
        (batch,) = (await store.lease(lease_request(batch_links=1))).batches
        found = [new_link(f"{batch.links[0].url}/{page}") for page in range(30)]
        assert await store.settle([all_fetched(batch, discovered=found)]) == [True]
    added = (await store.progress("crawl")).added
    assert LARGE <= added < LARGE + 40
    await assert_crawl_invariants(store, "crawl", added=added)


async def test_many_links_at_once_go_into_own_tables_without_a_move(
    store: PostgresCrawlStore, sql: asyncpg.Connection
) -> None:
    await sql.execute(_REFUSE_DELETES + _trigger("links_small", "INSERT"))
    assert await store.add(new_links(LARGE)) == LARGE
    assert await sql.fetchval("SELECT count(*) FROM links_1") == LARGE


async def test_nothing_changes_by_a_move(store: PostgresCrawlStore) -> None:
    urls = await fill(store)
    before = await snapshot(store, urls)
    await move(store)
    assert await snapshot(store, urls) == before
    assert before.progress.by_outcome == {OutcomeKind.FETCHED: 1, OutcomeKind.DEAD: 1, OutcomeKind.RETRY: 2}
    await move(store)  # has its tables already
    await move(store, "nobody")
    assert await snapshot(store, urls) == before


async def test_leases_outlive_a_move(store: PostgresCrawlStore) -> None:
    await store.add(new_links(10))
    (batch,) = (await store.lease(lease_request(batch_links=5))).batches
    await move(store)
    assert await store.settle([all_fetched(batch, discovered=new_links(12))]) == [True]
    assert await store.settle([all_fetched(batch)]) == [False]
    await assert_crawl_invariants(store, "crawl", added=12)


async def test_a_large_crawl_is_deleted_without_deleting_its_rows(
    store: PostgresCrawlStore, sql: asyncpg.Connection
) -> None:
    await fill(store)
    await move(store)
    await sql.execute(_REFUSE_DELETES + "".join(_trigger(f"{table}_1", "DELETE") for table in CRAWL_TABLES))
    await store.delete_crawl("crawl")
    assert await own_tables(sql) == 0
    for table in ("crawls", "shares", "counters", "deferred", "leases"):
        assert await sql.fetchval(f"SELECT count(*) FROM {table}") == 0, table
    assert await store.create_crawl(crawl())
    assert await store.add(new_links(3)) == 3


async def test_a_crawl_that_is_too_large_to_move_stays(
    store: PostgresCrawlStore, postgres_dsn: str, sql: asyncpg.Connection
) -> None:
    """One that an older version filled: moving it would keep its workers waiting."""
    await store.add(new_links(LARGE - 1))
    other = await PostgresCrawlStore.open(postgres_dsn, ManualClock(), own_tables_from=5)
    await other.add(new_links(LARGE + 3))
    assert await own_tables(sql) == 0
    await other.aclose()


async def test_links_of_large_and_small_crawls_go_out_in_one_order(store: PostgresCrawlStore) -> None:
    await store.create_crawl(crawl("large"))
    await store.create_crawl(crawl("limited", max_pages=2))
    await move(store, "large")
    ids = ("crawl", "large", "limited")
    urls = [f"https://a.example/{page}" for page in range(12)]
    for page, url in enumerate(urls):
        await store.add([new_link(url, ids[page % 3], priority=5 if page < 9 else 6)])
    (batch,) = (await store.lease(lease_request(*ids, max_links=7))).batches
    expected = [9, 10, 11, 0, 1, 2, 3]  # 11 and 2 are all that the third crawl may spend
    assert [link.url for link in batch.links] == [urls[page] for page in expected]
    assert await store.settle([all_fetched(batch)]) == [True]
    (batch,) = (await store.lease(lease_request(*ids))).batches
    assert [link.url for link in batch.links] == [urls[page] for page in (4, 6, 7)]
    assert await store.settle([all_fetched(batch, discovered=[new_link(urls[0], "large")])]) == [True]
    for crawl_id, added in zip(ids, (4, 5, 4), strict=True):
        await assert_crawl_invariants(store, crawl_id, added=added)


async def test_revisits_of_large_and_small_crawls_carry_their_validators(store: PostgresCrawlStore) -> None:
    await store.create_crawl(crawl("large"))
    await move(store, "large")
    await store.add(new_links(2) + new_links(2, crawl_id="large"))
    (batch,) = (await store.lease(lease_request("crawl", "large"))).batches
    tagged = [fetched(link, etag=f"{link.crawl_id} {link.url}") for link in batch.links]
    assert await store.settle([settlement(batch, *tagged)]) == [True]
    for crawl_id in ("crawl", "large"):
        assert await store.recrawl(crawl_id) == 2
    (batch,) = (await store.lease(lease_request("crawl", "large"))).batches
    assert [link.etag for link in batch.links] == [f"{link.crawl_id} {link.url}" for link in batch.links]
    assert len(batch.links) == 4


async def test_a_crawl_is_read_and_worked_on_while_it_moves(store: PostgresCrawlStore) -> None:
    await store.add(new_links(60))
    moved = asyncio.Event()

    async def read() -> None:
        while not moved.is_set():
            assert await store.explain("crawl", fingerprint("https://a.example/7")) is not None
            progress = await store.progress("crawl")
            assert len(await store.records("crawl")) >= progress.records

    async def work() -> None:
        while not moved.is_set():
            for batch in (await store.lease(lease_request(batch_links=2))).batches:
                assert await store.settle([all_fetched(batch, discovered=new_links(70))]) == [True]

    async def move_it() -> None:
        while (await store.progress("crawl")).done < 10:
            await asyncio.sleep(0)
        await move(store)
        while (await store.progress("crawl")).done < 30:
            await asyncio.sleep(0)
        moved.set()

    await asyncio.gather(read(), work(), move_it())
    await assert_crawl_invariants(store, "crawl", added=70)


async def test_large_crawls_are_deleted_under_work(
    store: PostgresCrawlStore, sql: asyncpg.Connection
) -> None:
    async def work() -> None:
        for number in range(25):
            try:
                await store.add(new_links(LARGE + number, f"h{number % 5}.example"))
                grant = await store.lease(lease_request(max_batches=2))
                found = new_links(10, f"h{number % 3}.example")
                await store.settle([all_fetched(batch, discovered=found) for batch in grant.batches])
                await store.records("crawl")
                await store.explain("crawl", fingerprint("https://h1.example/1"))
            except UnknownCrawlError:
                continue

    async def replace() -> None:
        for _ in range(10):
            await store.delete_crawl("crawl")
            await store.create_crawl(crawl())

    await asyncio.gather(work(), work(), replace())
    await assert_crawl_invariants(store, "crawl")
    await store.delete_crawl("crawl")
    assert await own_tables(sql) == 0
    assert await sql.fetchval("SELECT coalesce(sum(used) + sum(leases), 0) FROM hosts") == 0


async def test_a_server_that_refuses_new_tables_does_not_stop_the_crawl(
    store: PostgresCrawlStore, sql: asyncpg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    await store.add(new_links(LARGE - 1))

    async def refuse(*_: Any, **__: Any) -> None:
        raise asyncpg.InsufficientPrivilegeError("permission denied for schema crawl_store")

    monkeypatch.setattr("crawlmesh.adapters.postgres.crawl_store.crawl_store.give_own_tables", refuse)
    assert await store.add(new_links(LARGE + 20)) == 21
    assert await own_tables(sql) == 0


def _trigger(table: str, event: str) -> str:
    return f"CREATE TRIGGER refuse BEFORE {event} ON {table} EXECUTE FUNCTION refuse();"
