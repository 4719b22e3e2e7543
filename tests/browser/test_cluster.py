"""Nodes, rights, and a server that goes away and comes back."""

import re
import signal
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, expect

from crawlmesh import Client
from crawlmesh.model.access import Role
from crawlmesh.testing.command import Command
from tests.acceptance.cluster_command import Started, quiet_command, started
from tests.browser.dashboard import Dashboard, window

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.xdist_group("browser")]


async def test_a_viewer_sees_and_changes_nothing(browser: Browser, standalone: Started) -> None:
    async with Client(standalone.url, api_key=standalone.admin_key) as client:
        made = await client.keys.create("looker", Role.VIEWER)
    async with window(browser, standalone.url) as dashboard:
        assert made.key is not None
        await dashboard.sign_in(made.key)
        page = dashboard.page
        await expect(page.get_by_role("link", name="New crawl")).to_have_count(0)
        for path, title in (("/tasks", "Tasks"), ("/nodes", "Nodes"), ("/hosts", "Hosts")):
            await dashboard.open(path)
            await dashboard.heading(title)
            for verb in ("Pause", "Cancel", "Drain", "Remove", "Edit"):
                await expect(page.get_by_role("button", name=verb)).to_have_count(0)
        await dashboard.open("/settings?tab=access")
        await dashboard.heading("Settings")
        await expect(page.get_by_text("You are signed in as viewer")).to_be_visible()
        await expect(page.get_by_role("button", name="New API key")).to_have_count(0)


async def test_a_key_is_shown_once(dashboard: Dashboard) -> None:
    page = dashboard.page
    await dashboard.open("/settings?tab=access")
    await page.get_by_role("button", name="New API key").click()
    dialog = page.get_by_role("dialog")
    await dialog.get_by_label("Name").fill("for a script")
    await dialog.get_by_role("button", name="Make it").click()
    await expect(dialog.get_by_text(re.compile("^cm_"))).to_be_visible()
    assert await dashboard.faults_of_access() == []
    await page.reload()
    await expect(page.get_by_text("for a script")).to_be_visible()
    await expect(page.get_by_text(re.compile("^cm_"))).to_have_count(0)


async def test_a_node_is_taken_out_of_service(dashboard: Dashboard, standalone: Started) -> None:
    page = dashboard.page
    async with Client(standalone.url, api_key=standalone.admin_key) as client:
        (node,) = [node async for node in client.nodes.list()]
    await dashboard.open("/nodes")
    await page.get_by_role("main").get_by_role("link", name=node.name).first.click()
    await expect(page).to_have_url(f"{dashboard.url}/nodes/{node.id}")
    await expect(page.get_by_role("img", name="CPU").first).to_be_visible()
    assert await dashboard.faults_of_access() == []
    await page.get_by_role("button", name="Maintenance").click()
    await expect(page.get_by_text("maintenance", exact=True).first).to_be_visible()
    await page.get_by_role("button", name="Resume").click()
    await expect(page.get_by_text("online", exact=True).first).to_be_visible()


async def test_a_node_is_drained(browser: Browser, tmp_path: Path) -> None:
    command = quiet_command(tmp_path)
    with started(command, "--mode", "master", "--port", 0) as master:
        worker = ("--mode", "worker", "--device-id", "worker-1", "--device-name", "Worker one")
        with started(command, *worker) as node:
            async with window(browser, master.url) as dashboard:
                await dashboard.sign_in(master.admin_key)
                await dashboard.open("/nodes/worker-1")
                await dashboard.page.get_by_role("button", name="Drain").click()
                await expect(dashboard.page.get_by_text("offline", exact=True).first).to_be_visible()
            assert node.process.wait(timeout=60) == 0


@pytest_asyncio.fixture(loop_scope="module")
async def restartable(tmp_path: Path) -> AsyncIterator[Command]:
    yield quiet_command(tmp_path)


async def test_a_lost_server_is_told_and_found_again(browser: Browser, restartable: Command) -> None:
    with started(restartable, "--mode", "standalone", "--port", 0) as first:
        url, key = first.url, first.admin_key
        async with window(browser, url) as dashboard:
            await dashboard.sign_in(key)
            dashboard.may_fail = True
            first.process.send_signal(signal.SIGKILL)
            first.process.wait(timeout=60)
            banner = dashboard.page.get_by_role("alert").filter(has_text="No master answers")
            await expect(banner).to_be_visible()
            port = url.rpartition(":")[2]
            with started(restartable, "--mode", "standalone", "--port", port):
                await dashboard.live()
                await expect(banner).to_have_count(0)
                await dashboard.heading("Overview")
