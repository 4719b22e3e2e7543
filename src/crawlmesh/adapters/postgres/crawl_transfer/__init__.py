"""Moving crawl data into PostgreSQL and out of it. Chosen by `crawlmesh.wiring`."""

from crawlmesh.adapters.postgres.crawl_transfer.crawl_transfer import PostgresCrawlTransfer

__all__ = ["PostgresCrawlTransfer"]
