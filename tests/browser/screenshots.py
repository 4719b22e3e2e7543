"""`make screenshots`: every page of the dashboard, in both languages and colour schemes, large and small.

They go into `screenshots/`; with --readme, the four that the README shows go into docs/images/ too.
"""

import argparse
import asyncio
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from itertools import product
from pathlib import Path
from typing import Any

import click
from playwright.async_api import Browser, async_playwright, expect

from crawlmesh import Client
from crawlmesh.client import NewTask
from crawlmesh.testing.demo_site import DemoSite, DemoSiteOptions
from crawlmesh.testing.servers.chromium import FLAGS, find_chromium
from tests.acceptance.cluster_command import Started, quiet_command, started
from tests.browser.dashboard import Dashboard, window

ROOT = Path(__file__).parents[2]
SITE = DemoSiteOptions(shops=6, products=40, crawl_delay=0.05, latency=0.02)
SIZES = {"desktop": {"width": 1280, "height": 860}, "phone": {"width": 390, "height": 844}}
LANGUAGES = {"en": "en-US", "zh": "zh-CN"}
SCHEMES = ("light", "dark")
SELECTORS = {"title": "h1", "price": ".price"}
IN_README = {"overview": "/", "task": "/tasks/{task}", "nodes": "/nodes"}
WARM_UP = 45.0  # seconds of crawling, so that the charts have something to show


def pages(task_id: str, node_id: str) -> dict[str, str]:
    """The name of every picture and the address behind it."""
    task = f"/tasks/{task_id}"
    return {
        "overview": "/",
        "new-crawl": "/new",
        "tasks": "/tasks",
        "task": task,
        "task-records": f"{task}?tab=records",
        "task-failures": f"{task}?tab=failures",
        "task-history": f"{task}?tab=history",
        "task-hosts": f"{task}?tab=hosts",
        "task-log": f"{task}?tab=log",
        "nodes": "/nodes",
        "node": f"/nodes/{node_id}",
        "hosts": "/hosts",
        "events": "/events",
        "settings": "/settings",
    }


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--folder", type=Path, default=ROOT / "screenshots")
    parser.add_argument("--readme", action="store_true", help="also write docs/images/")
    parser.add_argument("--only", default="", help="names of pages, with commas")
    given = parser.parse_args()
    for each in (given.folder, ROOT / "docs" / "images"):
        each.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, DemoSite(SITE) as site:
        command = quiet_command(Path(folder), allow_private_networks="true")
        with started(command, "--mode", "standalone", "--port", 0) as server:
            task_id, node_id = await _make_history(server, site)
            async with _browser() as browser:
                wanted = pages(task_id, node_id)
                if given.only:
                    wanted = {name: wanted[name] for name in given.only.split(",")}
                await _take_all(browser, server, wanted, given.folder)
                await _take_sign_in(browser, server, given.folder)
                if given.readme:
                    await _take_for_readme(browser, server, site, task_id)


async def _make_history(server: Started, site: DemoSite) -> tuple[str, str]:
    """Crawls that are through, that run, that failed and that wait, as a cluster in use has them."""
    async with Client(server.url, api_key=server.admin_key) as client:
        shops = [f"http://{host}/" for host in site.hosts]
        whole = await client.tasks.submit(_crawl(shops[1]))
        await client.tasks.submit(_crawl("http://no-such-host.invalid/"))
        await client.tasks.submit(_crawl(shops[2], capabilities={"javascript_rendering": 1}))
        await client.tasks.submit(_crawl(shops[3], delay=1.0))
        await client.tasks.submit(_crawl(shops[4], delay=0.2))
        await asyncio.sleep(WARM_UP)
        node = await anext(aiter(client.nodes.list()))
        return whole.id, node.id


def _crawl(url: str, capabilities: dict[str, int] | None = None, **options: Any) -> NewTask:
    parameters = {"url": url, "selectors": SELECTORS, **options}
    return NewTask(task_type="web_crawl", parameters=parameters, capabilities=capabilities or {})


@asynccontextmanager
async def _browser() -> AsyncIterator[Browser]:
    chromium = find_chromium()
    if chromium is None:
        raise SystemExit("Chromium is not installed: apt install chromium fonts-noto-cjk")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        yield browser
        await browser.close()


async def _take_all(browser: Browser, server: Started, wanted: dict[str, str], folder: Path) -> None:
    for language, scheme, size in product(LANGUAGES, SCHEMES, SIZES):
        async with _signed_in(browser, server, language, scheme, size) as dashboard:
            for name, path in wanted.items():
                target = folder / f"{name}-{language}-{scheme}-{size}.png"
                await _take(dashboard, path, target)
                click.echo(target.relative_to(folder.parent))


async def _take_sign_in(browser: Browser, server: Started, folder: Path) -> None:
    for language, scheme in product(LANGUAGES, SCHEMES):
        async with window(
            browser, server.url, locale=LANGUAGES[language], color_scheme=scheme, viewport=SIZES["desktop"]
        ) as dashboard:
            await dashboard.open("/")
            await expect(dashboard.page.locator("input")).not_to_have_count(0)
            await dashboard.page.screenshot(path=folder / f"sign-in-{language}-{scheme}-desktop.png")


async def _take_for_readme(browser: Browser, server: Started, site: DemoSite, task_id: str) -> None:
    folder = ROOT / "docs" / "images"
    async with _signed_in(browser, server, "en", "light", "desktop") as dashboard:
        for name, path in IN_README.items():
            await _take(dashboard, path.format(task=task_id), folder / f"{name}.png", full_page=False)
        await _build_crawl(dashboard, f"http://{site.hosts[1]}/")
        await dashboard.page.screenshot(path=folder / "new-crawl.png")


async def _build_crawl(dashboard: Dashboard, url: str) -> None:
    """A form as it is while somebody builds a crawl: the page is there, and a field yields something."""
    page = dashboard.page
    await dashboard.open("/new")
    await page.get_by_label("Address").first.fill(url)
    await page.get_by_role("button", name="Look at the page").click()
    await page.get_by_role("tree").wait_for()
    await page.get_by_role("button", name="Add a field", exact=True).click()
    await page.get_by_label("Name", exact=True).last.fill("title")
    await page.get_by_label("Selector", exact=True).last.fill("h1")
    await expect(page.get_by_role("group", name="What this page yields")).to_contain_text("title")
    await page.get_by_role("heading", name="What to take").scroll_into_view_if_needed()


@asynccontextmanager
async def _signed_in(
    browser: Browser, server: Started, language: str, scheme: str, size: str
) -> AsyncIterator[Dashboard]:
    options = {"locale": LANGUAGES[language], "color_scheme": scheme, "viewport": SIZES[size]}
    async with window(browser, server.url, **options) as dashboard:
        key = {"key": server.admin_key}
        assert (await dashboard.page.request.post(f"{server.url}/api/v1/session", data=key)).ok
        yield dashboard


async def _take(dashboard: Dashboard, path: str, target: Path, *, full_page: bool = True) -> None:
    await dashboard.open(path)
    await dashboard.live()
    await dashboard.page.locator("h1").first.wait_for()
    await dashboard.page.wait_for_timeout(1_500)  # charts and tables are drawn when their data have come
    await dashboard.page.screenshot(path=target, full_page=full_page)


if __name__ == "__main__":
    asyncio.run(main())
