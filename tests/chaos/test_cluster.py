"""Masters and workers are killed, paused and cut off, and nothing is lost or doubled (P3).

`make chaos` hits 100 times and more; `make test` a few times. A run says its seed, and CHAOS_SEED repeats it.
"""

import os
import random
from collections import Counter
from pathlib import Path

import pytest

from crawlmesh.adapters.postgres.control import PostgresControlStore
from crawlmesh.adapters.postgres.crawl_store import PostgresCrawlStore
from crawlmesh.model.execution import ExecutionStatus
from crawlmesh.model.record import Record
from crawlmesh.model.task import TaskStatus
from crawlmesh.testing.demo_site import DemoSiteOptions, Manifest
from crawlmesh.testing.invariants import assert_crawl_invariants, read_all_records
from tests.chaos.cluster_under_fire import ClusterUnderFire
from tests.chaos.conftest import Say
from tests.chaos.crawl_under_fire import check_politeness
from tests.chaos.served_site import serving

pytestmark = [pytest.mark.chaos, pytest.mark.timeout(3000)]

FAULTS = int(os.environ.get("CHAOS_FAULTS") or 12)

OPTIONS = DemoSiteOptions(
    shops=5, products=29, page_size=5, categories=2, latency=0.08, slow_seconds=0.1, crawl_delay=1.0
)


async def test_masters_and_workers(tmp_path: Path, postgres_dsn: str, dice: random.Random, say: Say) -> None:
    address = postgres_dsn
    with serving(tmp_path / "site", OPTIONS) as site:
        async with ClusterUnderFire(tmp_path / "cluster", address, site, dice) as cluster:
            await _fire(cluster, dice)
            await cluster.heal()
            await cluster.until(cluster.all_tasks_ended, "every task ends")
        check_politeness(site.log(), site.manifest, site.delayed_host)
        await _check_stores(address, cluster, site.manifest)
        say(
            f"cluster: {cluster.faults.total()} faults "
            f"({', '.join(f'{kind} {number}' for kind, number in sorted(cluster.faults.items()))}), "
            f"{len(cluster.crawls)} crawls and {len(cluster.tasks) - len(cluster.crawls)} small tasks, "
            f"{len(site.log().requests())} requests, 0 links lost, 0 duplicate records, all tasks completed"
        )


async def _fire(cluster: ClusterUnderFire, dice: random.Random) -> None:
    await cluster.submit_crawl()
    while cluster.faults.total() < FAULTS:
        if await cluster.crawl_is_over():
            await cluster.submit_crawl()
        await cluster.further_requests(dice.randrange(1, 12))
        await cluster.submit_noops(2)
        await cluster.hit()


async def _check_stores(address: str, cluster: ClusterUnderFire, manifest: Manifest) -> None:
    control = await PostgresControlStore.open(address)
    crawls = await PostgresCrawlStore.open(address)
    try:
        tasks = await control.tasks_by_id(cluster.tasks)
        assert {task.id for task in tasks} == set(cluster.tasks)
        assert Counter(task.status for task in tasks) == {TaskStatus.COMPLETED: len(tasks)}
        for task in tasks:
            executions = await control.task_executions(task.id)
            assert all(each.status is not ExecutionStatus.RUNNING for each in executions), task.id
        for crawl_id in cluster.crawls:
            assert (await crawls.progress(crawl_id)).finished
            await assert_crawl_invariants(crawls, crawl_id)
            _check_records(await read_all_records(crawls, crawl_id), manifest)
    finally:
        await control.aclose()
        await crawls.aclose()


def _check_records(records: list[Record], manifest: Manifest) -> None:
    counts = Counter(record.url for record in records)
    expected = manifest.expected_records(tracking_ignored=False)
    assert [url for url, count in counts.items() if count > 1] == [], "duplicate records"
    assert expected - counts.keys() == set(), "missing records"
    assert counts.keys() - expected == set(), "records of pages that must not be there"
