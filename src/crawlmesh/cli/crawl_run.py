"""Running one crawl from the command line: state, engine, display, output, exit code."""

import asyncio
import signal
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import click
import msgspec

from crawlmesh import crawl_process
from crawlmesh.cli.display import Display, choose_display
from crawlmesh.cli.exit_codes import ExitCode
from crawlmesh.cli.summary import CrawlSummary, StoppedBy, print_summary, summarize
from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.crawl.engine import Engine
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.settings import Settings
from crawlmesh.wiring import (
    StateFolder,
    engine_options,
    fetch_options,
    make_engine,
    open_archive,
    open_crawl_store,
    open_writer,
    serve_crawl_store,
    system_clock,
)
from crawlmesh.worker.export import export_records
from crawlmesh.worker.forked_process import ForkedProcess, fork_processes
from crawlmesh.worker.garbage import spare_long_lived_objects
from crawlmesh.worker.preparation import CrawlLimits, Prepared, Start, prepare
from crawlmesh.worker.process_pool import ProcessPool, node_names

_CARE_INTERVAL = 5.0  # seconds between two looks for leases that ran out
_CHILD_COMMAND = ["-m", "crawlmesh.crawl_process"]


class CrawlOrder(msgspec.Struct, frozen=True, kw_only=True):
    """All that the user asked for."""

    settings: Settings
    definition: CrawlDefinition | None
    state: Path
    output: Path | None
    start: Start
    fresh: bool = False
    max_pages: int | None = None
    max_time: float | None = None  # seconds
    as_json: bool = False
    quiet: bool = False
    strict: bool = False


def crawl_and_tell(order: CrawlOrder) -> int:
    """Crawl, show it, write the records, and say how it went. Not to be called from an event loop."""
    return asyncio.run(_run_crawl(order, _copies_for(order.settings.processes)))


def _copies_for(processes: int) -> dict[str, ForkedProcess]:
    """The crawl processes, where this system makes copies safely; elsewhere they are started one by one."""
    if processes == 1 or sys.platform != "linux":
        return {}
    return fork_processes(node_names(processes), crawl_process.crawl)


async def _run_crawl(order: CrawlOrder, forked: dict[str, ForkedProcess]) -> int:
    with StateFolder(order.state) as state:
        if order.fresh:
            state.clear()
        store = await open_crawl_store(state)
        try:
            prepared = await _prepare(order, store)
            display = choose_display(quiet=order.quiet, as_json=order.as_json)
            run = _Run(order, state, store, prepared, forked)
            stopped_by = await run.work(display)
            output = await run.write_output()
            summary = await summarize(store, prepared, order, output, stopped_by, run.seconds)
        finally:
            await store.aclose()
    print_summary(summary, as_json=order.as_json, quiet=order.quiet)
    return _exit_code(order, summary)


async def _prepare(order: CrawlOrder, store: CrawlStore) -> Prepared:
    settings = order.settings
    # Without URLs a crawl goes on as it was begun, unless its user says otherwise.
    chosen = order.definition is not None or "dedup" in settings.model_fields_set
    limits = CrawlLimits(
        max_pages=order.max_pages,
        delay=settings.delay,
        per_host=settings.per_host,
        dedup=settings.dedup if chosen else None,
        dedup_capacity=settings.dedup_capacity,
        dedup_error_rate=settings.dedup_error_rate,
    )
    return await prepare(store, system_clock(), order.state.name, order.definition, limits, order.start)


def _exit_code(order: CrawlOrder, summary: CrawlSummary) -> int:
    if summary.stopped_by is StoppedBy.INTERRUPT:
        return ExitCode.INTERRUPTED
    if order.strict and summary.dead:
        return ExitCode.FAILED
    # A crawl that brought nothing at all did not do what was asked.
    return ExitCode.DONE if summary.records or not summary.dead_seeds else ExitCode.FAILED


