import asyncio
from typing import Any

import msgspec
import pytest
from msgspec import UNSET, UnsetType

from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.crawl.tally import CrawlTally
from crawlmesh.errors import MasterUnreachableError
from crawlmesh.protocol.node_messages import HeartbeatAnswer, HeartbeatMessage
from crawlmesh.testing.manual_clock import ManualClock
from crawlmesh.worker.crawl_engines import CrawlEngines, PlanOrder
from crawlmesh.worker.executions import WorkReadings
from crawlmesh.worker.heartbeats import Heartbeats
from crawlmesh.worker.work_done import WorkDone
from crawlmesh.worker.work_rates import WorkRates
from crawlmesh.worker.worker_log import WorkerLog

ORDER = PlanOrder(crawl_id="a", definition=CrawlDefinition(seeds=("https://a.example/",)))


class Engines(CrawlEngines):
    """Engines that have done what a test says."""

    def __init__(self) -> None:
        super().__init__()
        self.tallies: dict[str, CrawlTally] = {}

    async def start(self, node_id: str) -> None: ...

    async def stop(self) -> None: ...

    async def abort(self) -> None: ...

    def tally(self, crawl_id: str) -> CrawlTally:
        return self.tallies.get(crawl_id, CrawlTally())

    def _begin(self, order: PlanOrder) -> None:
        self.tallies[order.crawl_id] = CrawlTally()

    async def _end(self, crawl_id: str) -> CrawlTally:
        return self.tallies.pop(crawl_id)


class Executions:
    """Nothing runs."""

    running_tasks: tuple[str, ...] = ()

    def readings(self) -> WorkReadings:
        return WorkReadings(2, (0.5,))

    def told(self, _: WorkReadings) -> None:
        pass


class Readings:
    """Counts how often the sensors are asked."""

    asked = 0

    async def usage(self) -> dict[str, float]:
        self.asked += 1
        return {"cpu_usage": 0.5}


class Master:
    """Hears heartbeats; a test may let it be away."""

    def __init__(self, between: float | UnsetType) -> None:
        self.between = between
        self.heard: asyncio.Queue[HeartbeatMessage] = asyncio.Queue()
        self.away = 0

    async def heartbeat(self, message: HeartbeatMessage) -> HeartbeatAnswer:
        await self.heard.put(message)
        if self.away:
            self.away -= 1
            raise MasterUnreachableError("It is away.")
        return HeartbeatAnswer(node_id="a", timestamp=0.0, status="online", between=self.between)


class Kit:
    """Heartbeats of a node with engines."""

    def __init__(self, between: float | UnsetType = 0.001, interval: float = 1000.0) -> None:
        self.clock = ManualClock()
        self.engines = Engines()
        self.master = Master(between)
        self.readings = Readings()
        self.heartbeats = Heartbeats(
            self.master,  # type: ignore[arg-type]
            self.readings,  # type: ignore[arg-type]
            Executions(),  # type: ignore[arg-type]
            WorkRates(self.engines, self.clock),
            4,
            lambda _: None,
            WorkerLog(self.clock),
        )
        self.running = asyncio.ensure_future(self.heartbeats.run(7, interval))

    async def next(self) -> HeartbeatMessage:
        return await asyncio.wait_for(self.master.heard.get(), 10.0)

    async def end(self) -> None:
        self.running.cancel()
        await asyncio.gather(self.running, return_exceptions=True)

    def work(self, seconds: float, **done: Any) -> None:
        self.clock.advance(seconds)
        before = self.engines.tallies["a"]
        grown = {name: getattr(before, name) + number for name, number in done.items()}
        self.engines.tallies["a"] = msgspec.structs.replace(before, **grown)


async def test_a_node_tells_how_fast_its_crawls_get_on_and_that_they_stopped() -> None:
    kit = Kit()
    await kit.engines.add(ORDER)
    first = await kit.next()
    assert not first.between
    assert first.resources == {"cpu_usage": 0.5, "pages": 0.0, "bytes": 0.0, "errors": 0.0}
    kit.work(5.0, pages=10, bytes=500, retries=1)
    second = await kit.next()
    assert second.between
    assert second.resources == {"cpu_usage": 0.5, "pages": 2.0, "bytes": 100.0, "errors": 0.2}
    assert (second.session, second.task_errors, second.task_latency) == (7, 0, 0.0)
    kit.clock.advance(5.0)
    third = await kit.next()
    assert (third.between, third.resources["pages"]) == (True, 0.0)
    assert kit.readings.asked == 1
    kit.heartbeats.soon()
    regular = await kit.next()
    assert not regular.between
    assert regular.resources["pages"] == 1.0  # over all the time since the regular one before
    await kit.end()


async def test_a_node_without_work_says_nothing_between() -> None:
    kit = Kit()
    await kit.next()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(kit.master.heard.get(), 0.05)
    await kit.end()


async def test_a_master_that_wants_nothing_between_gets_nothing() -> None:
    kit = Kit(between=UNSET)
    await kit.engines.add(ORDER)
    await kit.next()
    kit.work(5.0, pages=10)
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(kit.master.heard.get(), 0.05)
    kit.heartbeats.soon()
    assert (await kit.next()).resources["pages"] == 2.0
    await kit.end()


async def test_one_between_that_is_lost_is_followed_by_a_regular_one() -> None:
    kit = Kit()
    await kit.engines.add(ORDER)
    await kit.next()
    kit.master.away = 1
    kit.work(5.0, pages=10)
    assert (await kit.next()).between
    after = await kit.next()
    assert (after.between, after.resources["pages"]) == (False, 2.0)
    await kit.end()


async def test_regular_heartbeats_come_at_their_interval_whatever_is_told_between() -> None:
    kit = Kit(interval=0.05)
    await kit.engines.add(ORDER)
    regular = 0
    while regular < 3:
        kit.work(0.01, pages=1)
        regular += not (await kit.next()).between
    await kit.end()


async def test_what_was_done_never_goes_down() -> None:
    engines = Engines()
    await engines.add(ORDER)
    engines.tallies["a"] = CrawlTally(pages=5, bytes=100, retries=1, dead={"dns": 2})
    assert engines.work_done() == WorkDone(5, 100, 3)
    engines.tallies["a"] = CrawlTally(pages=2)  # a process of several has given it back
    assert engines.work_done() == WorkDone(5, 100, 3)
    engines.tallies["a"] = CrawlTally(pages=7, bytes=120)
    await engines.remove("a")
    assert engines.work_done() == WorkDone(7, 120, 3)
    await engines.add(ORDER)
    engines.tallies["a"] = CrawlTally(pages=1, bytes=1)
    assert engines.work_done() == WorkDone(8, 121, 3)


async def test_a_node_without_engines_tells_no_rates() -> None:
    rates = WorkRates(None, ManualClock())
    assert (rates.regular(), rates.between()) == ({}, None)
    rates.told(regular=True)
    assert rates.regular() == {}
