"""Crawling (X3)."""

import asyncio
from typing import Any

import msgspec

from crawlmesh.crawl.limits import CrawlLimits
from crawlmesh.crawl.tally import CrawlTally
from crawlmesh.crawl.task_parameters import crawl_definition_from
from crawlmesh.errors import InvalidError
from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.model.execution import Assignment
from crawlmesh.model.task import WEB_CRAWL, TaskResult
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.worker.crawl_engines import CrawlEngines, PlanOrder, RunningCrawl
from crawlmesh.worker.execution_context import ExecutionContext
from crawlmesh.worker.preparation import crawl_of


class WebCrawlOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the owner of this node lets tasks do."""

    defaults: CrawlLimits = CrawlLimits()  # where tasks say nothing
    allow_ignoring_robots: bool = False
    look_every: float = 1.0  # seconds between two looks at the progress, for the log
    pages_per_line: int = 100  # of the log


class WebCrawl:
    """Makes the crawl of a task known and lets the engines work on it. Its id is that of the task.

    Other nodes may work on the same crawl; it ends here when nothing is left of it, or its limit is reached.
    """

    task_type = WEB_CRAWL
    resumable = True

    def __init__(
        self, store: CrawlStore, engines: CrawlEngines, clock: Clock, options: WebCrawlOptions
    ) -> None:
        self._store = store
        self._engines = engines
        self._clock = clock
        self._options = options

    async def execute(self, assignment: Assignment, context: ExecutionContext) -> TaskResult:
        """See Executor.execute."""
        begun = self._clock.monotonic()
        order = await self._prepare(assignment)
        context.log("INFO", f"Crawling from {order.definition.seeds[0]}{_others(order)}.")
        crawl = await self._engines.add(order)
        tally = CrawlTally()
        try:
            await self._watch(crawl, context)
        finally:
            tally = await self._engines.remove(order.crawl_id)
        if not crawl.ended.done():
            context.log("INFO", f"Stopped. {_in_words(tally)}")
            return self._result(tally, begun)
        context.completed = True
        return self._conclude(crawl.ended.result(), tally, begun, context)

    async def _prepare(self, assignment: Assignment) -> PlanOrder:
        task = assignment.task
        definition, limits = crawl_definition_from(task.parameters, self._options.defaults)
        if definition.ignore_robots and not self._options.allow_ignoring_robots:
            raise InvalidError(
                "This node does not ignore robots.txt; its setting allow_ignoring_robots is off.",
                field="parameters.ignore_robots",
            )
        crawl = crawl_of(task.id, self._clock, definition, limits)
        order = PlanOrder(
            crawl_id=task.id,
            definition=definition,
            pace=limits.pace(),
            max_pages=limits.max_pages,
            dedup=crawl.dedup,
        )
        # Every node of the crawl does both; the store keeps what came first.
        await self._store.create_crawl(crawl)
        await self._store.add(order.plan().seed_links())
        return order

    async def _watch(self, crawl: RunningCrawl, context: ExecutionContext) -> None:
        """Wait until the crawl ends or shall stop, and write its progress into the log."""
        stopped = asyncio.ensure_future(context.stop.wait())
        either: list[asyncio.Future[Any]] = [crawl.ended, stopped]
        told = CrawlTally()
        try:
            while not (crawl.ended.done() or stopped.done()):
                await asyncio.wait(
                    either,
                    timeout=self._options.look_every,
                    return_when=asyncio.FIRST_COMPLETED,
                )
                tally = self._engines.tally(crawl.order.crawl_id)
                if tally.pages >= told.pages + self._options.pages_per_line:
                    context.log("INFO", _in_words(tally))
                    told = CrawlTally(pages=tally.pages)
        finally:
            stopped.cancel()

    def _conclude(
        self, progress: CrawlProgress | None, tally: CrawlTally, begun: float, context: ExecutionContext
    ) -> TaskResult:
        for reason, number in sorted(tally.dead.items()):
            context.log("WARNING", f"{number} URLs were given up: {reason}.")
        if progress is None:
            context.retry = False
            return self._result(tally, begun, "The crawl was deleted.")
        if progress.dead and not progress.pages and not progress.records:
            context.retry = False  # its links have had all their tries
            reasons = ", ".join(f"{reason} ({number})" for reason, number in progress.by_reason.items())
            return self._result(tally, begun, f"No page could be fetched: {reasons}.")
        context.log("INFO", f"Nothing is left to do. {_in_words(tally)}")
        return self._result(tally, begun)

    def _result(self, tally: CrawlTally, begun: float, error: str | None = None) -> TaskResult:
        return TaskResult(
            success=error is None,
            error=error,
            metrics={
                "pages_crawled": tally.pages,
                "processing_time": round(self._clock.monotonic() - begun, 3),
                "data_size": tally.bytes,
                "failed": sum(tally.dead.values()),
                "retries": tally.retries,
                "known_links_kept": tally.known,
            },
            timestamp=self._clock.now(),
        )


def _others(order: PlanOrder) -> str:
    more = len(order.definition.seeds) - 1
    return f" and {more} further addresses" if more else ""


def _in_words(tally: CrawlTally) -> str:
    dead = sum(tally.dead.values())
    return f"{tally.pages} pages with {tally.bytes} bytes were fetched here, {dead} URLs given up."
