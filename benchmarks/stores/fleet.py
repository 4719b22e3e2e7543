"""A fleet of workers on one store, without a network: `python -m benchmarks.stores.fleet ADDRESS`.

Each worker leases, makes up what the pages would have brought, and settles. Of the links of a page as many
are new as it takes to keep the queue full; the others are known to the store. With `--remember`, a worker
keeps those back that it has sent before, as real ones do (`crawlmesh.crawl.recent_links`).
"""

import argparse
import asyncio
import json
import multiprocessing
import random
import time
from hashlib import blake2b
from typing import Any

from benchmarks.stores.workload import HOSTS, url_of
from crawlmesh.crawl.recent_links import RecentLinks
from crawlmesh.model.crawl import Crawl
from crawlmesh.model.lease import HostBatch, LeaseRequest, Settlement
from crawlmesh.model.link import LeasedLink, NewLink
from crawlmesh.model.outcome import LinkOutcome, OutcomeKind
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.wiring.stores import open_cluster_crawl_store

CRAWL_ID = "fleet"
LINKS_PER_PAGE = 40
NEW_PER_PAGE = 1.2
FIRST = 50_000  # links that are known at the beginning
RECORD = b'{"title":"' + b"x" * 300 + b'"}'


def link(number: int, parent_id: int | None = None) -> NewLink:
    url = url_of(number)
    fingerprint = blake2b(url.encode(), digest_size=16).digest()
    return NewLink(CRAWL_ID, fingerprint, url, f"host-{number % HOSTS}.example", 1, parent_id=parent_id)


class SimulatedWorkers:
    """Some workers of one process; they share what the process knows of links, as engines do."""

    def __init__(self, store: CrawlStore, index: int, processes: int, remember: bool) -> None:
        self._store = store
        self._chooser = random.Random(index)
        self._next = FIRST + index
        self._step = processes
        self._recent: RecentLinks[bytes] | None = RecentLinks() if remember else None
        self._known = [link(number) for number in range(0, FIRST, 5)]
        self.pages = 0
        self.sent = 0

    async def work(self, name: str, until: float) -> None:
        request = LeaseRequest(name, (CRAWL_ID,), max_links=128, max_batches=8, batch_links=32, batch_slots=2)
        while time.monotonic() < until:
            grant = await self._store.lease(request)
            if not grant.batches:
                await asyncio.sleep(min(grant.retry_in or 0.05, 0.05))
                continue
            settlements = [self._settlement(batch) for batch in grant.batches]
            assert all(await self._store.settle(settlements))
            self.pages += sum(len(batch.links) for batch in grant.batches)
            self.sent += sum(len(settlement.discovered) for settlement in settlements)

    def _settlement(self, batch: HostBatch) -> Settlement:
        now = time.time()
        outcomes = [
            LinkOutcome(
                each.id,
                OutcomeKind.FETCHED,
                each.attempt,
                http_status=200,
                fetched_at=now,
                size=20_000,
                record=RECORD,
            )
            for each in batch.links
        ]
        discovered = [found for each in batch.links for found in self._found(each)]
        return Settlement(batch.fence, outcomes, discovered)

    def _found(self, page: LeasedLink) -> list[NewLink]:
        new = int(NEW_PER_PAGE + self._chooser.random())
        found = self._chooser.choices(self._known, k=LINKS_PER_PAGE - new)
        for _ in range(new):
            found.append(link(self._next, page.id))
            self._next += self._step
        if self._recent is None:
            return found
        remember = self._recent.remember
        return [each for each in found if remember(each.fingerprint)]


async def _run_process(address: str, index: int, given: argparse.Namespace) -> dict[str, Any]:
    store = await open_cluster_crawl_store(address)
    try:
        workers = SimulatedWorkers(store, index, given.processes, given.remember)
        until = time.monotonic() + given.seconds
        cpu = time.process_time()
        names = [f"worker-{index}-{number}" for number in range(given.workers // given.processes)]
        await asyncio.gather(*(workers.work(name, until) for name in names))
        return {"pages": workers.pages, "sent": workers.sent, "cpu": time.process_time() - cpu}
    finally:
        await store.aclose()


def _process(index: int, given: argparse.Namespace, answers: "multiprocessing.Queue[Any]") -> None:
    answers.put(asyncio.run(_run_process(given.address, index, given)))


async def _prepare(address: str) -> None:
    store = await open_cluster_crawl_store(address)
    try:
        await store.create_crawl(Crawl(CRAWL_ID, b"{}", time.time(), default_slots=64))
        for first in range(0, FIRST, 5_000):
            await store.add([link(number) for number in range(first, first + 5_000)])
    finally:
        await store.aclose()


def run(given: argparse.Namespace) -> dict[str, float]:
    """The whole fleet for some seconds; what it did in each second."""
    asyncio.run(_prepare(given.address))
    context = multiprocessing.get_context("spawn")
    answers: multiprocessing.Queue[Any] = context.Queue()
    processes = [
        context.Process(target=_process, args=(index, given, answers)) for index in range(given.processes)
    ]
    for process in processes:
        process.start()
    told = [answers.get() for _ in processes]
    for process in processes:
        process.join()
    pages = sum(each["pages"] for each in told)
    return {
        "pages_per_second": pages / given.seconds,
        "links_per_second": pages * LINKS_PER_PAGE / given.seconds,
        "sent_per_page": sum(each["sent"] for each in told) / max(pages, 1),
        "client_cores": sum(each["cpu"] for each in told) / given.seconds,
    }


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.stores.fleet", description=__doc__)
    parser.add_argument("address")
    parser.add_argument("--workers", type=int, default=64)
    parser.add_argument("--processes", type=int, default=2, help="that the workers are spread over")
    parser.add_argument("--seconds", type=float, default=15.0)
    parser.add_argument("--remember", action="store_true", help="keep links back that were sent before")
    print(json.dumps(run(parser.parse_args())))


if __name__ == "__main__":
    main()
