"""The embedded stores: one SQLite file each, one writer thread, group commit.

Chosen by `crawlmesh.wiring`; imports ports and model.
"""

from crawlmesh.adapters.sqlite.control_store import SqliteControlStore
from crawlmesh.adapters.sqlite.crawl_store import SqliteCrawlStore

__all__ = ["SqliteControlStore", "SqliteCrawlStore"]
