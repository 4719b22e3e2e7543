"""The suite that every pair of crawl transfers must pass: see `CrawlTransferSuite`."""

from crawlmesh.testing.conformance.crawl_transfer.suite import CrawlTransferSuite, StoreKind

__all__ = ["CrawlTransferSuite", "StoreKind"]
