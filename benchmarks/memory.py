"""How a whole crawl scales with known URLs: `python -m benchmarks.memory --help`.

The engine, the parser, discovery and the embedded store work as in a real crawl; only the network is
replaced by a synthetic link source, which makes up pages of 40 links of which a given share is new.
"""

import argparse
import asyncio
import json
import tempfile
import time
from dataclasses import asdict, dataclass
from pathlib import Path

from benchmarks.machine import StealMeter, machine_facts
from benchmarks.store_scaling import resident_bytes
from benchmarks.synthetic_site import SyntheticSite
from crawlmesh.adapters.sqlite import SqliteCrawlStore
from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.crawl.engine import Engine, EngineOptions
from crawlmesh.rules.spider_traps import TrapLimits
from crawlmesh.wiring import system_clock
from crawlmesh.worker.garbage import spare_long_lived_objects
from crawlmesh.worker.preparation import CrawlLimits, Start, prepare

CHECKPOINTS = (100_000, 1_000_000, 2_000_000, 3_000_000, 4_000_000, 5_000_000)  # known URLs
WINDOW = 250_000  # known URLs before a checkpoint over which rates are taken; at most half of it
MILLION = 1_000_000
WORK_FOLDER = Path(__file__).resolve().parent / ".work"


@dataclass(frozen=True)
class Checkpoint:
    """The state of things when so many URLs were known; rates are those of the window before."""

    known: int
    rss_bytes: int
    pages_per_second: float
    pages_per_cpu_second: float
    steal_share: float


class Watch:
    """Takes the checkpoints while the site hands out pages, and stops the engine after the last."""

    def __init__(self, goals: list[int]) -> None:
        self._goals = goals
        self._window: tuple[float, float, int, StealMeter] | None = None
        self.engine: Engine | None = None
        self.checkpoints: list[Checkpoint] = []

    def look(self, known: int, pages: int) -> None:
        if not self._goals:
            return
        goal = self._goals[0]
        if self._window is None:
            if known >= goal - min(WINDOW, goal // 2):
                self._window = (time.perf_counter(), time.process_time(), pages, StealMeter())
        elif known >= goal:
            self._take(known, pages, *self._window)

    def _take(self, known: int, pages: int, wall: float, cpu: float, before: int, steal: StealMeter) -> None:
        fetched = pages - before
        checkpoint = Checkpoint(
            known=known,
            rss_bytes=resident_bytes(),
            pages_per_second=fetched / (time.perf_counter() - wall),
            pages_per_cpu_second=fetched / (time.process_time() - cpu),
            steal_share=steal.share(),
        )
        print(
            f"{known:>10,} known  RSS {checkpoint.rss_bytes / 1e6:8,.0f} MB  "
            f"{checkpoint.pages_per_second:7,.0f} pages/s  "
            f"{checkpoint.pages_per_cpu_second:7,.0f} pages/CPU s  steal {checkpoint.steal_share:.0%}",
            flush=True,
        )
        self.checkpoints.append(checkpoint)
        self._window = None
        del self._goals[0]
        if not self._goals and self.engine is not None:
            self.engine.stop()


async def measure(given: argparse.Namespace) -> list[Checkpoint]:
    watch = Watch([known for known in CHECKPOINTS if known <= given.urls])
    site = SyntheticSite(
        hosts=given.hosts, links_per_page=given.links_per_page, new_share=given.new_share, watch=watch.look
    )
    clock = system_clock()
    definition = CrawlDefinition(
        seeds=tuple(site.seeds()),
        scope="any",
        ignore_robots=True,
        traps=TrapLimits(pages_per_template=10**9),
    )
    with tempfile.TemporaryDirectory(prefix="memory-bench-", dir=WORK_FOLDER) as folder:
        store = await SqliteCrawlStore.open(Path(folder) / "crawl.db", clock)
        try:
            limits = CrawlLimits(per_host=64)
            prepared = await prepare(store, clock, "memory", definition, limits, Start.RESUME)
            options = EngineOptions(concurrency=64, per_host=64, batch_slots=32)
            watch.engine = Engine(store, site, clock, {prepared.crawl.id: prepared.plan}, options)
            spare_long_lived_objects()  # as the command does
            await watch.engine.run()
        finally:
            await store.aclose()
    return watch.checkpoints


def summary(checkpoints: list[Checkpoint]) -> list[str]:
    first, last = checkpoints[0], checkpoints[-1]
    lines = []
    beyond = [checkpoint for checkpoint in checkpoints if checkpoint.known >= MILLION]
    if len(beyond) > 1:
        growth = (beyond[-1].rss_bytes - beyond[0].rss_bytes) / (beyond[-1].known - beyond[0].known)
        lines.append(f"bytes of memory per known URL beyond the first million: {growth:.0f}")
    lines.append(
        f"rate at {last.known:,} as a share of that at {first.known:,}: "
        f"{last.pages_per_second / first.pages_per_second:.2f} by wall, "
        f"{last.pages_per_cpu_second / first.pages_per_cpu_second:.2f} by CPU"
    )
    return lines


def read_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=__doc__)
    parser.add_argument("--urls", type=int, default=5_000_000, help="known URLs to go to; at least 100000")
    parser.add_argument("--hosts", type=int, default=1_000)
    parser.add_argument("--links-per-page", type=int, default=40)
    parser.add_argument("--new-share", type=float, default=0.5, help="of the links of a page, 0 … 1")
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
    for line in summary(checkpoints):
        print(line)
    content = [asdict(checkpoint) for checkpoint in checkpoints]
    (WORK_FOLDER / "memory-results.json").write_text(json.dumps(content, indent=2) + "\n")


if __name__ == "__main__":
    main()
