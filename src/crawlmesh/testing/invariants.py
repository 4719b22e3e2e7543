"""The promises of a crawl store that hold at any time, checked through its port."""

from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.model.link import LinkState
from crawlmesh.model.record import Record
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.testing.builders import fingerprint

_PAGE = 1_000  # records that are read at a time


async def assert_crawl_invariants(
    store: CrawlStore, crawl_id: str, *, added: int | None = None, recrawled: bool = False
) -> None:
    """Check invariants 1 and 3 of the architecture, and the store's part in 2, for one crawl.

    `added`: how many links the crawl must have, where the caller knows it. `recrawled`: records of
    an earlier round may belong to links that are not done yet. No call may be under way meanwhile.
    Records are looked up by `crawlmesh.testing.builders.fingerprint`; links that were added with
    other fingerprints are checked by their counts alone.
    """
    progress = await store.progress(crawl_id)
    _check_counters(progress, added)
    records = await read_all_records(store, crawl_id)
    _check_records(progress, records, recrawled=recrawled)
    for record in records:
        entry = await store.explain(crawl_id, fingerprint(record.url))
        if entry is not None:
            assert entry.has_record, f"the ledger does not know of the record of {record.url}"
            assert recrawled or entry.state is LinkState.DONE, f"{record.url} has a record but is not done"
    await _check_hosts(store, crawl_id, progress)


async def read_all_records(store: CrawlStore, crawl_id: str) -> list[Record]:
    """All records of a crawl, page by page."""
    records: list[Record] = []
    while page := await store.records(crawl_id, after=records[-1].link_id if records else 0, limit=_PAGE):
        records.extend(page)
    return records


def _check_counters(progress: CrawlProgress, added: int | None) -> None:
    counts = (progress.pending, progress.leased, progress.done, progress.dead)
    assert min(counts) >= 0, f"a counter went below zero: {progress}"
    assert added is None or sum(counts) == added, f"{added} links were added, but the counters say {progress}"
    assert progress.finished == (progress.pending == 0 and progress.leased == 0)
    assert progress.skipped >= 0
    assert progress.retries == progress.by_outcome.get("retry", 0)
    assert progress.pages == sum(progress.by_outcome.get(kind, 0) for kind in ("fetched", "not_modified"))


def _check_records(progress: CrawlProgress, records: list[Record], *, recrawled: bool) -> None:
    ids = [record.link_id for record in records]
    assert ids == sorted(set(ids)), "records are not in the order of link ids, or a link has two"
    assert len({record.url for record in records}) == len(records), "a URL has two records"
    assert progress.records == len(records), (
        f"{len(records)} records, but the counter says {progress.records}"
    )
    assert recrawled or progress.records <= progress.done, "there are more records than links that are done"


async def _check_hosts(store: CrawlStore, crawl_id: str, progress: CrawlProgress) -> None:
    hosts = await store.hosts(crawl_id, limit=1_000_000)
    assert len({host.host for host in hosts}) == len(hosts), "a host is listed twice"
    assert sum(host.queued for host in hosts) == progress.pending
    assert sum(host.done for host in hosts) == progress.done
    assert sum(host.dead for host in hosts) == progress.dead
