import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import pytest
import pytest_asyncio

from crawlmesh.adapters.postgres.crawl_store import PostgresCrawlStore
from crawlmesh.adapters.postgres.crawl_store.database import Database
from crawlmesh.adapters.postgres.crawl_store.session import Session
from crawlmesh.adapters.postgres.crawl_store.tables import CRAWL_TABLES
from crawlmesh.errors import StoreCorruptError, StoreError, UnknownCrawlError
from crawlmesh.testing.builders import (
    all_fetched,
    crawl,
    fetched,
    fingerprint,
    lease_request,
    new_link,
    new_links,
    settlement,
    skipped_link,
)
from crawlmesh.testing.invariants import assert_crawl_invariants


@pytest_asyncio.fixture
async def store(postgres_dsn: str) -> AsyncIterator[PostgresCrawlStore]:
    store = await PostgresCrawlStore.open(postgres_dsn)
    await store.create_crawl(crawl())
    yield store
    await store.aclose()


async def run(dsn: str, statement: str) -> Any:
    connection = await asyncpg.connect(dsn)
    try:
        return await connection.fetchval(statement)
    finally:
        await connection.close()


async def test_many_that_open_a_new_database_at_once_lay_its_tables_once(postgres_dsn: str) -> None:
    stores = await asyncio.gather(*(PostgresCrawlStore.open(postgres_dsn) for _ in range(5)))
    assert await stores[0].create_crawl(crawl())
    assert [row.id for row in await stores[4].crawls()] == ["crawl"]
    assert await run(postgres_dsn, "SELECT count(*) FROM crawl_store.about") == 1
    for opened in stores:
        await opened.aclose()


async def test_tables_of_another_version_are_refused(postgres_dsn: str) -> None:
    await (await PostgresCrawlStore.open(postgres_dsn)).aclose()
    await run(postgres_dsn, "UPDATE crawl_store.about SET version = 99")
    with pytest.raises(StoreCorruptError, match="another version of Crawlmesh \\(schema 99"):
        await PostgresCrawlStore.open(postgres_dsn)


async def test_the_tables_lie_beside_others_of_the_same_name(postgres_dsn: str) -> None:
    await run(postgres_dsn, "CREATE TABLE public.links (theirs integer)")
    store = await PostgresCrawlStore.open(postgres_dsn)
    await store.create_crawl(crawl())
    assert await store.add(new_links(2)) == 2
    assert await run(postgres_dsn, "SELECT count(*) FROM public.links") == 0
    await store.aclose()


async def test_a_server_that_is_away_is_named_without_its_password() -> None:
    with pytest.raises(
        StoreError, match=r"The PostgreSQL server at 127\.0\.0\.1:1/crawls does not answer"
    ) as raised:
        await PostgresCrawlStore.open("postgresql://me:secret@127.0.0.1:1/crawls")
    assert "secret" not in str(raised.value)


@pytest.mark.parametrize("dsn", ["nonsense", "postgresql://127.0.0.1:port/x", "mysql://127.0.0.1/x"])
async def test_an_address_that_is_none_is_refused(dsn: str) -> None:
    with pytest.raises(StoreError, match="PostgreSQL"):
        await PostgresCrawlStore.open(dsn)


async def test_an_unknown_database_is_named(postgres_dsn: str) -> None:
    with pytest.raises(StoreError, match=r"nowhere.* cannot be used.* does not exist"):
        await PostgresCrawlStore.open(postgres_dsn.rpartition("/")[0] + "/nowhere")


async def test_a_closed_store_says_so(store: PostgresCrawlStore) -> None:
    await store.aclose()
    with pytest.raises(StoreError, match="pool is closed"):
        await store.progress("crawl")


async def test_connections_that_were_cut_while_idle_do_not_matter(
    store: PostgresCrawlStore, postgres_dsn: str
) -> None:
    await asyncio.gather(*(store.progress("crawl") for _ in range(5)))
    cut = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'crawlmesh'"
    assert await run(postgres_dsn, cut) > 0
    assert await store.add(new_links(3)) == 3


async def test_its_time_is_that_of_the_server(store: PostgresCrawlStore, postgres_dsn: str) -> None:
    before = await run(postgres_dsn, "SELECT extract(epoch FROM clock_timestamp())::double precision")
    await store.add(new_links(1))
    (batch,) = (await store.lease(lease_request(duration=1_000.0))).batches
    after = await run(postgres_dsn, "SELECT extract(epoch FROM clock_timestamp())::double precision")
    assert before + 1_000.0 <= batch.expires_at <= after + 1_000.0


async def test_a_transaction_that_others_got_in_the_way_of_is_repeated(store: PostgresCrawlStore) -> None:
    failures = [asyncpg.DeadlockDetectedError("deadlock"), asyncpg.SerializationError("too late")]

    async def work(session: Session) -> Any:
        if failures:
            raise failures.pop()
        return await session.one("SELECT 7")

    assert await database_of(store).transact(work) == 7


async def test_an_error_of_the_server_becomes_one_of_the_store(store: PostgresCrawlStore) -> None:
    with pytest.raises(StoreError, match="cannot be used: division by zero"):
        await database_of(store).transact(lambda session: session.one("SELECT 1 / 0"))


