"""Signing in, finding one's way, language, colours, rights, and a server that goes away."""

import pytest
from playwright.async_api import Browser, expect

from tests.acceptance.cluster_command import Started
from tests.browser.dashboard import Dashboard, window

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("browser")]

MOST_AT_FIRST = 350_000  # bytes, compressed

SIZES = """() => Object.fromEntries(
    [...performance.getEntriesByType("navigation"), ...performance.getEntriesByType("resource")]
        .filter((entry) => !entry.name.includes("/api/"))
        .map((entry) => [entry.name, entry.encodedBodySize])
)"""

PAGES = {
    "Overview": "/",
    "New crawl": "/new",
    "Tasks": "/tasks",
    "Nodes": "/nodes",
    "Hosts": "/hosts",
    "Events": "/events",
    "Settings": "/settings",
}


async def test_a_wrong_key_is_refused_with_a_sentence(browser: Browser, standalone: Started) -> None:
    async with window(browser, standalone.url) as dashboard:
        dashboard.may_fail = True
        await dashboard.open("/tasks")
        await dashboard.page.get_by_label("API key").fill("cm_wrong")
        await dashboard.page.get_by_role("button", name="Sign in").click()
        await expect(dashboard.page.get_by_role("alert")).to_contain_text("This key is not known")
        assert await dashboard.faults_of_access() == []


async def test_the_session_is_out_of_reach_of_scripts_and_ends_with_signing_out(dashboard: Dashboard) -> None:
    (cookie,) = await dashboard.page.context.cookies()
    assert (cookie["httpOnly"], cookie["sameSite"]) == (True, "Strict")
    assert await dashboard.page.evaluate("document.cookie") == ""
    await dashboard.page.get_by_role("button", name="Account").click()
    await dashboard.page.get_by_role("menuitem", name="Sign out").click()
    await expect(dashboard.page.get_by_label("API key")).to_be_visible()
    assert await dashboard.page.context.cookies() == []


@pytest.mark.parametrize(("name", "path"), PAGES.items())
async def test_every_page_is_accessible(dashboard: Dashboard, name: str, path: str) -> None:
    await dashboard.page.get_by_role("link", name=name, exact=True).first.click()
    await expect(dashboard.page).to_have_url(dashboard.url + path)
    await dashboard.heading(name)
    assert await dashboard.faults_of_access() == []


async def test_the_language_is_switched_and_kept(dashboard: Dashboard) -> None:
    await dashboard.page.get_by_role("button", name="Account").click()
    await dashboard.page.get_by_text("简体中文").click()
    await dashboard.heading("总览")
    await dashboard.page.reload()
    await dashboard.heading("总览")
    assert await dashboard.page.get_attribute("html", "lang") == "zh-CN"


async def test_the_colours_are_switched_and_kept(dashboard: Dashboard) -> None:
    await dashboard.page.get_by_role("button", name="Account").click()
    await dashboard.page.get_by_text("Dark", exact=True).click()
    await expect(dashboard.page.locator("html[data-mantine-color-scheme=dark]")).to_be_attached()
    await dashboard.page.reload()
    await dashboard.live()
    await expect(dashboard.page.locator("html[data-mantine-color-scheme=dark]")).to_be_attached()
    assert await dashboard.faults_of_access() == []


async def test_the_first_load_is_small(dashboard: Dashboard) -> None:
    await dashboard.heading("Overview")
    loaded: dict[str, int] = await dashboard.page.evaluate(SIZES)
    assert 100_000 < sum(loaded.values()) < MOST_AT_FIRST, loaded


async def test_an_unknown_address_says_so(dashboard: Dashboard) -> None:
    await dashboard.open("/no/such/page")
    await dashboard.heading("There is no such page")
