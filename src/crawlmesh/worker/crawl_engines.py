"""The engines of a node: where `web_crawl` tasks are worked on."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable

import msgspec

from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.crawl.pace import CrawlPace
from crawlmesh.crawl.plan import CrawlPlan
from crawlmesh.crawl.tally import CrawlTally
from crawlmesh.errors import StoreError
from crawlmesh.model.crawl import CrawlProgress, Dedup
from crawlmesh.worker.work_done import WorkDone

ExpireLeases = Callable[[str], Awaitable[object]]  # of a dead engine, by the name it leased under


class PlanOrder(msgspec.Struct, frozen=True, kw_only=True):
    """A plan in the form in which it goes to other processes."""

    crawl_id: str
    definition: CrawlDefinition
    pace: CrawlPace = CrawlPace()
    max_pages: int | None = None
    dedup: Dedup = Dedup.EXACT

    def plan(self) -> CrawlPlan:
        """The plan."""
        return CrawlPlan(self.crawl_id, self.definition, self.pace, self.max_pages, self.dedup)


class RunningCrawl:
    """A crawl that is worked on here. `ended` has its counters once nothing is left of it for this node.

    None instead of counters: the store no longer knows the crawl.
    """

    def __init__(self, order: PlanOrder) -> None:
        self.order = order
        self.users = 0  # executions
        self.ended: asyncio.Future[CrawlProgress | None] = asyncio.get_running_loop().create_future()
        self.gone: asyncio.Future[CrawlTally] | None = None  # set while it is given back


class CrawlEngines(ABC):
    """One engine or several that work on the same crawls. Crawls are known by their id."""

    processes = 1

    def __init__(self) -> None:
        self._crawls: dict[str, RunningCrawl] = {}
        self._seen: dict[str, WorkDone] = {}  # of crawls that are worked on, as it was told last
        self._past = WorkDone()  # of crawls that were given back

    @abstractmethod
    async def start(self, node_id: str) -> None:
        """Begin to work in the name of a node; under another name than before, all begins anew."""

    @abstractmethod
    async def stop(self) -> None:
        """Settle what is done and end. Twice is fine."""

    @abstractmethod
    async def abort(self) -> None:
        """End at once. Twice is fine."""

    @abstractmethod
    def tally(self, crawl_id: str) -> CrawlTally:
        """What was done here for a crawl so far."""

    def work_done(self) -> WorkDone:
        """What was done here for all crawls since this process began. It never goes down.

        A process of the pool that is replaced, or that gives a crawl back, may take its count along for a
        moment; what was seen of it once stays.
        """
        total = self._past
        for crawl_id in self._crawls:
            seen = self._seen.get(crawl_id, WorkDone()).or_more(WorkDone.of(self.tally(crawl_id)))
            self._seen[crawl_id] = seen
            total += seen
        return total

    @abstractmethod
    def _begin(self, order: PlanOrder) -> None: ...

    @abstractmethod
    async def _end(self, crawl_id: str) -> CrawlTally: ...

    async def add(self, order: PlanOrder) -> RunningCrawl:
        """Work on a crawl."""
        while (crawl := self._crawls.get(order.crawl_id)) is not None and crawl.gone is not None:
            await asyncio.shield(crawl.gone)
        if crawl is None:
            crawl = self._crawls[order.crawl_id] = RunningCrawl(order)
            self._begin(order)
        crawl.users += 1
        return crawl

    async def remove(self, crawl_id: str) -> CrawlTally:
        """Give a crawl back, unless another execution works on it; settles what is done."""
        crawl = self._crawls.get(crawl_id)
        if crawl is None:
            return CrawlTally()
        crawl.users -= 1
        if crawl.users > 0:
            return self.tally(crawl_id)
        if crawl.gone is None:
            crawl.gone = asyncio.ensure_future(self._give_back(crawl_id))
        return await asyncio.shield(crawl.gone)  # goes on where the execution is broken off

    async def _give_back(self, crawl_id: str) -> CrawlTally:
        tally = CrawlTally()
        try:
            tally = await self._end(crawl_id)
        finally:
            self._crawls.pop(crawl_id, None)
            self._past += self._seen.pop(crawl_id, WorkDone()).or_more(WorkDone.of(tally))
        return tally

    def _crawl_ended(self, crawl_id: str, progress: CrawlProgress | None) -> None:
        crawl = self._crawls.get(crawl_id)
        if crawl is not None and not crawl.ended.done():
            crawl.ended.set_result(progress)

    def _fail_all(self, reason: str) -> None:
        for crawl in self._crawls.values():
            if not crawl.ended.done():
                crawl.ended.set_exception(StoreError(reason))
                crawl.ended.exception()  # nobody may be waiting
