"""Masters over HTTP: what a node says to them, and the crawl store behind them.

Chosen by `crawlmesh.wiring`; imports ports, protocol and model.
"""

from crawlmesh.adapters.http.crawl_store import HttpCrawlStore
from crawlmesh.adapters.http.master_addresses import MasterAddresses
from crawlmesh.adapters.http.node_client import NodeClient
from crawlmesh.adapters.http.node_credentials import NodeCredentials

__all__ = ["HttpCrawlStore", "MasterAddresses", "NodeClient", "NodeCredentials"]
