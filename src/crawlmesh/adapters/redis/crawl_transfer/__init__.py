"""Moving crawl data into Redis and out of it. Chosen by `crawlmesh.wiring`."""

from crawlmesh.adapters.redis.crawl_transfer.crawl_transfer import RedisCrawlTransfer

__all__ = ["RedisCrawlTransfer"]
