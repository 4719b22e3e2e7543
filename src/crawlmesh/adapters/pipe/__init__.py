"""The crawl store over a pipe: crawl processes share the store of the process that started them.

Chosen by `crawlmesh.wiring`; imports ports, protocol and model.
"""

from crawlmesh.adapters.pipe.crawl_store import PipeCrawlStore
from crawlmesh.adapters.pipe.server import CallServer, StoreServer

__all__ = ["CallServer", "PipeCrawlStore", "StoreServer"]
