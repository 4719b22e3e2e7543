"""Moving data into files of SQLite and out of them. Chosen by `crawlmesh.wiring`."""

from crawlmesh.adapters.sqlite.transfer.control_transfer import SqliteControlTransfer
from crawlmesh.adapters.sqlite.transfer.crawl_transfer import SqliteCrawlTransfer

__all__ = ["SqliteControlTransfer", "SqliteCrawlTransfer"]
