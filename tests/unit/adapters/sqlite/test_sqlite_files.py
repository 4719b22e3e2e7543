import sqlite3
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from crawlmesh.adapters.sqlite import SqliteCrawlStore
from crawlmesh.errors import StoreCorruptError, StoreError, StoreFullError, UnknownCrawlError
from crawlmesh.model.host import HostLimits
from crawlmesh.testing.builders import (
    all_fetched,
    crawl,
    dead,
    fetched,
    lease_request,
    new_link,
    new_links,
    settlement,
)
from crawlmesh.testing.invariants import assert_crawl_invariants, read_all_records
from crawlmesh.testing.manual_clock import ManualClock


@asynccontextmanager
async def _opened(path: Path) -> AsyncIterator[SqliteCrawlStore]:
    store = await SqliteCrawlStore.open(path, ManualClock())
    try:
        yield store
    finally:
        await store.aclose()


def _write(path: Path, content: bytes) -> None:
    path.write_bytes(content)


def _damage(path: Path) -> None:
    """Overwrite all but the first page."""
    content = path.read_bytes()
    _write(path, content[:8192] + b"\xaa" * (len(content) - 8192))


def _make_folder(path: Path) -> None:
    path.mkdir()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "crawl.db"


async def test_a_file_of_another_version_is_refused_and_left_alone(path: Path) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("PRAGMA user_version = 99")
        connection.execute("CREATE TABLE precious (x)")
    connection.close()
    with pytest.raises(StoreCorruptError, match=r"another version of Crawlmesh \(schema 99.*--fresh"):
        await SqliteCrawlStore.open(path, ManualClock())
    with sqlite3.connect(path) as connection:
        assert connection.execute("SELECT name FROM sqlite_master").fetchall() == [("precious",)]
    connection.close()


@pytest.mark.parametrize("version", [1, 2])
async def test_a_file_of_an_earlier_version_is_brought_up_to_date(
    path: Path, tmp_path: Path, version: int
) -> None:
    async with _opened(path) as store:
        await store.create_crawl(crawl())
        await store.add(new_links(5))
        (batch,) = (await store.lease(lease_request())).batches
        first, second, *_ = batch.links
        await store.settle([settlement(batch, dead(first), fetched(second))])
    _make_earlier_version(path, version)
    reader = await SqliteCrawlStore.open_to_read(path, ManualClock())
    assert (await reader.progress("crawl")).pending == 3
    await reader.aclose()
    async with _opened(path) as store:
        await store.limit_host("a.example", HostLimits(slots=1))
        (batch,) = (await store.lease(lease_request())).batches
        assert (batch.slots, len(batch.links)) == (1, 3)
        assert [link.url for link in await store.dead_links("crawl")] == [first.url]
        assert await store.retry_dead("crawl", "http_404") == 1
    async with _opened(tmp_path / "new.db"):
        pass
    assert _tables(path) == _tables(tmp_path / "new.db")


def _make_earlier_version(path: Path, version: int) -> None:
    connection = sqlite3.connect(path)
    connection.executescript(
        """
        DROP INDEX outcomes_dead; DROP INDEX outcomes_dead_reason;
        ALTER TABLE outcomes DROP COLUMN dead_in;
        PRAGMA user_version = 2;
        """
    )
    if version == 1:
        _make_first_version(connection)
    connection.close()


def _make_first_version(connection: sqlite3.Connection) -> None:
    connection.executescript(
        """
        DROP INDEX host_progress_host; DROP INDEX hosts_ready; DROP TABLE host_limits;
        ALTER TABLE hosts DROP COLUMN blocked;
        CREATE INDEX hosts_ready ON hosts (ready_at)
        WHERE queued > 0 AND used < slots AND (leases = 0 OR exclusive = 0);
        PRAGMA user_version = 1;
        """
    )


def _tables(path: Path) -> dict[str, object]:
    """Columns by table, texts of indexes, and the version."""
    connection = sqlite3.connect(path)
    names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
    found: dict[str, object] = {
        name: connection.execute(
            f"SELECT name, type, \"notnull\" FROM pragma_table_info('{name}')"
        ).fetchall()
        for name in names
    }
    indexes = connection.execute("SELECT name, sql FROM sqlite_master WHERE type = 'index' ORDER BY name")
    found["indexes"] = [(name, " ".join((sql or "").split())) for name, sql in indexes]
    found["version"] = connection.execute("PRAGMA user_version").fetchone()
    connection.close()
    return found


