"""Delays, slots and blocks of hosts hold over all nodes and tasks, by the web server's own log.

Workers and the master are killed and started again all along: CHAOS_FAULTS says how often, and CHAOS_SEED
repeats it.
"""

import asyncio
import os
import random
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Self

import pytest
import pytest_asyncio

from crawlmesh import Client
from crawlmesh.client.hosts import HostLimits
from crawlmesh.errors import MasterUnreachableError
from crawlmesh.protocol.task_messages import NewTask
from crawlmesh.testing.cluster_processes import ClusterProcesses, free_port
from crawlmesh.testing.demo_site import DemoSiteOptions
from crawlmesh.testing.servers.fixtures import Databases
from tests.chaos.cluster_under_fire import SETTINGS
from tests.chaos.conftest import Say
from tests.chaos.crawl_under_fire import check_gaps
from tests.chaos.served_site import ServedSite, serving

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(3000)]

OPTIONS = DemoSiteOptions(
    shops=5, products=6, page_size=3, categories=1, latency=0.1, curiosities=False, crawl_delay=1.0
)
FAULTS = min(int(os.environ.get("CHAOS_FAULTS") or 5), 40)
WORKERS = ("worker-1", "worker-2", "worker-3")
PER_HOST = 3
DELAY = 1.0  # seconds
_PATIENCE = 300.0  # seconds; what does not happen until then hangs

StoreSettings = dict[str, object]


@pytest_asyncio.fixture(params=["sqlite", "postgresql", "redis"])
async def store(request: pytest.FixtureRequest) -> AsyncIterator[StoreSettings]:
    """The settings that choose the stores of a cluster. Workers reach SQLite through the master."""
    if request.param == "sqlite":
        yield {}
        return
    if request.param == "redis":
        yield {"crawl_store": request.getfixturevalue("redis_address")}
        return
    databases: Databases = request.getfixturevalue("postgres_databases")
    address = await databases.create()
    yield {"control_store": address, "crawl_store": address}
    await databases.drop(address)


class LimitedCluster:
    """A master, some workers, and two tasks for the same hosts."""

    def __init__(self, folder: Path, store: StoreSettings, site: ServedSite) -> None:
        self.site = site
        self.tasks: list[str] = []
        self._processes = ClusterProcesses(folder, {**SETTINGS, **store})
        self._client: Client

    async def __aenter__(self) -> Self:
        address = self._processes.start_master("master", free_port())
        self._client = Client(address, api_key=self._processes.key, timeout=5.0)
        for name in WORKERS:
            self._processes.start_worker(name, address)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._client.aclose()
        self._processes.__exit__(None, None, None)

    async def limit(self, host: str, limits: HostLimits) -> None:
        """Lay limits down, as soon as a master is there to do it."""

        async def done() -> bool:
            found = await self._client.hosts.limit(
                host, delay=limits.delay, slots=limits.slots, blocked=limits.blocked
            )
            return found.limits == limits

        await self.until(done, f"{host} is limited")

    async def submit(self) -> None:
        """Crawl the whole site, with all nodes."""
        parameters = {
            "url": self.site.manifest.portal_url,
            "allow_hosts": self.site.other_hosts,
            "selectors": {"heading": "h1"},
            "per_host": PER_HOST,
        }
        new = NewTask(parameters=parameters, max_nodes=len(WORKERS), max_retries=100)
        self.tasks.append((await self._client.tasks.submit(new)).id)

    async def kill(self, name: str) -> None:
        """Kill a process and start it again."""
        self._processes.kill(name)
        self._processes.start_again(name)

    async def all_online(self) -> bool:
        """Whether every worker is there."""
        nodes = [node async for node in self._client.nodes.list()]
        return sum(node.status == "online" for node in nodes) == len(WORKERS)

    async def only_blocked_left(self) -> bool:
        """Whether all tasks have links left, and only on blocked hosts."""
        blocked = {host.host async for host in self._client.hosts.list() if host.blocked}
        for task in self.tasks:
            progress = await self._client.tasks.progress(task)
            left = {host.host for host in await self._client.tasks.hosts(task) if host.queued}
            if progress.leased or not left or not left <= blocked:
                return False
        return True

    async def finished(self) -> bool:
        """Whether all tasks are completed."""
        return all([(await self._client.tasks.get(task)).status == "completed" for task in self.tasks])

    async def reasons(self, task_id: str) -> str:
        """What a task waits for, in words."""
        return " ".join((await self._client.tasks.explain(task_id)).sentences)

    async def nodes_of(self, task_id: str) -> set[str]:
        """The nodes that worked on a task."""
        return {execution.node_id for execution in await self._client.tasks.executions(task_id)}

    async def records_of(self, task_id: str) -> list[str]:
        """The URLs of a task's records."""
        return sorted([record.url async for record in self._client.tasks.records(task_id)])

    async def further_requests(self, number: int) -> None:
        """Wait until the site has seen so many requests more, or nobody may ask it anything."""
        wanted = self.site.requests() + number

        async def seen() -> bool:
            return self.site.requests() >= wanted or await self.only_blocked_left()

        await self.until(seen, f"the site sees {number} further requests")

    async def until(self, holds: Callable[[], Awaitable[bool]], what: str) -> None:
        """Wait for something that must happen; a master that is being started again is waited for."""
        deadline = time.monotonic() + _PATIENCE
        while not await self._holds(holds):
            self._processes.raise_for_ended()
            printed = [self._processes.printed(name) for name in self._processes.running]
            assert time.monotonic() < deadline, f"it does not happen that {what}; {printed}"
            await asyncio.sleep(0.05)

    async def _holds(self, holds: Callable[[], Awaitable[bool]]) -> bool:
        try:
            return await holds()
        except MasterUnreachableError:
            return False


