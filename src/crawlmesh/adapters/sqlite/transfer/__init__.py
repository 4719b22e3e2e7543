"""Moving crawl data into a file of SQLite and out of it. Chosen by `crawlmesh.wiring`."""

from crawlmesh.adapters.sqlite.transfer.crawl_transfer import SqliteCrawlTransfer

__all__ = ["SqliteCrawlTransfer"]
