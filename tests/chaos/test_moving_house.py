"""A cluster is killed in the middle of a crawl and moves to other stores; the move itself is killed, too."""

import asyncio
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import aiohttp
import pytest

from crawlmesh.model.query import TaskQuery
from crawlmesh.model.task import TaskStatus
from crawlmesh.testing.cluster_processes import ClusterProcesses, free_port
from crawlmesh.testing.command import clean_environment, command_line
from crawlmesh.testing.demo_site import DemoSiteOptions, Manifest
from crawlmesh.testing.invariants import assert_crawl_invariants, read_all_records
from crawlmesh.testing.servers import PostgresServer
from crawlmesh.testing.servers.redis import RedisServer
from crawlmesh.wiring.stores import open_cluster_crawl_store, open_control_store
from tests.chaos.crawl_under_fire import PER_HOST, check_politeness
from tests.chaos.engines import SETTINGS
from tests.chaos.served_site import ServedSite, serving

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(600)]

OPTIONS = DemoSiteOptions(
    shops=3, products=11, page_size=5, categories=2, latency=0.08, slow_seconds=0.1, crawl_delay=0.5
)
_PATIENCE = 180.0  # seconds; what does not happen until then hangs


class Deployment:
    """A master on changing stores, and a worker that stays up all the time."""

    def __init__(self, folder: Path, site: ServedSite) -> None:
        self.stores = folder / "stores"
        self.site = site
        self.processes = ClusterProcesses(folder / "cluster", SETTINGS)
        self._port = free_port()
        self._generation = 0
        self.source = f"sqlite:///{self.stores}"

    @property
    def master(self) -> str:
        return f"master-{self._generation}"

    def start_master(self, control: str, crawl: str) -> None:
        self._generation += 1
        self.processes.start_master(self.master, self._port, control_store=control, crawl_store=crawl)

    def start_on_files(self) -> None:
        self.start_master(*(f"sqlite:///{self.stores / name}.db" for name in ("control", "crawls")))

    def start_worker(self) -> None:
        self.processes.start_worker("worker", f"http://127.0.0.1:{self._port}")

    async def ask(self, method: str, path: str, **options: Any) -> Any:
        headers = {"Authorization": f"Bearer {self.processes.key}"}
        async with (
            aiohttp.ClientSession(headers=headers) as http,
            http.request(method, f"http://127.0.0.1:{self._port}{path}", **options) as response,
        ):
            assert response.status < 400, await response.text()
            return await response.json()

    async def submit_crawl(self) -> str:
        parameters = {
            "url": self.site.manifest.portal_url,
            "allow_hosts": self.site.other_hosts,
            "selectors": {
                "product": "div.product",
                "title": "h2.title",
                "price": "span.price",
                "heading": "h1",
            },
            "per_host": PER_HOST,
        }
        body = {"parameters": parameters, "max_nodes": 2, "max_retries": 100}
        return str((await self.ask("POST", "/api/v1/tasks", json=body))["id"])

    async def is_online(self) -> bool:
        try:
            nodes = (await self.ask("GET", "/api/v1/nodes"))["items"]
        except aiohttp.ClientError:
            return False
        return [node["status"] for node in nodes] == ["online"]

    async def is_over(self, task: str) -> bool:
        try:
            return str((await self.ask("GET", f"/api/v1/tasks/{task}"))["status"]) in {"completed", "failed"}
        except aiohttp.ClientError:
            return False

    async def until(self, holds: Callable[[], Awaitable[bool]], what: str) -> None:
        deadline = time.monotonic() + _PATIENCE
        while not await holds():
            self.processes.raise_for_ended()
            assert time.monotonic() < deadline, f"it does not happen that {what}: {self._printed()}"
            await asyncio.sleep(0.05)

    def _printed(self) -> str:
        return "\n".join(self.processes.printed(name) for name in self.processes.running)


def migrate(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return _run(folder, [*command_line(), "migrate", *arguments])


def killed_move(folder: Path, stage: str, *arguments: str) -> None:
    repository = Path(__file__).parents[2]
    command = [sys.executable, "-m", "tests.chaos.killed_move", stage, *arguments]
    assert _run(repository, command, folder).returncode == -signal.SIGKILL


def _run(cwd: Path, command: list[str], data: Path | None = None) -> subprocess.CompletedProcess[str]:
    environment = clean_environment({"data_dir": str((data or cwd) / "no-data")})
    return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)


def test_everything_to_postgres(tmp_path: Path) -> None:
    with PostgresServer() as server:
        arguments = ("--to", server.dsn())
        asyncio.run(_move_house(tmp_path, arguments, server.dsn(), server.dsn(), ("links", "checking links")))


def test_crawls_to_redis_and_tasks_stay(tmp_path: Path) -> None:
    with RedisServer() as server:
        arguments = ("--to", server.address())
        control = f"sqlite:///{tmp_path / 'stores' / 'control.db'}"
        asyncio.run(_move_house(tmp_path, arguments, control, server.address(), ("shares",)))


async def _move_house(
    folder: Path, arguments: tuple[str, ...], control: str, crawl: str, stages: tuple[str, ...]
) -> None:
    with serving(folder / "site", OPTIONS) as site:
        deployment = Deployment(folder, site)
        with deployment.processes:
            task = await _crawl_a_part(deployment)
            _move(deployment, folder, arguments, stages)
            deployment.start_master(control, crawl)
            await deployment.until(lambda: deployment.is_over(task), "the crawl ends in the new house")
        check_politeness(site.log(), site.manifest, site.delayed_host)
        await _check(control, crawl, task, site.manifest)


async def _crawl_a_part(deployment: Deployment) -> str:
    deployment.start_on_files()
    deployment.start_worker()
    await deployment.until(deployment.is_online, "the worker is online")
    task = await deployment.submit_crawl()

    async def some_requests() -> bool:
        return deployment.site.requests() >= 25

    await deployment.until(some_requests, "the crawl is under way")
    assert not await deployment.is_over(task)
    return task


def _move(deployment: Deployment, folder: Path, arguments: tuple[str, ...], stages: tuple[str, ...]) -> None:
    given = ("--from", deployment.source, *arguments)
    refused = migrate(folder, *given)
    assert (refused.returncode, "A master runs on the stores" in refused.stderr) == (1, True), refused.stderr
    deployment.processes.kill(deployment.master)
    for stage in stages:
        killed_move(folder, stage, *given)
    moved = migrate(folder, *given)
    assert moved.returncode == 0, moved.stderr
    assert "Both ends are identical" in moved.stdout
    again = migrate(folder, *given)
    assert (again.returncode, "was moved to" in again.stderr) == (1, True), again.stderr
    deployment.start_on_files()
    master = deployment.processes.running.pop(deployment.master)
    assert master.wait(_PATIENCE) != 0
    assert "was moved to" in deployment.processes.printed(deployment.master)


async def _check(control_store: str, crawl_store: str, task: str, manifest: Manifest) -> None:
    control, crawls = await open_control_store(control_store), await open_cluster_crawl_store(crawl_store)
    try:
        tasks = (await control.list_tasks(TaskQuery())).tasks
        assert [(each.id, each.status) for each in tasks] == [(task, TaskStatus.COMPLETED)]
        assert (await crawls.progress(task)).finished
        await assert_crawl_invariants(crawls, task)
        counts = Counter(record.url for record in await read_all_records(crawls, task))
        assert set(counts.values()) == {1}, "duplicate records"
        assert counts.keys() == manifest.expected_records(tracking_ignored=False)
    finally:
        await control.aclose()
        await crawls.aclose()
