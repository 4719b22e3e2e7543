from collections.abc import Iterator
from pathlib import Path

import pytest

from crawlmesh.testing.command import Command
from crawlmesh.testing.demo_site import DemoSite, DemoSiteOptions
from tests.acceptance.full_crawl import FullCrawl, crawl_fully
from tests.acceptance.page_server import PageServer

OPTIONS = DemoSiteOptions(
    shops=3, products=6, page_size=4, categories=2, crawl_delay=0.2, slow_seconds=0.05, latency=0.002
)


@pytest.fixture(scope="session")
def site() -> Iterator[DemoSite]:
    """A whole demo site. Its flaky pages fail in the crawl `full` only."""
    with DemoSite(OPTIONS) as site:
        yield site


@pytest.fixture(scope="session")
def full(site: DemoSite, tmp_path_factory: pytest.TempPathFactory) -> FullCrawl:
    """The whole site, crawled once; do not change it, take a copy."""
    return crawl_fully(site, tmp_path_factory.mktemp("full"))


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """`crawlmesh` in an empty folder. Retries come soon."""
    return Command(tmp_path, retry_base="0.01")


@pytest.fixture
def server() -> Iterator[PageServer]:
    """A server whose pages the test decides."""
    with PageServer() as server:
        yield server