class _Run:
    """One go at a crawl, from the first request to the records on disk."""

    def __init__(
        self,
        order: CrawlOrder,
        state: StateFolder,
        store: CrawlStore,
        prepared: Prepared,
        forked: dict[str, ForkedProcess],
    ) -> None:
        self._order = order
        self._state = state
        self._store = store
        self._prepared = prepared
        self._forked = forked
        self._stopped_by: StoppedBy | None = None
        self._worker: Engine | ProcessPool | None = None
        self.seconds = 0.0

    async def work(self, display: Display) -> StoppedBy | None:
        """Crawl until nothing is left, a limit is reached or the user stops it."""
        if self._prepared.resumed and self._prepared.before.finished:
            return None
        spare_long_lived_objects()
        clock = system_clock()
        begun = clock.monotonic()
        archive_folder = self._state.archive if self._prepared.plan.definition.archive else None
        async with (
            self._interruptible(),
            self._cared_for(),
            display.watching(self._store, self._prepared, self._order, clock),
        ):
            if self._order.settings.processes == 1:
                await self._work_here(archive_folder)
            else:
                await self._work_in_processes(archive_folder)
        self.seconds = clock.monotonic() - begun
        return self._stopped_by

    async def write_output(self) -> Path:
        """Write the records that there are."""
        path = self._order.output or self._state.records
        archived = self._prepared.plan.definition.archive
        archive = open_archive(self._state.archive) if archived else None
        try:
            await export_records(self._store, self._prepared.crawl.id, open_writer(path, archive))
        finally:
            if archive is not None:
                archive.close()
        return path

    async def _work_here(self, archive_folder: Path | None) -> None:
        archive = open_archive(archive_folder) if archive_folder else None
        engine = make_engine(
            self._store,
            self._prepared.plan,
            engine_options(self._order.settings),
            fetch_options(self._order.settings),
            archive,
        )
        self._worker = engine
        try:
            await engine.run()
        finally:
            if archive is not None:
                archive.close()

    async def _work_in_processes(self, archive_folder: Path | None) -> None:
        settings = self._order.settings
        job = crawl_process.CrawlProcessJob(
            engine=engine_options(settings),
            fetching=fetch_options(settings),
            crawl_id=self._prepared.crawl.id,
            definition=self._prepared.plan.definition,
            archive=None if archive_folder is None else str(archive_folder),
            dedup=self._prepared.crawl.dedup,
        )
        serve = serve_crawl_store(self._store)
        encoded = msgspec.json.encode(job)
        pool = ProcessPool(self._store, serve, _CHILD_COMMAND, encoded, settings.processes, self._forked)
        self._worker = pool
        await pool.run()

    def _stop(self, reason: StoppedBy) -> None:
        if self._stopped_by is StoppedBy.INTERRUPT and reason is StoppedBy.INTERRUPT:
            # Asked twice: leave at once. What is not settled will be fetched again.
            raise KeyboardInterrupt
        if self._stopped_by is None or reason is StoppedBy.INTERRUPT:
            self._stopped_by = reason
        if reason is StoppedBy.INTERRUPT and not self._order.quiet:
            click.echo("Stopping when all requests are back; Ctrl-C again leaves at once.", err=True)
        if self._worker is not None:
            self._worker.stop()

    @asynccontextmanager
    async def _interruptible(self) -> AsyncIterator[None]:
        loop = asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, self._stop, StoppedBy.INTERRUPT)
        timer = None
        if self._order.max_time is not None:
            timer = loop.call_later(self._order.max_time, self._stop, StoppedBy.MAX_TIME)
        try:
            yield
        finally:
            if timer is not None:
                timer.cancel()
            for number in (signal.SIGINT, signal.SIGTERM):
                loop.remove_signal_handler(number)

    @asynccontextmanager
    async def _cared_for(self) -> AsyncIterator[None]:
        """End leases that ran out while the crawl goes on."""

        async def care() -> None:
            while True:
                await asyncio.sleep(_CARE_INTERVAL)
                await self._store.expire()

        task = asyncio.get_running_loop().create_task(care())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
