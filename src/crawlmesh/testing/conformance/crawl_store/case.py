"""What every part of the suite stands on: how a store is opened, and short ways to use it."""

from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Any, ClassVar

import msgspec
import pytest
import pytest_asyncio

from crawlmesh.model.crawl import CrawlProgress, HostProgress
from crawlmesh.model.host import HostReport, HostState
from crawlmesh.model.lease import HostBatch, Settlement
from crawlmesh.model.record import LedgerEntry, Record
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import all_fetched, crawl, fingerprint, lease_request
from crawlmesh.testing.invariants import read_all_records
from crawlmesh.testing.manual_clock import ManualClock


class CrawlStoreCase:
    """Base of all parts. An adapter overrides `open_store`, and the flags as far as it can do more."""

    durable: ClassVar[bool] = False  # what was written is there when the same folder is opened again
    shared: ClassVar[bool] = False  # several clients may have the same folder open at once
    filters: ClassVar[bool] = True  # crawls may have a Bloom filter; else they are refused

    async def open_store(self, clock: ManualClock, folder: Path) -> CrawlStore:
        """Open a store whose files, if it has any, lie in `folder`."""
        raise NotImplementedError

    @pytest.fixture
    def clock(self) -> ManualClock:
        """The store's time."""
        return ManualClock()

    @pytest_asyncio.fixture
    async def store(self, clock: ManualClock, tmp_path: Path) -> AsyncIterator[CrawlStore]:
        """A store that knows one crawl without limits, named "crawl"."""
        store = await self.open_store(clock, tmp_path)
        await store.create_crawl(crawl())
        yield store
        await store.aclose()


class Snapshot(msgspec.Struct, frozen=True):
    """Everything of a crawl that the port shows."""

    progress: CrawlProgress
    hosts: list[HostProgress]
    records: list[Record]
    ledger: list[LedgerEntry | None]


async def snapshot(store: CrawlStore, urls: Iterable[str], crawl_id: str = "crawl") -> Snapshot:
    """What the port shows of a crawl now, with the ledger of these URLs."""
    return Snapshot(
        await store.progress(crawl_id),
        sorted(await store.hosts(crawl_id), key=lambda host: host.host),
        await read_all_records(store, crawl_id),
        [await store.explain(crawl_id, fingerprint(url)) for url in urls],
    )


async def lease_batches(store: CrawlStore, *crawl_ids: str, **fields: Any) -> tuple[HostBatch, ...]:
    """The batches that a lease request brings."""
    return (await store.lease(lease_request(*crawl_ids, **fields))).batches


async def lease_one(store: CrawlStore, *crawl_ids: str, **fields: Any) -> HostBatch:
    """The only batch that a lease request brings."""
    batches = await lease_batches(store, *crawl_ids, **fields)
    assert len(batches) == 1, f"expected one batch, not {len(batches)}"
    return batches[0]


async def lease_nothing(store: CrawlStore, *crawl_ids: str, **fields: Any) -> None:
    """Assert that a lease request brings nothing."""
    assert await lease_batches(store, *crawl_ids, **fields) == ()


async def lease_while_granted(store: CrawlStore, *nodes: str) -> list[HostBatch]:
    """Let nodes ask in turn, until none of them gets anything."""
    leased: list[HostBatch] = []
    found = True
    while found:
        found = False
        for node in nodes or ("node",):
            batches = await lease_batches(store, node_id=node, batch_links=2, batch_slots=2)
            leased += batches
            found = found or bool(batches)
    return leased


async def settle_one(store: CrawlStore, settlement: Settlement) -> None:
    """Settle and assert that it is taken."""
    assert await store.settle([settlement]) == [True]


async def fetch_everything(store: CrawlStore, *crawl_ids: str) -> None:
    """Lease and settle as fetched until nothing more is granted."""
    while batches := await lease_batches(store, *crawl_ids):
        assert all(await store.settle([all_fetched(batch) for batch in batches]))


async def set_host(store: CrawlStore, batch: HostBatch, **fields: Any) -> HostState:
    """Return a batch whole, and report another state of its host with it."""
    state = msgspec.structs.replace(batch.host, **fields)
    await settle_one(store, Settlement(batch.fence, (), report=HostReport(state=state)))
    return state


def urls_of(*batches: HostBatch) -> list[str]:
    """The URLs of batches, in their order."""
    return [link.url for batch in batches for link in batch.links]


def hosts_of(batches: Iterable[HostBatch]) -> list[str]:
    """The hosts of batches, in their order."""
    return [batch.host.host for batch in batches]
