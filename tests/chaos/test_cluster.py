"""Masters, workers, stores and brokers are killed, paused and cut off, and nothing is lost or doubled (P3).

`make chaos STORE=… CHANNEL=…` hits one combination 100 times and more; `make test` the most telling ones a
few times. A run says its seed, and CHAOS_SEED repeats it.
"""

import os
import random
from collections import Counter
from pathlib import Path

import msgspec
import pytest
from _pytest.mark import ParameterSet

from crawlmesh.model.execution import ExecutionStatus
from crawlmesh.model.query import TaskQuery
from crawlmesh.model.record import Record
from crawlmesh.model.task import Task, TaskStatus
from crawlmesh.testing.demo_site import DemoSiteOptions, Manifest
from crawlmesh.testing.invariants import assert_crawl_invariants, read_all_records
from crawlmesh.wiring.stores import open_cluster_crawl_store, open_control_store
from tests.chaos.cluster_under_fire import ClusterUnderFire
from tests.chaos.conftest import Say
from tests.chaos.crawl_under_fire import check_politeness
from tests.chaos.engines import Engines, engines
from tests.chaos.served_site import serving

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(3000)]

FAULTS = int(os.environ.get("CHAOS_FAULTS") or 0)
STORE = os.environ.get("CHAOS_STORE") or "postgres"
CHANNEL = os.environ.get("CHAOS_CHANNEL") or "none"

SHORT = {("postgres", "none"): 12, ("redis", "rabbitmq"): 5, ("sqlite", "kafka"): 4}
COMBINATIONS = {(STORE, CHANNEL): FAULTS} if FAULTS else SHORT

OPTIONS = DemoSiteOptions(
    shops=5, products=29, page_size=5, categories=2, latency=0.08, slow_seconds=0.1, crawl_delay=1.0
)
SMALL = msgspec.structs.replace(OPTIONS, shops=3, products=11, crawl_delay=0.5)
_FEW = 6  # faults for which the small site is large enough


def _case(store: str, channel: str, faults: int) -> ParameterSet:
    marks = [] if channel == "none" else [pytest.mark.xdist_group(channel)]
    return pytest.param(store, channel, faults, id=f"{store}-{channel}", marks=marks)


@pytest.mark.parametrize(
    ("store", "channel", "faults"), [_case(*names, faults) for names, faults in COMBINATIONS.items()]
)
async def test_everything_is_hit(
    store: str, channel: str, faults: int, tmp_path: Path, dice: random.Random, say: Say
) -> None:
    options = OPTIONS if faults > _FEW else SMALL
    with engines(store, channel, tmp_path / "stores") as behind, serving(tmp_path / "site", options) as site:
        async with ClusterUnderFire(tmp_path / "cluster", behind, site, dice) as cluster:
            await _fire(cluster, dice, faults)
            await cluster.heal()
            await cluster.until(cluster.all_tasks_ended, "every task ends")
            told = await _check_told(cluster)
        check_politeness(site.log(), site.manifest, site.delayed_host)
        small = await _check_stores(behind, cluster, site.manifest)
        say(
            f"cluster on {store} and {channel}: {cluster.faults.total()} faults "
            f"({', '.join(f'{kind} {number}' for kind, number in sorted(cluster.faults.items()))}), "
            f"{len(cluster.crawls)} crawls and {small} small tasks, "
            f"{len(site.log().requests())} requests, 0 links lost, 0 duplicate records, "
            f"all tasks completed{told}"
        )


async def _fire(cluster: ClusterUnderFire, dice: random.Random, faults: int) -> None:
    await cluster.submit_crawl()
    first = [f"kill {name}" for name in cluster.engines]  # each at least once, however short the run
    dice.shuffle(first)
    while cluster.faults.total() < faults:
        if await cluster.crawl_is_over():
            await cluster.submit_crawl()
        await cluster.further_requests(dice.randrange(1, 12))
        await cluster.submit_noops(2)
        await cluster.hit(first.pop() if first else None)


async def _check_told(cluster: ClusterUnderFire) -> str:
    """Every event and every result came over the bus at least once."""
    if cluster.other_system is None:
        return ""
    last = (await cluster.get("/api/v1/system/overview"))["last_event_id"]
    events = await cluster.other_system.listen("events", {str(number + 1) for number in range(last)})
    tasks = {task["id"] for task in (await cluster.get("/api/v1/tasks?limit=1000"))["items"]}
    results = await cluster.other_system.listen("results", tasks)
    return f", {events.total()} events and {results.total()} results over the bus"


async def _check_stores(behind: Engines, cluster: ClusterUnderFire, manifest: Manifest) -> int:
    """Returns how many tasks there are beside the crawls."""
    control = await open_control_store(behind.control_store)
    crawls = await open_cluster_crawl_store(behind.crawl_store)
    try:
        tasks = list((await control.list_tasks(TaskQuery(limit=100_000))).tasks)
        assert Counter(task.status for task in tasks) == {TaskStatus.COMPLETED: len(tasks)}
        _check_submissions(tasks, cluster)
        for task in tasks:
            executions = await control.task_executions(task.id)
            assert all(each.status is not ExecutionStatus.RUNNING for each in executions), task.id
            finished = [each for each in executions if each.status is ExecutionStatus.COMPLETED]
            assert len(finished) == 1 or task.id in cluster.crawls, f"{task.id} was completed twice"
        for crawl_id in cluster.crawls:
            assert (await crawls.progress(crawl_id)).finished
            await assert_crawl_invariants(crawls, crawl_id)
            _check_records(await read_all_records(crawls, crawl_id), manifest)
    finally:
        await control.aclose()
        await crawls.aclose()
    return len(tasks) - len(cluster.crawls)


def _check_submissions(tasks: list[Task], cluster: ClusterUnderFire) -> None:
    """What was submitted is there once, and nothing else."""
    if cluster.other_system is None:
        assert {task.id for task in tasks} == set(cluster.tasks)
        return
    numbers = Counter(task.parameters["number"] for task in tasks if task.id not in cluster.tasks)
    assert numbers == Counter(range(cluster.other_system.noops))


def _check_records(records: list[Record], manifest: Manifest) -> None:
    counts = Counter(record.url for record in records)
    expected = manifest.expected_records(tracking_ignored=False)
    assert [url for url, count in counts.items() if count > 1] == [], "duplicate records"
    assert expected - counts.keys() == set(), "missing records"
    assert counts.keys() - expected == set(), "records of pages that must not be there"
