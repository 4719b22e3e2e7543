"""The embedded crawl store: one SQLite file, one writer thread, group commit.

Chosen by `crawlmesh.wiring`; imports ports and model.
"""

from crawlmesh.adapters.sqlite.crawl_store import SqliteCrawlStore

__all__ = ["SqliteCrawlStore"]