async def test_limits_of_hosts_hold_over_nodes_and_tasks(
    tmp_path: Path, store: StoreSettings, dice: random.Random, say: Say
) -> None:
    with serving(tmp_path / "site", OPTIONS) as site:
        _, slow, delayed, single, blocked, _ = site.manifest.hosts
        async with LimitedCluster(tmp_path / "cluster", store, site) as cluster:
            await cluster.limit(slow, HostLimits(delay=DELAY))
            await cluster.limit(single, HostLimits(slots=1))
            await cluster.limit(blocked, HostLimits(blocked=True))
            await cluster.until(cluster.all_online, "all workers are online")
            await cluster.submit()
            await cluster.submit()
            for victim in [*dice.choices(WORKERS, k=FAULTS - 1), "master"]:
                await cluster.further_requests(dice.randrange(4, 16))
                await cluster.kill(victim)
            await cluster.until(cluster.only_blocked_left, "only the blocked host has links left")
            assert site.requests(blocked) == 0
            for task in cluster.tasks:
                assert f"host {blocked} is blocked by a user" in await cluster.reasons(task)
            await cluster.limit(blocked, HostLimits(slots=2))
            await cluster.until(cluster.finished, "the tasks end")
            expected = sorted(site.manifest.expected_records(tracking_ignored=False))
            for task in cluster.tasks:
                assert await cluster.records_of(task) == expected
                assert len(await cluster.nodes_of(task)) > 1
        log = site.log()
        check_gaps(log, slow, DELAY)
        check_gaps(log, delayed, OPTIONS.crawl_delay)
        most = {host: log.max_concurrency(host) for host in site.manifest.hosts}
        assert most[single] == 1
        assert most[blocked] <= 2
        assert max(most.values()) <= PER_HOST
        assert log.disallowed_requests(site.manifest) == []
        say(
            f"global politeness: {FAULTS} kills, {len(log.requests())} requests, "
            f"requests at once {most}, least gaps {log.min_gap(slow):.2f} s and {log.min_gap(delayed):.2f} s"
        )
