"""A master that can be killed in the middle of anything, or stopped for longer than its lease."""

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Any

from crawlmesh.control.context import ControlContext
from crawlmesh.control.lead import Lead
from crawlmesh.control.leader import LeaderElection
from crawlmesh.control.loops.finish_crawls import FinishCrawls
from crawlmesh.control.loops.leader_loop import LeaderLoop
from crawlmesh.control.loops.lease_expiry import LeaseExpiry
from crawlmesh.control.loops.retention import Retention
from crawlmesh.control.loops.take_samples import TakeSamples
from crawlmesh.control.make_loops import loops_with
from crawlmesh.errors import MasterUnreachableError, NotLeaderError
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.control_store import ControlStore
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.ports.node_probe import NodeProbe
from crawlmesh.rules.placement import builtin_strategies
from crawlmesh.testing.simulation.plan import CONTROL_OPTIONS

_MOST_ROUNDS = 50  # of the scheduler in one tick
_WITHOUT_CRAWLS = (FinishCrawls, LeaseExpiry, Retention, TakeSamples)  # loops that have nothing to do here
_CHANCE_TO_WAIT = 0.25
_LAST_CALLS = 12  # a kill strikes within so many calls to the store


class MasterKilledError(MasterUnreachableError):
    """The process is gone in the middle of what it did."""


class _Connection:
    """The store as one master has it: every call may be its last, and waits while the master is stopped."""

    def __init__(self, store: ControlStore, master: "SimulatedMaster", source: random.Random) -> None:
        self._store = store
        self._master = master
        self._source = source

    def __getattr__(self, name: str) -> Any:
        """What the store has under the name; kept, so that it is asked for once."""
        found = getattr(self._store, name)
        if name not in ("mark", "shared"):
            found = self._endangered(found)
        setattr(self, name, found)
        return found

    def _endangered(self, target: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        master, source = self._master, self._source

        async def call(*arguments: Any, **options: Any) -> Any:
            if master.in_danger:
                await master.before_call()
            if source.random() < _CHANCE_TO_WAIT:
                await asyncio.sleep(0)  # others get in between, as they do on a real network
            answer = await target(*arguments, **options)
            if master.in_danger:
                master.after_call()
            return answer

        return call


class DrivenLoop(LeaderLoop):
    """A loop that the simulation drives instead of time."""

    def __init__(self, loop: LeaderLoop) -> None:
        super().__init__(loop.context, loop.lead)
        self._loop = loop
        self._due = loop.context.clock.monotonic()
        self.rounds = _MOST_ROUNDS if type(loop).__name__ == "Schedule" else 2

    def start(self) -> None:
        """The simulation calls it."""

    async def stop(self) -> None:
        """There is nothing to stop."""

    def interval(self) -> float:
        """That of the loop."""
        return self._loop.interval()

    async def run_once(self, now: float) -> int:
        """One go where it is due; the scheduler is always due, as it would be woken."""
        moment = self.context.clock.monotonic()
        if moment < self._due and self.rounds == 2:
            return 0
        self._due = moment + self.interval()
        return await self._loop.run_once(now)


class SimulatedMaster:
    """One process after the other under one name."""

    def __init__(
        self,
        name: str,
        store: ControlStore,
        crawl_store: CrawlStore,
        clock: Clock,
        source: random.Random,
        probe: NodeProbe,
    ) -> None:
        self.name = name
        self._store = store
        self._crawl_store = crawl_store
        self._clock = clock
        self._source = source
        self._probe = probe
        self._going = asyncio.Event()
        self._stopped_now = asyncio.Event()
        self._calls_left: int | None = None
        self._step: asyncio.Task[None] | None = None
        self.alive = False
        self.in_danger = False  # whether a call to the store may have to wait, or be the last one
        self.restart()

    # -- what the world does to it -------------------------------------------------------------------

    def restart(self) -> None:
        """Begin as a new process that knows nothing."""
        self.abandon()
        self.alive = True
        self.in_danger = False
        self._going.set()
        self._stopped_now.clear()
        self._calls_left = None
        connection: Any = _Connection(self._store, self, self._source)
        self.context = ControlContext(
            store=connection,
            crawl_store=self._crawl_store,
            clock=self._clock,
            options=CONTROL_OPTIONS,
            strategies=builtin_strategies(),
            random=self._source,
        )
        self._election = LeaderElection(self.context, self.name, self._driven(loops_with(self._probe)))

    def kill_soon(self) -> None:
        """Strike at one of the next calls to the store, before or after it is carried out."""
        self.in_danger = True
        self._calls_left = self._source.randrange(_LAST_CALLS)

    def halt(self) -> None:
        """Stop at the next call to the store, as SIGSTOP does."""
        self.in_danger = True
        self._going.clear()

    def go_on(self) -> None:
        """Go on where it was."""
        self.in_danger = self._calls_left is not None
        self._stopped_now.clear()
        self._going.set()

    def abandon(self) -> None:
        """Nothing of this process goes on."""
        self.alive = False
        self.in_danger = True
        if self._step is not None:
            self._step.cancel()
            self._step = None

    @property
    def answers(self) -> bool:
        """Whether nodes reach it."""
        return self.alive and self._going.is_set()

    @property
    def leads(self) -> bool:
        """Whether it thinks that it leads."""
        return self.alive and self._election.leads

    # -- what it does itself ---------------------------------------------------------------------------

    async def step(self) -> None:
        """What happens in one tick, up to where it is stopped, if it is."""
        if not self.alive:
            return
        if self._step is None:
            if not self._going.is_set():
                return
            self._step = asyncio.create_task(self._tick())
        stopped = asyncio.create_task(self._stopped_now.wait())
        await asyncio.wait({self._step, stopped}, return_when=asyncio.FIRST_COMPLETED)
        stopped.cancel()
        if self._step.done():
            done, self._step = self._step, None
            done.result()

    async def before_call(self) -> None:
        """Wait while stopped; die where that was planned."""
        if not self._going.is_set():
            self._stopped_now.set()
            await self._going.wait()
        if not self.alive:
            raise MasterKilledError(f"{self.name} is gone")
        self._count_down(early=True)

    def after_call(self) -> None:
        """Die where that was planned: the store has done it, but nobody will hear of it."""
        self._count_down(early=False)

    def _count_down(self, early: bool) -> None:
        if self._calls_left is None:
            return
        if self._calls_left <= 0 and self._source.random() < 0.5:
            self.alive = False
            raise MasterKilledError(f"{self.name} was killed")
        if early:
            self._calls_left -= 1

    async def _tick(self) -> None:
        try:
            await self._election.run_once(self._clock.now())
            for loop in self._election.loops:
                await self._drive(loop)
        except MasterKilledError:
            self.alive = False

    async def _drive(self, loop: LeaderLoop) -> None:
        assert isinstance(loop, DrivenLoop)
        try:
            for _ in range(loop.rounds):
                if not loop.lead.holds or not await loop.run_once(self._clock.now()):
                    return
        except NotLeaderError:
            loop.lead.give_up()

    @staticmethod
    def _driven(make: Callable[[ControlContext, Lead], Any]) -> Callable[[ControlContext, Lead], Any]:
        return lambda context, lead: [
            DrivenLoop(loop) for loop in make(context, lead) if not isinstance(loop, _WITHOUT_CRAWLS)
        ]
