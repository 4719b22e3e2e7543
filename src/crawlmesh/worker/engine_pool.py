"""Several engine processes of one node, watched over and replaced when they die."""

import asyncio
from contextlib import suppress

from crawlmesh.crawl.tally import CrawlTally
from crawlmesh.errors import CrawlmeshError
from crawlmesh.worker.back_off import BackOff
from crawlmesh.worker.crawl_engines import CrawlEngines, ExpireLeases, PlanOrder
from crawlmesh.worker.engine_child import EngineChild, ServeStore
from crawlmesh.worker.engine_messages import CrawlEnded

_MOST_DEATHS = 5  # in a row, until what runs is given up


class EnginePool(CrawlEngines):
    """All processes work on all crawls of the node. The leases of a dead one end at once."""

    def __init__(
        self, serve: ServeStore, expire: ExpireLeases, command: list[str], job: bytes, processes: int
    ) -> None:
        super().__init__()
        self.processes = processes
        self._serve = serve
        self._expire = expire
        self._command = command
        self._job = job
        self._node_id = ""
        self._children: dict[int, EngineChild] = {}
        self._keepers: list[asyncio.Task[None]] = []
        self._stopping = False
        self._of_the_dead: dict[str, CrawlTally] = {}  # what processes had done that died

    async def start(self, node_id: str) -> None:
        """See CrawlEngines.start."""
        if self._keepers and node_id == self._node_id:
            return
        await self.stop()
        self._node_id = node_id
        self._stopping = False
        loop = asyncio.get_running_loop()
        self._keepers = [loop.create_task(self._keep(number + 1)) for number in range(self.processes)]

    async def stop(self) -> None:
        """See CrawlEngines.stop."""
        self._stopping = True
        for child in self._children.values():
            child.stop()
        keepers, self._keepers = self._keepers, []
        if keepers:
            await asyncio.wait(keepers)

    async def abort(self) -> None:
        """See CrawlEngines.abort."""
        self._stopping = True
        keepers, self._keepers = self._keepers, []
        for keeper in keepers:
            keeper.cancel()
        await asyncio.gather(*keepers, return_exceptions=True)

    def tally(self, crawl_id: str) -> CrawlTally:
        """See CrawlEngines.tally."""
        tallies = [child.tallies.get(crawl_id, CrawlTally()) for child in self._children.values()]
        return sum(tallies, self._of_the_dead.get(crawl_id, CrawlTally()))

    def _begin(self, order: PlanOrder) -> None:
        for child in self._children.values():
            child.add(order)

    async def _end(self, crawl_id: str) -> CrawlTally:
        children = list(self._children.values())
        tallies = await asyncio.gather(*(child.remove(crawl_id) for child in children))
        return sum(tallies, self._of_the_dead.pop(crawl_id, CrawlTally()))

    async def _keep(self, number: int) -> None:
        name = f"{self._node_id}/{number}"
        back_off = BackOff()
        deaths = 0
        while not self._stopping:
            child = EngineChild(self._command, self._job, self._serve, self._heard)
            self._children[number] = child
            orders = [crawl.order for crawl in self._crawls.values() if crawl.gone is None]
            try:
                end = f"end by themselves, with code {await child.run(name, orders)}"
            except Exception as error:  # whatever it is, the crawls must not wait for ever
                end = f"cannot be started: {error}"
            finally:
                del self._children[number]
            if self._is_stopping():
                return
            deaths = deaths + 1 if not child.tallies else 1
            self._mourn(child)
            with suppress(CrawlmeshError):  # then they end when their time is over
                await self._expire(name)
            if deaths >= _MOST_DEATHS:
                self._fail_all(f"The crawl processes of this node {end}.")
            await back_off.pause()

    def _is_stopping(self) -> bool:
        return self._stopping

    def _mourn(self, child: EngineChild) -> None:
        for crawl_id, tally in child.tallies.items():
            if crawl_id in self._crawls:
                self._of_the_dead[crawl_id] = self._of_the_dead.get(crawl_id, CrawlTally()) + tally

    def _heard(self, message: CrawlEnded) -> None:
        self._crawl_ended(message.crawl_id, message.progress)
