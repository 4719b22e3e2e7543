"""Other systems put tasks into a broker; the broker, a worker and the master are killed in the middle."""

import asyncio
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from crawlmesh.model.execution import ExecutionStatus
from crawlmesh.model.query import TaskQuery
from crawlmesh.model.task import TaskStatus
from crawlmesh.testing.demo_site import DemoSiteOptions, PageKind
from crawlmesh.testing.invariants import read_all_records
from crawlmesh.wiring.stores import open_cluster_crawl_store, open_control_store
from tests.chaos.cluster_under_fire import ClusterUnderFire
from tests.chaos.engines import Engines, Server, engines
from tests.chaos.other_system import OtherSystem
from tests.chaos.served_site import ServedSite, serving

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(600)]

MALFORMED: dict[str, tuple[Any, str]] = {
    "no-json": (b"{url: 1", "not JSON"),
    "a-list": ([1, 2], "JSON list"),
    "unknown-field": ({"url": "https://a.example/", "colour": "red"}, "colour"),
    "bad-priority": ({"url": "https://a.example/", "priority": 12}, "priority is 12"),
    "bad-selector": ({"url": "https://a.example/", "selectors": {"title": "h1[["}}, "selectors"),
}
NOOPS, PAGES = 35, 10
SELECTORS = {"title": "title"}
SITE = DemoSiteOptions(shops=2, products=20, categories=1, latency=0.5, curiosities=False)


def _channels() -> list[Any]:
    return [pytest.param(name, marks=pytest.mark.xdist_group(name)) for name in ("rabbitmq", "kafka")]


@pytest.mark.parametrize("channel", _channels())
async def test_tasks_of_other_systems_survive_every_kill(
    channel: str, tmp_path: Path, dice: random.Random
) -> None:
    with engines("sqlite", channel, tmp_path / "stores") as behind, serving(tmp_path / "site", SITE) as site:
        async with ClusterUnderFire(tmp_path / "cluster", behind, site, dice, workers=2) as cluster:
            other = cluster.other_system
            assert other is not None
            await _publish_and_kill(cluster, other, behind.brokers[channel])
            await cluster.until(cluster.all_tasks_ended, "every task ends")
            dead = await other.dead_letters(len(MALFORMED))
        for name, (_, reason) in MALFORMED.items():
            assert reason in dead.pop(name)
        assert dead == {}
        await _check(behind, site)


async def _publish_and_kill(cluster: ClusterUnderFire, other: OtherSystem, broker: Server) -> None:
    await other.publish_noops(NOOPS // 2)
    await cluster.until(lambda: _some_tasks(cluster), "the first tasks are there")
    cluster.kill("master-1")  # some of them are stored and not accepted
    await other.publish({name: body for name, (body, _) in MALFORMED.items()})
    cluster.start_again("master-1")
    pages = _pages(cluster.site)
    await other.publish_tasks(
        {f"page-{number}": {"url": url, "selectors": SELECTORS} for number, url in enumerate(pages)}
    )
    await cluster.until(lambda: _is_asked(cluster.site), "the workers are at it")
    cluster.kill("worker-1")  # with what it has taken and not reported
    await asyncio.to_thread(broker.kill)
    cluster.start_again("worker-1")
    publishing = asyncio.ensure_future(other.publish_noops(NOOPS - NOOPS // 2))
    await asyncio.to_thread(broker.start)
    await publishing


async def _is_asked(site: ServedSite) -> bool:
    return site.requests() >= 2


async def _some_tasks(cluster: ClusterUnderFire) -> bool:
    return bool((await cluster.get("/api/v1/system/overview"))["tasks_total"] > 0)


def _pages(site: ServedSite) -> list[str]:
    entries = site.manifest.entries.values()
    return sorted(entry.url for entry in entries if entry.kind is PageKind.PAGE and entry.title)[:PAGES]


async def _check(behind: Engines, site: ServedSite) -> None:
    control = await open_control_store(behind.control_store)
    crawls = await open_cluster_crawl_store(behind.crawl_store)
    try:
        tasks = (await control.list_tasks(TaskQuery(limit=1000))).tasks
        assert Counter(task.status for task in tasks) == {TaskStatus.COMPLETED: NOOPS + PAGES}
        noops = Counter(task.parameters["number"] for task in tasks if task.task_type == "noop")
        assert noops == Counter(range(NOOPS))
        crawled = {task.parameters["url"]: task.id for task in tasks if task.task_type == "web_crawl"}
        assert crawled.keys() == set(_pages(site))
        for task in tasks:
            executions = await control.task_executions(task.id)
            ended = Counter(each.status for each in executions)
            assert ended[ExecutionStatus.COMPLETED] == 1
            assert ended[ExecutionStatus.RUNNING] == 0
        for url, crawl_id in crawled.items():
            assert [record.url for record in await read_all_records(crawls, crawl_id)] == [url]
    finally:
        await control.aclose()
        await crawls.aclose()
