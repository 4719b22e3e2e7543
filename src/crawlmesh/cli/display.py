"""Showing a crawl while it runs: live on a terminal, lines elsewhere, nothing when quiet."""

import asyncio
import sys
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Protocol

import click
import msgspec

from crawlmesh.cli.words import filter_in_words, in_bytes, in_time
from crawlmesh.model.crawl import CrawlProgress, HostProgress
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.worker.preparation import Prepared

if TYPE_CHECKING:
    from crawlmesh.cli.crawl_run import CrawlOrder

_LINE_INTERVAL = 5.0  # seconds
_RATE_WINDOW = 10.0  # seconds over which pages per second are measured
_SHOWN_HOSTS = 5


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """A crawl at one moment."""

    progress: CrawlProgress
    hosts: list[HostProgress]
    elapsed: float  # seconds
    pages_per_second: float
    remaining: float | None  # seconds, where a limit says how far it is


class Screen(Protocol):
    """Where snapshots are shown."""

    interval: float  # seconds between two snapshots

    def show(self, snapshot: Snapshot) -> None:
        """Show one."""
        ...

    def tell(self, sentence: str) -> None:
        """Print a line that stays."""
        ...

    def close(self) -> None:
        """Show nothing more."""
        ...


class Display:
    """Takes snapshots of a crawl and shows them."""

    def __init__(self, screen: Screen | None) -> None:
        self._screen = screen

    @asynccontextmanager
    async def watching(
        self, store: CrawlStore, prepared: Prepared, order: "CrawlOrder", clock: Clock
    ) -> AsyncIterator[None]:
        """Show the crawl while the body runs."""
        if self._screen is None:
            yield
            return
        task = asyncio.get_running_loop().create_task(
            _watch(self._screen, _Camera(store, prepared, order, clock))
        )
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            self._screen.close()


def choose_display(*, quiet: bool, as_json: bool) -> Display:
    """Live on a terminal, lines on a pipe; standard output stays free for the summary."""
    if quiet:
        return Display(None)
    return Display(_LineScreen() if as_json else choose_screen())


def choose_screen() -> Screen:
    """Live on a terminal, lines elsewhere."""
    if not sys.stderr.isatty():
        return _LineScreen()
    from crawlmesh.cli.live_screen import LiveScreen  # noqa: PLC0415 - slow to import

    return LiveScreen()


async def _watch(screen: Screen, camera: "_Camera") -> None:
    told_layers = 0
    while True:
        snapshot = await camera.take()
        screen.show(snapshot)
        status = snapshot.progress.filter
        if status is not None and status.nearly_full and status.layers > told_layers:
            told_layers = status.layers
            screen.tell(f"The Bloom filter is {filter_in_words(status)}.")
        await asyncio.sleep(screen.interval)


class _Camera:
    """Takes snapshots, and measures the rate between them."""

    def __init__(self, store: CrawlStore, prepared: Prepared, order: "CrawlOrder", clock: Clock) -> None:
        self._store = store
        self._prepared = prepared
        self._order = order
        self._clock = clock
        self._begun = clock.monotonic()
        self._seen: deque[tuple[float, int]] = deque()

    async def take(self) -> Snapshot:
        crawl_id = self._prepared.crawl.id
        progress = await self._store.progress(crawl_id)
        hosts = await self._store.hosts(crawl_id, _SHOWN_HOSTS)
        elapsed = self._clock.monotonic() - self._begun
        rate = self._rate(elapsed, progress.pages)
        return Snapshot(
            progress=progress,
            hosts=hosts,
            elapsed=elapsed,
            pages_per_second=rate,
            remaining=self._remaining(progress, elapsed, rate),
        )

    def _rate(self, elapsed: float, pages: int) -> float:
        self._seen.append((elapsed, pages))
        while self._seen[0][0] < elapsed - _RATE_WINDOW and len(self._seen) > 2:
            self._seen.popleft()
        then, before = self._seen[0]
        return (pages - before) / (elapsed - then) if elapsed > then else 0.0

    def _remaining(self, progress: CrawlProgress, elapsed: float, rate: float) -> float | None:
        limits = []
        if self._order.max_time is not None:
            limits.append(max(0.0, self._order.max_time - elapsed))
        if self._order.max_pages is not None and rate:
            limits.append(max(0, self._order.max_pages - progress.pages) / rate)
        return min(limits, default=None)


class _LineScreen:
    interval = _LINE_INTERVAL

    def show(self, snapshot: Snapshot) -> None:
        progress = snapshot.progress
        if not progress.pages and not progress.dead:
            return
        click.echo(
            f"{in_time(snapshot.elapsed)}: {progress.pages:,} pages, "
            f"{snapshot.pages_per_second:,.0f} per second, "
            f"{in_bytes(progress.bytes)}, {progress.pending:,} to go, {progress.dead:,} dead"
            + (f", about {in_time(snapshot.remaining)} left" if snapshot.remaining is not None else ""),
            err=True,
        )

    def tell(self, sentence: str) -> None:
        click.echo(sentence, err=True)

    def close(self) -> None:
        pass
