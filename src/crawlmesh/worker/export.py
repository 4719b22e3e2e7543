"""Writing the records of a crawl out of the store."""

from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.ports.record_writer import RecordWriter

_PAGE = 5_000  # records


async def export_records(store: CrawlStore, crawl_id: str, writer: RecordWriter) -> int:
    """Write all records, in the order in which their pages were found. Returns how many."""
    after = written = 0
    try:
        while records := await store.records(crawl_id, after, _PAGE):
            writer.write(records)
            after = records[-1].link_id
            written += len(records)
        writer.close()
    except BaseException:
        writer.abort()
        raise
    return written
