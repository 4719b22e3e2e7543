"""The embedded stores: one SQLite file each, one writer thread, group commit.

Chosen by `crawlmesh.wiring`; imports ports and model. `control_store` is imported from its own file, because
a crawl without a cluster starts faster without it.
"""

from crawlmesh.adapters.sqlite.crawl_store import SqliteCrawlStore

__all__ = ["SqliteCrawlStore"]