async def test_texts_that_the_server_refuses_are_stored_all_the_same(store: PostgresCrawlStore) -> None:
    odd = "https://a.example/\0\ud800"
    link = new_link("https://a.example/")
    skip = skipped_link("https://a.example/skipped", rule="depth", parent_id=1)
    await store.add([link], [skip])
    (batch,) = (await store.lease(lease_request())).batches
    outcome = fetched(batch.links[0], etag="\0", final_url=odd, reason=odd, last_modified="\ud800")
    assert await store.settle([settlement(batch, outcome)]) == [True]
    entry = await store.explain("crawl", link.fingerprint)
    assert entry is not None
    assert entry.final_url == "https://a.example/\N{REPLACEMENT CHARACTER}?"


async def test_a_host_name_may_be_longer_than_an_index_allows(store: PostgresCrawlStore) -> None:
    url = f"https://{'a.' * 5_000}example/"
    assert await store.add([new_link(url)]) == 1
    (batch,) = (await store.lease(lease_request())).batches
    assert await store.settle([all_fetched(batch)]) == [True]
    target = "https://b.example/" + "x" * 10_000
    await store.add([new_link("https://b.example/")])
    (batch,) = (await store.lease(lease_request())).batches
    moved = fetched(batch.links[0], final_url=target)
    assert await store.settle([settlement(batch, moved)]) == [True]
    assert await store.explain("crawl", fingerprint(url)) is not None


async def test_numbers_that_the_server_does_not_have_are_refused_as_fences(store: PostgresCrawlStore) -> None:
    await store.add(new_links(1))
    (batch,) = (await store.lease(lease_request())).batches
    impossible = settlement(batch, *all_fetched(batch).outcomes)
    for fence in (2**63, 2**200, -(2**70)):
        assert await store.settle([type(impossible)(fence, impossible.outcomes)]) == [False]


async def test_the_number_of_statements_does_not_grow_with_the_batch(
    store: PostgresCrawlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    statements: Counter[str] = Counter()
    for name in ("fetch", "one", "run", "write_rows"):
        monkeypatch.setattr(Session, name, _counted(getattr(Session, name), statements))
    needed = []
    for number, size in enumerate((2, 60)):
        await store.add(new_links(size, f"host-{number}.example"))
        statements.clear()
        (batch,) = (await store.lease(lease_request(batch_links=size))).batches
        found = [new_link(f"https://found-{number}.example/{page}") for page in range(size * 10)]
        skips = [skipped_link(f"https://skipped-{number}.example/{page}") for page in range(size)]
        assert await store.settle([all_fetched(batch, discovered=found, skipped=skips)]) == [True]
        needed.append(statements.total())
        await store.expire(everything=True)
        for rest in (await store.lease(lease_request())).batches:
            await store.settle([all_fetched(rest)])
    assert needed[0] == needed[1] < 25


async def test_whole_crawls_are_started_again_beside_work_on_other_crawls(store: PostgresCrawlStore) -> None:
    await store.create_crawl(crawl("other"))
    for crawl_id in ("crawl", "other"):
        for number in range(5):
            await store.add(new_links(5, f"h{number}.example", crawl_id))

    async def work() -> None:
        while not (await store.progress("other")).finished:
            grant = await store.lease(lease_request("other", batch_links=1))
            assert all(await store.settle([all_fetched(batch) for batch in grant.batches]))

    async def start_again() -> None:
        for _ in range(5):
            grant = await store.lease(lease_request("crawl", batch_links=3))
            assert all(await store.settle([all_fetched(batch) for batch in grant.batches]))
            await store.recrawl("crawl")
            await store.retry_dead("crawl")

    await asyncio.gather(work(), work(), start_again())
    await assert_crawl_invariants(store, "crawl", added=25, recrawled=True)
    await assert_crawl_invariants(store, "other", added=25)


async def test_nothing_is_left_of_crawls_that_are_deleted_and_created_again_under_work(
    store: PostgresCrawlStore, postgres_dsn: str
) -> None:
    async def work() -> None:
        for number in range(25):
            try:
                await store.add(new_links(5, f"h{number % 5}.example"))
                grant = await store.lease(lease_request(max_batches=2))
                found = new_links(10, f"h{number % 3}.example")
                await store.settle([all_fetched(batch, discovered=found) for batch in grant.batches])
            except UnknownCrawlError:
                continue

    async def replace() -> None:
        for _ in range(15):
            await store.delete_crawl("crawl")
            await store.create_crawl(crawl())

    await asyncio.gather(work(), work(), replace(), replace())
    await assert_crawl_invariants(store, "crawl")
    await store.delete_crawl("crawl")
    small = [f"{table}_small" for table in CRAWL_TABLES]
    for table in ("shares", "counters", "deferred", "leases", *small):
        assert await run(postgres_dsn, f"SELECT count(*) FROM crawl_store.{table}") == 0, table
    assert await run(postgres_dsn, "SELECT sum(used) + sum(leases) FROM crawl_store.hosts") == 0


def database_of(store: PostgresCrawlStore) -> Database:
    return store._database


def _counted(method: Any, statements: Counter[str]) -> Any:
    async def counted(self: Session, statement: str, *values: Any) -> Any:
        statements[statement] += 1
        return await method(self, statement, *values)

    return counted
