"""The crawl store on Redis or Valkey. Any number of processes use it at once; none keeps anything of its own.

Chosen by `crawlmesh.wiring`; imports ports and model. Every change is one script that runs inside the server,
so it happens whole or not at all; what lies where is written at the top of `lua/base.lua`.
"""

from crawlmesh.adapters.redis.crawl_store.crawl_store import RedisCrawlStore

__all__ = ["RedisCrawlStore"]
