"""An earlier crawl, opened for a command that asks about it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import msgspec

from crawlmesh.cli.state_folders import ARCHIVE, DATABASE
from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.errors import UsageError
from crawlmesh.model.crawl import Crawl
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.wiring import read_crawl_store


class OpenedCrawl(msgspec.Struct, frozen=True):
    """A crawl and the store that holds it, as of now: it may be under way."""

    archive: Path  # folder
    store: CrawlStore
    crawl: Crawl
    definition: CrawlDefinition


@asynccontextmanager
async def opened_crawl(path: Path) -> AsyncIterator[OpenedCrawl]:
    """Open the crawl in a state folder."""
    store = await read_crawl_store(path / DATABASE)
    try:
        crawls = await store.crawls()
        if not crawls:
            raise UsageError(f"The folder {path} holds no crawl yet.")
        definition = CrawlDefinition.from_json(crawls[0].definition)
        yield OpenedCrawl(path / ARCHIVE, store, crawls[0], definition)
    finally:
        await store.aclose()
