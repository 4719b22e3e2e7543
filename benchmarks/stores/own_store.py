"""One of our stores: `python -m benchmarks.stores.own_store NAME ADDRESS KNOWN…`."""

import argparse
import asyncio
import gc
import resource
import time
from hashlib import blake2b

from benchmarks.stores.store_sizes import Sizes, size_of
from benchmarks.stores.workload import HOSTS, Rates, Stopwatch, chunks, tell, url_of, window
from crawlmesh.model.crawl import Crawl, Dedup
from crawlmesh.model.lease import HostBatch, LeaseRequest, Settlement
from crawlmesh.model.link import LeasedLink, NewLink
from crawlmesh.model.outcome import LinkOutcome, OutcomeKind
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.wiring.stores import open_cluster_crawl_store

CRAWL_ID = "bench"
REQUEST = LeaseRequest("bench", (CRAWL_ID,), max_links=1_000, max_batches=100, batch_links=64, duration=600.0)


def links(numbers: range) -> list[NewLink]:
    """Links as the engine makes them. Their making is timed, as scrapy-redis makes fingerprints itself."""
    found = []
    for number in numbers:
        url = url_of(number)
        fingerprint = blake2b(url.encode(), digest_size=16).digest()
        host = f"host-{number % HOSTS}.example"
        found.append(NewLink(CRAWL_ID, fingerprint, url, host, 1, number % 10 + 1))
    return found


async def add(store: CrawlStore, first: int, last: int) -> tuple[int, Stopwatch]:
    """Add links by their numbers. Returns how many were new, and how long the calls took."""
    watch = Stopwatch()
    new = 0
    for numbers in chunks(first, last):
        with watch:
            new += await store.add(links(numbers))
    return new, watch


async def take(store: CrawlStore, wanted: int) -> tuple[int, Stopwatch]:
    """Lease and settle, without pages that link to others."""
    watch = Stopwatch()
    taken = 0
    while taken < wanted:
        with watch:
            grant = await store.lease(REQUEST)
        settlements = [_fetched(batch) for batch in grant.batches]
        with watch:
            assert all(await store.settle(settlements))
        taken += sum(len(batch.links) for batch in grant.batches)
        assert grant.batches, "the store gave nothing though links wait"
    return taken, watch


def _fetched(batch: HostBatch) -> Settlement:
    return Settlement(batch.fence, [_outcome(link, time.time()) for link in batch.links])


def _outcome(link: LeasedLink, now: float) -> LinkOutcome:
    return LinkOutcome(
        link.id, OutcomeKind.FETCHED, link.attempt, http_status=200, fetched_at=now, size=20_000
    )


async def measure(store: CrawlStore, address: str, goals: list[int]) -> None:
    begun_with = await size_of(store, address)
    given_filter = (await store.progress(CRAWL_ID)).filter is not None
    known = 0
    for goal in goals:
        size = window(goal)
        await add(store, known, goal - size)
        gc.collect()
        new, adding = await add(store, goal - size, goal)
        known = goal
        sizes = await size_of(store, address)
        again, refusing = await add(store, goal // 3, goal // 3 + size)
        taken, taking = await take(store, size)
        tell(
            Rates(
                known=goal,
                added_per_second=new / adding.wall,
                refused_per_second=(size - again) / refusing.wall,
                taken_per_second=taken / taking.wall,
                client_cpu_per_added=adding.cpu / max(new, 1) * 1e6,
                bytes_per_known_link=_known_bytes(begun_with, sizes, given_filter) / goal,
                bytes_per_link=(sizes.all - begun_with.all) / goal,
            )
        )


def _known_bytes(before: Sizes, now: Sizes, has_filter: bool) -> int:
    """A filter has its whole size from the beginning."""
    return now.dedup if has_filter else now.dedup - before.dedup


async def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("address")
    parser.add_argument("known", type=int, nargs="+")
    parser.add_argument("--dedup", default="exact")
    given = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (resource.getrlimit(resource.RLIMIT_NOFILE)[1],) * 2)
    store = await open_cluster_crawl_store(given.address)
    try:
        capacity = max(given.known)
        crawl = Crawl(
            CRAWL_ID, b"{}", time.time(), default_slots=64, dedup=Dedup(given.dedup), filter_capacity=capacity
        )
        await store.create_crawl(crawl)
        await measure(store, given.address, given.known)
    finally:
        await store.aclose()


if __name__ == "__main__":
    asyncio.run(main())
