"""How much faster several workers are, against a site that answers after 50 ms (P4)."""

import asyncio
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import aiohttp

from benchmarks.cluster.deployment import Deployment

_REQUESTS_AT_ONCE = 4  # of each worker
_SECONDS = 12  # that a worker takes for its share
_ANSWERS_PER_SECOND = 20  # of one connection


@dataclass(frozen=True)
class Step:
    """The rate of some workers, between the first tenth of the pages and the last."""

    workers: int
    pages: int
    pages_per_second: float


async def run_linear(folder: Path, workers: int) -> Step:
    pages = _REQUESTS_AT_ONCE * _ANSWERS_PER_SECOND * _SECONDS * workers
    with subprocess.Popen(
        [sys.executable, "-m", "benchmarks.cluster.slow_site", str(pages)], stdout=subprocess.PIPE, text=True
    ) as site:
        assert site.stdout is not None
        address = site.stdout.readline().strip()
        try:
            async with Deployment(folder) as deployment:
                await deployment.start_workers(workers, concurrency=_REQUESTS_AT_ONCE, processes=1)
                await _crawl(deployment, address, workers)
            return Step(workers, pages, await _rate(address, pages))
        finally:
            site.terminate()


async def _crawl(deployment: Deployment, address: str, workers: int) -> None:
    parameters = {"url": f"{address}/page/0", "per_host": 64, "ignore_robots": True}
    await deployment.post("/api/v1/tasks", {"parameters": parameters, "max_nodes": workers})
    async with asyncio.timeout(300):
        while await deployment.completed_tasks() < 1:
            await asyncio.sleep(0.2)


async def _rate(address: str, pages: int) -> float:
    async with aiohttp.ClientSession() as http, http.get(f"{address}/count") as response:
        moments = sorted(await response.json())
    if len(moments) < pages:
        raise RuntimeError(f"only {len(moments)} of {pages} pages were fetched")
    tenth = len(moments) // 10
    middle = moments[tenth:-tenth]
    return float((len(middle) - 1) / (middle[-1] - middle[0]))
