"""How a crawl store scales with known URLs: `python -m benchmarks.store_scaling --help`."""

import argparse
import asyncio
import json
import resource
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.machine import StealMeter, machine_facts
from benchmarks.synthetic_links import CRAWL_ID, SyntheticLinks
from crawlmesh.adapters.sqlite import SqliteCrawlStore
from crawlmesh.model.crawl import Crawl, Dedup
from crawlmesh.model.lease import LeaseRequest
from crawlmesh.ports.crawl_store import CrawlStore

CHECKPOINTS = (100_000, 1_000_000, 2_000_000, 5_000_000)  # known URLs
WINDOW = 250_000  # known URLs before a checkpoint over which rates are taken; at most half of it
MILLION = 1_000_000
WORK_FOLDER = Path(__file__).resolve().parent / ".work"


class SystemClock:
    """The operating system's clocks."""

    def now(self) -> float:
        return time.time()

    def monotonic(self) -> float:
        return time.monotonic()


@dataclass(frozen=True)
class Totals:
    """Sums since the start. Only calls of the store are timed, not the making of links."""

    pages: int = 0
    links: int = 0
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0


@dataclass(frozen=True)
class Checkpoint:
    """The state of things when so many URLs were known; rates are those of the window before."""

    known: int
    rss_bytes: int
    file_bytes: int
    pages_per_second: float
    links_per_second: float
    links_per_cpu_second: float
    steal_share: float


class Driver:
    """Leases and settles without a network until enough URLs are known."""

    def __init__(self, store: CrawlStore, source: SyntheticLinks, folder: Path) -> None:
        self._store = store
        self._source = source
        self._folder = folder
        self._clock = SystemClock()
        self._request = LeaseRequest("bench", (CRAWL_ID,), max_links=1_024, max_batches=64, batch_links=64)
        self._totals = Totals()

    async def prepare(self, dedup: Dedup) -> None:
        await self._store.create_crawl(Crawl(CRAWL_ID, b"{}", self._clock.now(), dedup=dedup))
        await self._store.add(self._source.seeds())

    async def checkpoint(self, known: int) -> Checkpoint:
        """Go on to a number of known URLs, measuring the last stretch of the way."""
        await self._advance_to(known - min(WINDOW, known // 2))
        before, steal = self._totals, StealMeter()
        await self._advance_to(known)
        after = self._totals
        wall = after.wall_seconds - before.wall_seconds
        links = after.links - before.links
        return Checkpoint(
            known=self._source.known,
            rss_bytes=resident_bytes(),
            file_bytes=sum(file.stat().st_size for file in self._folder.iterdir()),
            pages_per_second=(after.pages - before.pages) / wall,
            links_per_second=links / wall,
            links_per_cpu_second=links / (after.cpu_seconds - before.cpu_seconds),
            steal_share=steal.share(),
        )

    async def _advance_to(self, known: int) -> None:
        while self._source.known < known:
            await self._step()

    async def _step(self) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        grant = await self._store.lease(self._request)
        wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        if not grant.batches:
            await asyncio.sleep(grant.retry_in if grant.retry_in is not None else 0.01)
            return
        settlements = [self._source.settlement(batch, self._clock.now()) for batch in grant.batches]
        wall_before, cpu_before = time.perf_counter(), time.process_time()
        taken = await self._store.settle(settlements)
        wall += time.perf_counter() - wall_before
        cpu += time.process_time() - cpu_before
        assert all(taken), "a settlement was refused"
        self._totals = Totals(
            self._totals.pages + sum(len(settlement.outcomes) for settlement in settlements),
            self._totals.links + sum(len(settlement.discovered) for settlement in settlements),
            self._totals.wall_seconds + wall,
            self._totals.cpu_seconds + cpu,
        )


def resident_bytes() -> int:
    """Resident memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()


def bytes_per_url(checkpoints: list[Checkpoint]) -> float | None:
    """Growth of resident memory per known URL beyond the first million."""
    beyond = [checkpoint for checkpoint in checkpoints if checkpoint.known >= MILLION]
    if len(beyond) < 2:
        return None
    first, last = beyond[0], beyond[-1]
    return (last.rss_bytes - first.rss_bytes) / (last.known - first.known)


def print_checkpoint(checkpoint: Checkpoint) -> None:
    print(
        f"{checkpoint.known:>10,} known  RSS {checkpoint.rss_bytes / 1e6:8,.0f} MB  "
        f"files {checkpoint.file_bytes / 1e6:8,.0f} MB  {checkpoint.links_per_second:9,.0f} links/s  "
        f"{checkpoint.pages_per_second:7,.0f} pages/s  {checkpoint.links_per_cpu_second:9,.0f} links/CPU s  "
        f"steal {checkpoint.steal_share:.0%}",
        flush=True,
    )


def print_summary(checkpoints: list[Checkpoint]) -> None:
    first, last = checkpoints[0], checkpoints[-1]
    growth = bytes_per_url(checkpoints)
    if growth is not None:
        print(f"bytes of memory per known URL beyond the first million: {growth:.0f}")
    print(
        f"rate at {last.known:,} as a share of that at {first.known:,}: "
        f"{last.links_per_second / first.links_per_second:.2f} by wall, "
        f"{last.links_per_cpu_second / first.links_per_cpu_second:.2f} by CPU"
    )


async def measure(given: argparse.Namespace) -> list[Checkpoint]:
    source = SyntheticLinks(
        hosts=given.hosts,
        links_per_page=given.links_per_page,
        new_share=given.new_share,
        record_bytes=given.record_bytes,
    )
    goals = [known for known in CHECKPOINTS if known <= given.urls]
    checkpoints: list[Checkpoint] = []
    with tempfile.TemporaryDirectory(prefix="store-scaling-", dir=WORK_FOLDER) as temporary:
        folder = Path(temporary)
        store = await SqliteCrawlStore.open(folder / "crawl.sqlite", SystemClock())
        try:
            driver = Driver(store, source, folder)
            await driver.prepare(Dedup(given.dedup))
            for known in goals:
                checkpoints.append(await driver.checkpoint(known))
                print_checkpoint(checkpoints[-1])
        finally:
            await store.aclose()
    return checkpoints


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.store_scaling", description=__doc__)
    parser.add_argument("--urls", type=int, default=5_000_000, help="known URLs to go to; at least 100000")
    parser.add_argument("--hosts", type=int, default=1_000)
    parser.add_argument("--links-per-page", type=int, default=40)
    parser.add_argument("--new-share", type=float, default=0.5, help="of the links of a page, 0 … 1")
    parser.add_argument("--record-bytes", type=int, default=1_000)
    parser.add_argument("--dedup", choices=[mode.value for mode in Dedup], default=Dedup.EXACT.value)
    given = parser.parse_args()
    if given.urls < CHECKPOINTS[0]:
        parser.error(f"--urls {given.urls}: at least {CHECKPOINTS[0]}")
    return given


def main() -> None:
    given = read_arguments()
    WORK_FOLDER.mkdir(exist_ok=True)
    for name, value in machine_facts().items():
        print(f"{name}: {value}")
    checkpoints = asyncio.run(measure(given))
    print_summary(checkpoints)
    content = [asdict(checkpoint) for checkpoint in checkpoints]
    (WORK_FOLDER / "store-scaling-results.json").write_text(json.dumps(content, indent=2) + "\n")


if __name__ == "__main__":
    main()
