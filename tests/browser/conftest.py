from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, async_playwright

from crawlmesh.testing.demo_site import DemoSite, DemoSiteOptions
from crawlmesh.testing.servers.chromium import FLAGS, require_chromium
from tests.acceptance.cluster_command import Started, quiet_command, started
from tests.browser.dashboard import Dashboard, window

SMALL_SITE = DemoSiteOptions(
    shops=3, products=6, page_size=4, categories=2, crawl_delay=0.2, slow_seconds=0.05, latency=0.002
)


@pytest.fixture(scope="module")
def site() -> Iterator[DemoSite]:
    with DemoSite(SMALL_SITE) as site:
        yield site


@pytest.fixture(scope="module")
def standalone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Started]:
    """A real server with a real worker, and the dashboard that was built."""
    command = quiet_command(tmp_path_factory.mktemp("standalone"), allow_private_networks="true")
    with started(command, "--mode", "standalone", "--port", 0) as server:
        yield server


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    chromium = require_chromium()
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="module")
async def dashboard(browser: Browser, standalone: Started) -> AsyncIterator[Dashboard]:
    """A window of somebody who has signed in as administrator."""
    async with window(browser, standalone.url) as dashboard:
        await dashboard.sign_in(standalone.admin_key)
        yield dashboard
