from collections.abc import Iterable

import pytest

from crawlmesh.adapters.memory import MemoryCrawlStore
from crawlmesh.errors import OutputError, StoreError
from crawlmesh.model.record import Record
from crawlmesh.testing.builders import all_fetched, crawl, lease_request, new_links
from crawlmesh.testing.manual_clock import ManualClock
from crawlmesh.worker import export
from crawlmesh.worker.export import export_records


class NotingWriter:
    def __init__(self, failing: str = "") -> None:
        self.records: list[Record] = []
        self.calls: list[str] = []
        self._failing = failing

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if name == self._failing:
            raise OutputError("the disk is full")

    def write(self, records: Iterable[Record]) -> None:
        self._called("write")
        self.records.extend(records)

    def close(self) -> None:
        self._called("close")

    def abort(self) -> None:
        self._called("abort")


@pytest.fixture
async def store() -> MemoryCrawlStore:
    store = MemoryCrawlStore(ManualClock())
    await store.create_crawl(crawl())
    await store.add(new_links(25))
    (batch,) = (await store.lease(lease_request())).batches
    await store.settle([all_fetched(batch)])
    return store


async def test_all_records_are_written_in_order_over_several_pages(
    store: MemoryCrawlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "_PAGE", 10)
    writer = NotingWriter()
    assert await export_records(store, "crawl", writer) == 25
    assert [record.url for record in writer.records] == [
        f"https://a.example/{number}" for number in range(25)
    ]
    assert writer.calls == ["write"] * 3 + ["close"]


async def test_a_crawl_without_records_makes_an_empty_file() -> None:
    writer = NotingWriter()
    assert await export_records(MemoryCrawlStore(ManualClock()), "crawl", writer) == 0
    assert writer.calls == ["close"]


@pytest.mark.parametrize("failing", ["write", "close"])
async def test_a_file_that_cannot_be_written_is_thrown_away(store: MemoryCrawlStore, failing: str) -> None:
    writer = NotingWriter(failing)
    with pytest.raises(OutputError, match="the disk is full"):
        await export_records(store, "crawl", writer)
    assert writer.calls[-2:] == [failing, "abort"]


async def test_a_store_that_fails_leaves_no_file(
    store: MemoryCrawlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fail(*_: object) -> list[Record]:
        raise StoreError("broken")

    monkeypatch.setattr(store, "records", fail)
    writer = NotingWriter()
    with pytest.raises(StoreError, match="broken"):
        await export_records(store, "crawl", writer)
    assert writer.calls == ["abort"]
