"""A crawl through a master and two workers, beside `crawlmesh crawl --processes 2` on the same site."""

import asyncio
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.access_log import read_access_log
from benchmarks.cluster.deployment import Deployment
from benchmarks.line_up import choose_competitors
from benchmarks.nginx import Nginx
from benchmarks.shop_site import Site
from benchmarks.trial import run_trial

_LONGEST = 600.0  # seconds


@dataclass(frozen=True)
class CrawlSpeed:
    """Pages per second between the first and the last answer in nginx's log."""

    name: str
    pages_per_second: float
    missing: int
    duplicates: int


def run_alone(site: Site, connections: int, log_folder: Path, python: str) -> CrawlSpeed:
    competitor = choose_competitors(["crawlmesh-2"])[0]
    trial = run_trial(
        competitor,
        site=site,
        python=python,
        connections=connections,
        timeout=_LONGEST,
        log_folder=log_folder,
    )
    view = trial.server
    return CrawlSpeed("crawl --processes 2", trial.active_pages_per_second, view.missing, view.duplicates)


async def run_cluster(site: Site, connections: int, crawl_store: str | None = None) -> CrawlSpeed:
    with tempfile.TemporaryDirectory(prefix="cluster-bench-") as temporary:
        folder = Path(temporary)
        with Nginx(site, folder / "nginx") as server:
            async with Deployment(folder / "cluster", crawl_store, crawl_store) as deployment:
                await deployment.start_workers(2, concurrency=connections, processes=1)
                await _crawl(deployment, site, connections)
        view = read_access_log(server.access_log, site.urls())
    name = "master and two workers" + (", PostgreSQL" if crawl_store else ", through the master")
    fetched = site.parameters.pages - view.missing
    return CrawlSpeed(name, fetched / view.active_seconds, view.missing, view.duplicates)


async def _crawl(deployment: Deployment, site: Site, connections: int) -> None:
    parameters = {
        "url": site.urls()[0],
        "scope": "any",
        "ignore_robots": True,
        "per_host": connections,
        "selectors": {
            "title": "title",
            "products": "div.product h2.title a",
            "prices": "div.product span.price",
        },
    }
    await deployment.post("/api/v1/tasks", {"parameters": parameters, "max_nodes": 2})
    begun = time.perf_counter()
    while await deployment.completed_tasks() < 1:
        if time.perf_counter() - begun > _LONGEST:
            raise RuntimeError("the crawl did not end")
        await asyncio.sleep(0.2)
