"""One engine inside the agent's own process."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from crawlmesh.crawl.crawl_watch import CrawlEnd
from crawlmesh.crawl.engine import Engine
from crawlmesh.crawl.tally import CrawlTally
from crawlmesh.errors import CrawlmeshError
from crawlmesh.worker.back_off import BackOff
from crawlmesh.worker.crawl_engines import CrawlEngines, ExpireLeases, PlanOrder
from crawlmesh.worker.garbage import GarbageCare

MakeEngine = Callable[[str, CrawlEnd], Engine]  # the name that leases run under, and whom to tell of ends

_STOP_PATIENCE = 15.0  # seconds
_CANCEL_PATIENCE = 0.5  # seconds


class LocalEngine(CrawlEngines):
    """Costs nothing while it has no crawl. An engine that fails is replaced; what ran on it fails."""

    def __init__(self, make_engine: MakeEngine, expire: ExpireLeases) -> None:
        super().__init__()
        self._expire = expire
        self._make_engine = make_engine
        self._engine: Engine | None = None
        self._runner: asyncio.Task[None] | None = None
        self._node_id = ""
        self._garbage = GarbageCare()

    async def start(self, node_id: str) -> None:
        """See CrawlEngines.start."""
        if self._runner is not None and node_id == self._node_id:
            return
        await self.stop()
        self._node_id = node_id
        self._new_engine()
        self._runner = asyncio.get_running_loop().create_task(self._keep_running())

    async def stop(self) -> None:
        """See CrawlEngines.stop."""
        runner, self._runner = self._runner, None
        if runner is None:
            return
        if self._engine is not None:
            self._engine.stop()
        await asyncio.wait([runner], timeout=_STOP_PATIENCE)
        await _break_off(runner)

    async def abort(self) -> None:
        """See CrawlEngines.abort."""
        runner, self._runner = self._runner, None
        if runner is not None:
            await _break_off(runner)

    def tally(self, crawl_id: str) -> CrawlTally:
        """See CrawlEngines.tally."""
        return CrawlTally() if self._engine is None else self._engine.tally(crawl_id)

    def _begin(self, order: PlanOrder) -> None:
        assert self._engine is not None, "start comes first"
        self._engine.add_plan(order.plan())
        self._garbage.new_crawl(asyncio.get_running_loop().time())

    async def _end(self, crawl_id: str) -> CrawlTally:
        assert self._engine is not None, "start comes first"
        return await self._engine.remove_plan(crawl_id)

    def _new_engine(self) -> Engine:
        engine = self._engine = self._make_engine(f"{self._node_id}/1", self._crawl_ended)
        for crawl in self._crawls.values():
            if not crawl.ended.done() and crawl.gone is None:
                engine.add_plan(crawl.order.plan())
        return engine

    async def _keep_running(self) -> None:
        back_off = BackOff()
        engine = self._engine
        while engine is not None:
            try:
                await engine.run(until_finished=False)
            except Exception as error:
                self._fail_all(f"The crawl engine failed: {str(error) or type(error).__name__}")
                with suppress(CrawlmeshError):  # then they end when their time is over
                    await self._expire(f"{self._node_id}/1")
            if self._runner is None:
                return
            await back_off.pause()
            engine = self._new_engine()


async def _break_off(runner: asyncio.Task[None]) -> None:
    """Cancel the engine, and again where it waits for calls to a store that does not answer."""
    while not runner.done():
        runner.cancel()
        await asyncio.wait([runner], timeout=_CANCEL_PATIENCE)
    if not runner.cancelled():
        runner.exception()
