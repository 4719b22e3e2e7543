"""A crawl from the first look at a page to its records, as somebody does it in a browser."""

import json
import re
from pathlib import Path

import pytest
from playwright.async_api import Page, expect

from crawlmesh.testing.demo_site import DemoSite
from tests.browser.dashboard import Dashboard

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("browser")]


async def _add_field(page: Page, name: str, selector: str) -> None:
    await page.get_by_role("button", name="Add a field", exact=True).click()
    await page.get_by_label("Name", exact=True).last.fill(name)
    await page.get_by_label("Selector", exact=True).last.fill(selector)


async def test_from_the_first_look_to_the_records(
    dashboard: Dashboard, site: DemoSite, tmp_path: Path
) -> None:
    page = dashboard.page
    shop = f"http://{site.hosts[1]}/"
    await page.get_by_role("navigation").get_by_role("link", name="New crawl").click()

    # What the selectors yield is shown before anything is started, and what is wrong stands at its field.
    await page.get_by_label("Address").first.fill(shop)
    await page.get_by_role("button", name="Look at the page").click()
    await expect(page.get_by_role("tree", name="Elements of the page")).to_be_visible()
    await _add_field(page, "heading", "h1")
    await expect(page.get_by_role("group", name="What this page yields")).to_contain_text("Shop")
    await _add_field(page, "broken", "h1[")
    await expect(page.get_by_text("broken").first).to_be_visible()
    await expect(page.get_by_text("h1[", exact=False).first).to_be_visible()
    assert await dashboard.faults_of_access() == []
    await page.get_by_role("button", name="Remove broken").click()
    await expect(page.get_by_text("crawlmesh task submit")).to_be_visible()
    await expect(page.get_by_text("curl").first).to_be_visible()

    # It is started, paused while it runs, and goes on where it was.
    await page.get_by_role("button", name="Start the crawl").click()
    await expect(page).to_have_url(re.compile("/tasks/task-"))
    await page.get_by_role("button", name="Pause").click()
    await expect(page.get_by_text("paused", exact=True).first).to_be_visible()
    await page.get_by_role("button", name="Resume").click()
    await expect(page.get_by_text("completed", exact=True).first).to_be_visible()
    assert await dashboard.faults_of_access() == []

    # Its records are read and taken along.
    await page.get_by_role("tab", name="Records").click()
    await expect(page.get_by_role("table", name="Records").get_by_role("row")).not_to_have_count(1)
    assert await dashboard.faults_of_access() == []
    async with page.expect_download() as download:
        await page.get_by_role("link", name="Download all records as JSONL").click()
    target = tmp_path / "records.jsonl"
    await (await download.value).save_as(target)
    records = [json.loads(line) for line in target.read_text().splitlines()]
    assert {record["url"] for record in records} >= {shop}
    assert all("heading" in record["data"] for record in records)


async def test_what_failed_is_tried_again(dashboard: Dashboard, site: DemoSite) -> None:
    page = dashboard.page
    await dashboard.open("/tasks")
    await (
        page.get_by_role("row").filter(has_text=f"http://{site.hosts[1]}/").get_by_role("link").first.click()
    )
    await page.get_by_role("tab", name="Failures").click()
    table = page.get_by_role("table", name="URLs that were given up")
    await expect(table.get_by_role("row")).not_to_have_count(1)
    assert await dashboard.faults_of_access() == []
    await table.get_by_role("checkbox").nth(1).check()
    await page.get_by_role("button", name="Retry 1 selected").click()
    await expect(page.get_by_text("They are tried once more.")).to_be_visible()
    await expect(page.get_by_text("completed", exact=True).first).to_be_visible()
    for tab in ("History", "URL ledger", "Hosts", "Log"):
        await page.get_by_role("tab", name=tab).click()
        assert await dashboard.faults_of_access() == [], tab


async def test_many_tasks_are_steered_at_once(dashboard: Dashboard, site: DemoSite) -> None:
    page = dashboard.page
    body = {
        "tasks": [
            {"task_type": "web_crawl", "parameters": {"url": site.portal_url}, "capabilities": {"none": 1}}
            for _ in range(3)
        ]
    }
    answer = await page.request.post(f"{dashboard.url}/api/v1/tasks:batch", data=body)
    assert answer.status == 201, await answer.text()
    await dashboard.open("/tasks?status=pending")
    table = page.get_by_role("table")
    await expect(table.get_by_role("row")).to_have_count(4)
    await page.get_by_label("Select all rows of this page").check()
    await page.get_by_role("button", name="Pause").click()
    await expect(page.get_by_text("3 tasks paused.")).to_be_visible()
    await dashboard.open("/tasks?status=paused")
    await expect(table.get_by_role("row")).to_have_count(4)


async def test_the_task_says_why_it_waits(dashboard: Dashboard) -> None:
    await dashboard.open("/tasks?status=paused")
    await dashboard.page.get_by_role("table").get_by_role("link").first.click()
    await dashboard.page.get_by_role("button", name="Resume").click()
    await expect(dashboard.page.get_by_text("capability none", exact=False).first).to_be_visible()
