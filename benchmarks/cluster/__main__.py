"""Measures the cluster, part by part, and prints one table for each."""

import argparse
import asyncio
import sys
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.cluster.crawl_beside import run_alone, run_cluster
from benchmarks.cluster.creation import run_creation
from benchmarks.cluster.idle import run_idle
from benchmarks.cluster.linear import run_linear
from benchmarks.cluster.noop import Throughput, run_crawlmesh
from benchmarks.cluster.peer_queues import run_celery, run_procrastinate
from benchmarks.cluster.scheduling_round import run_rounds
from benchmarks.machine import machine_facts
from benchmarks.nginx import free_port
from benchmarks.shop_site import SiteParameters, ensure_site
from crawlmesh.testing.servers.fixtures import Databases
from crawlmesh.testing.servers.postgres import PostgresServer

WORK_FOLDER = Path(__file__).resolve().parents[1] / ".work"


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cluster", description=__doc__)
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(PARTS), metavar="PART,…")
    parser.add_argument("--tasks", type=int, default=10_000, help="no-op tasks of each queue")
    parser.add_argument("--rounds", type=int, default=1, help="of the no-op tasks and the crawls")
    parser.add_argument("--pages", type=int, default=20_000, help="of the site that is crawled")
    parser.add_argument("--connections", type=int, default=64)
    return parser.parse_args()


@contextmanager
def new_folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="cluster-bench-") as folder:
        yield Path(folder)


def print_table(headings: list[str], rows: list[list[str]]) -> None:
    print("\n| " + " | ".join(headings) + " |\n| --- " + "| --: " * (len(headings) - 1) + "|")
    for row in rows:
        print("| " + " | ".join(row) + " |")
    print(flush=True)


async def noop(given: argparse.Namespace) -> None:
    measured: list[Throughput] = []
    for _ in range(given.rounds):
        with PostgresServer() as postgres:
            databases = Databases(postgres)
            with new_folder() as folder:
                measured.append(await run_crawlmesh("Crawlmesh, SQLite", folder, given.tasks, None))
            with new_folder() as folder:
                address = await databases.create()
                measured.append(await run_crawlmesh("Crawlmesh, PostgreSQL", folder, given.tasks, address))
            measured.append(run_celery(WORK_FOLDER, given.tasks))
            address = await databases.create()
            measured.append(run_procrastinate(WORK_FOLDER, given.tasks, address))
    rates = {each.name: each.per_second for each in measured}
    celery = next(rate for name, rate in rates.items() if name.startswith("Celery"))
    procrastinate = next(rate for name, rate in rates.items() if name.startswith("Procrastinate"))
    print_table(
        ["queue", "tasks/s", "create s", "whole s", "CPU s", "steal %", "x Celery", "x Procrastinate"],
        [
            [
                each.name,
                f"{each.per_second:,.0f}",
                f"{each.create_seconds:.2f}",
                f"{each.seconds:.2f}",
                f"{each.cpu_seconds:.2f}",
                f"{each.steal_share * 100:.0f}",
                f"{each.per_second / celery:.2f}",
                f"{each.per_second / procrastinate:.2f}",
            ]
            for each in measured
        ],
    )


async def create(_given: argparse.Namespace) -> None:
    rows = []
    with PostgresServer() as postgres:
        for name, address in (("SQLite", None), ("PostgreSQL", await Databases(postgres).create())):
            with new_folder() as folder:
                found = await run_creation(folder, 300, 20, address)
            rows.append(
                [
                    name,
                    f"{found.calls:,}",
                    f"{found.median:.1f}",
                    f"{found.p99:.1f}",
                    f"{found.worst:.1f}",
                    f"{found.steal_share * 100:.0f}",
                ]
            )
    print_table(["store, 300 calls/s", "calls", "median ms", "p99 ms", "worst ms", "steal %"], rows)


async def linear(_given: argparse.Namespace) -> None:
    steps = []
    for workers in (1, 2, 4, 8):
        with new_folder() as folder:
            steps.append(await run_linear(folder, workers))
    one = steps[0].pages_per_second
    print_table(
        ["workers", "pages", "pages/s", "x one worker", "of linear"],
        [
            [
                str(step.workers),
                f"{step.pages:,}",
                f"{step.pages_per_second:,.0f}",
                f"{step.pages_per_second / one:.2f}",
                f"{step.pages_per_second / one / step.workers:.2f}",
            ]
            for step in steps
        ],
    )


async def idle(_given: argparse.Namespace) -> None:
    with new_folder() as folder:
        cost = await run_idle(folder, workers=100, seconds=60, heartbeat_interval=30)
    print_table(
        ["idle workers", "seconds", "master, % of a core"],
        [[str(cost.workers), f"{cost.seconds:.0f}", f"{cost.share * 100:.2f}"]],
    )


async def crawl(given: argparse.Namespace) -> None:
    parameters = SiteParameters(pages=given.pages, hosts=20, port=free_port(18_091, 20))
    site = ensure_site(WORK_FOLDER, parameters)
    speeds = []
    for _ in range(given.rounds):
        speeds.append(run_alone(site, given.connections, WORK_FOLDER / "logs", sys.executable))
        speeds.append(await run_cluster(site, given.connections))
        with PostgresServer() as postgres:
            speeds.append(await run_cluster(site, given.connections, await Databases(postgres).create()))
    base = speeds[0].pages_per_second
    print_table(
        ["crawl", "active pages/s", "missing", "duplicates", "of the first"],
        [
            [
                each.name,
                f"{each.pages_per_second:,.0f}",
                str(each.missing),
                str(each.duplicates),
                f"{each.pages_per_second / base:.2f}",
            ]
            for each in speeds
        ],
    )


async def scheduling(_given: argparse.Namespace) -> None:
    small, large = await run_rounds()
    print_table(
        ["round of 1,000 tasks", "nodes", "pending tasks", "median ms", "of the first"],
        [
            [
                name,
                f"{each.nodes:,}",
                f"{each.pending:,}",
                f"{each.milliseconds:.0f}",
                f"{each.milliseconds / small.milliseconds:.2f}",
            ]
            for name, each in (("small", small), ("large", large))
        ],
    )


PARTS: dict[str, Callable[[argparse.Namespace], Awaitable[None]]] = {
    "noop": noop,
    "scheduling": scheduling,
    "create": create,
    "linear": linear,
    "idle": idle,
    "crawl": crawl,
}


async def main() -> None:
    given = read_arguments()
    WORK_FOLDER.mkdir(exist_ok=True)
    for name in given.only:
        print(f"# {name}", flush=True)
        await PARTS[name](given)
    for fact, value in machine_facts().items():
        print(f"- {fact}: {value}")


if __name__ == "__main__":
    asyncio.run(main())
