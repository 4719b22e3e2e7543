"""The dashboard in a real browser: what a person sees and does."""

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from axe_playwright_python.async_playwright import Axe  # type: ignore[import-untyped]
from playwright.async_api import Browser, BrowserContext, ConsoleMessage, Page, expect

PATIENCE = 60_000  # milliseconds; what takes longer hangs
_SERIOUS = frozenset({"serious", "critical"})

expect.set_options(timeout=PATIENCE)


@dataclass
class Dashboard:
    """A browser window on the dashboard of a server."""

    page: Page
    url: str
    errors: list[str] = field(default_factory=list)
    outside: list[str] = field(default_factory=list)  # requests to other servers
    may_fail: bool = False  # whether requests are refused on purpose, which the browser reports by itself

    async def open(self, path: str = "/") -> None:
        """Go to a page of the dashboard as by a link from elsewhere."""
        await self.page.goto(self.url + path)

    async def sign_in(self, key: str) -> None:
        """Give the key, and wait for the frame of the app."""
        await self.open("/")
        await self.page.get_by_label("API key").fill(key)
        await self.page.get_by_role("button", name="Sign in").click()
        await expect(self.page.get_by_role("navigation", name="Main navigation")).to_be_visible()
        await self.live()

    async def live(self) -> None:
        """Wait until the live stream has begun."""
        await expect(self.page.locator("[data-connection=live]")).to_be_visible()

    async def heading(self, text: str) -> None:
        """Wait for the title of the page."""
        await expect(self.page.get_by_role("heading", level=1, name=text)).to_be_visible()

    async def faults_of_access(self) -> list[str]:
        """Serious accessibility faults that axe finds on what is shown."""
        found = await Axe().run(self.page)
        violations: list[dict[str, Any]] = found.response["violations"]
        return [
            f"{each['id']}: {each['help']}: {[node['html'][:200] for node in each['nodes']][:3]}"
            for each in violations
            if each["impact"] in _SERIOUS
        ]

    def watch(self) -> None:
        """Collect what must not be: errors on the console and requests to other servers."""
        self.page.on("console", self._on_console)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self._on_request(request.url))

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.errors.append(f"{message.text} ({message.location.get('url', '')})")

    def _on_request(self, url: str) -> None:
        if not url.startswith((self.url, "data:", "blob:")):
            self.outside.append(url)


@asynccontextmanager
async def window(browser: Browser, url: str, **options: Any) -> AsyncIterator[Dashboard]:
    """A window with cookies of its own; nothing may have gone wrong in it when it is closed."""
    context: BrowserContext = await browser.new_context(**{"locale": "en-US", **options})
    context.set_default_timeout(PATIENCE)
    dashboard = Dashboard(await context.new_page(), url)
    dashboard.watch()
    try:
        yield dashboard
    except BaseException:
        await _keep_picture(dashboard.page)
        raise
    finally:
        await context.close()
    assert not dashboard.errors or dashboard.may_fail, dashboard.errors
    assert not dashboard.outside, dashboard.outside


async def _keep_picture(page: Page) -> None:
    """What was there when a test failed, where somebody asks for it."""
    folder = os.environ.get("BROWSER_PICTURES")
    if folder:
        name = os.environ.get("PYTEST_CURRENT_TEST", "test").split("::")[-1].split(" ")[0]
        await page.screenshot(path=f"{folder}/{name}.png", full_page=True)