async def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    _write(path, b"this is no database at all, " * 500)
    with pytest.raises(StoreCorruptError, match=f"{path} is not a readable Crawlmesh database"):
        await SqliteCrawlStore.open(path, ManualClock())


async def test_a_damaged_database_is_refused_with_a_sentence(path: Path) -> None:
    async with _opened(path) as store:
        await store.create_crawl(crawl())
        await store.add(new_links(2_000))
    _damage(path)
    with pytest.raises(StoreCorruptError, match="--fresh"):
        async with _opened(path) as store:
            await store.lease(lease_request())


async def test_a_folder_in_place_of_the_file_is_refused(path: Path) -> None:
    _make_folder(path)
    with pytest.raises(StoreError, match=f"The database {path} cannot be used"):
        await SqliteCrawlStore.open(path, ManualClock())


async def test_a_full_disk_keeps_what_was_committed(path: Path) -> None:
    async with _opened(path) as store:
        await store.create_crawl(crawl())
        await store.add(new_links(50))
        (batch,) = (await store.lease(lease_request())).batches
        await store.settle([all_fetched(batch)])
        before = await store.progress("crawl")
        pages = store._session.one("PRAGMA page_count")
        store._session.one(f"PRAGMA max_page_count = {pages + 2}")
        with pytest.raises(StoreFullError, match=f"disk that holds {path} is full.*same command again"):
            await store.add([new_link(f"https://b.example/{number}") for number in range(5_000)])
        with pytest.raises(StoreFullError):
            await store.progress("crawl")
    async with _opened(path) as store:
        assert await store.progress("crawl") == before
        assert len(await read_all_records(store, "crawl")) == 50
        await assert_crawl_invariants(store, "crawl", added=50)
        assert await store.add([new_link("https://b.example/0")]) == 1


async def test_known_urls_and_leases_are_read_again(path: Path) -> None:
    async with _opened(path) as store:
        await store.create_crawl(crawl(max_pages_per_template=1))
        await store.add([*new_links(10), new_link("https://t.example/1", template=7)])
        (batch, *_) = (await store.lease(lease_request())).batches
        fence = batch.fence
    async with _opened(path) as store:
        assert await store.add(new_links(11)) == 1
        assert await store.add([new_link("https://t.example/2", template=7)]) == 0
        assert (await store.progress("crawl")).by_rule == {"template": 1}
        assert await store.settle([all_fetched(batch)]) == [True]
        later = (await store.lease(lease_request())).batches
        assert all(batch.fence > fence for batch in later)


async def test_fences_grow_over_restarts_when_all_leases_have_ended(path: Path) -> None:
    fences = []
    for _ in range(3):
        async with _opened(path) as store:
            await store.create_crawl(crawl())
            await store.add(new_links(1))
            (batch,) = (await store.lease(lease_request())).batches
            fences.append(batch.fence)
            await store.expire(everything=True)
    assert fences == sorted(set(fences))


async def test_a_closed_store_refuses_calls_and_may_be_closed_again(path: Path) -> None:
    async with _opened(path) as store:
        await store.aclose()
        with pytest.raises(StoreError, match="is closed"):
            await store.crawls()


async def test_a_refusal_leaves_the_store_usable(path: Path) -> None:
    async with _opened(path) as store:
        with pytest.raises(UnknownCrawlError):
            await store.progress("nobody")
        assert await store.create_crawl(crawl())


async def test_an_sqlite_that_is_too_old_is_refused(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqlite3, "sqlite_version_info", (3, 30, 0))
    with pytest.raises(StoreError, match="is too old"):
        await SqliteCrawlStore.open(path, ManualClock())


async def test_a_reader_sees_what_the_owner_has_committed(path: Path) -> None:
    async with _opened(path) as store:
        await store.create_crawl(crawl())
        await store.add(new_links(3))
        reader = await SqliteCrawlStore.open_to_read(path, ManualClock())
        try:
            assert (await reader.progress("crawl")).pending == 3
            entry = await reader.explain("crawl", new_links(1)[0].fingerprint)
            assert entry is not None
        finally:
            await reader.aclose()
        with pytest.raises(StoreError, match="cannot be used"):
            await SqliteCrawlStore.open_to_read(path.with_name("none.db"), ManualClock())
