"""The whole simulation: moves the clock, lets everybody act, and lets things go wrong."""

import asyncio
import random
from typing import Any

import msgspec

from crawlmesh.adapters.memory.crawl_store import MemoryCrawlStore
from crawlmesh.control.drain_node import drain_node
from crawlmesh.control.steer_tasks import cancel_task, pause_task, reprioritize, resume_task, retry_task
from crawlmesh.control.submit_tasks import submit_tasks
from crawlmesh.errors import ConflictError, MasterUnreachableError
from crawlmesh.model.task import TaskStatus
from crawlmesh.protocol.task_messages import NewTask
from crawlmesh.testing.manual_clock import ManualClock
from crawlmesh.testing.simulation.crowd import run_crowd
from crawlmesh.testing.simulation.plan import Plan
from crawlmesh.testing.simulation.simulated_master import SimulatedMaster
from crawlmesh.testing.simulation.simulated_node import SimulatedNode
from crawlmesh.testing.simulation.watched_store import BrokenInvariantError, WatchedStore

_MOST_AT_ONCE = 10_000  # tasks in one submission
_MOST_STEERED = 50  # tasks that users touch in one tick
_STRATEGIES = (None, "least_loaded", "round_robin", "weighted", "random", "geo_location")


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What happened."""

    plan: Plan
    ticks: int
    by_status: dict[str, int]
    placements: int
    refused_changes: int
    stale_reports: int
    node_faults: int
    master_faults: int
    terms: int  # of leaders


class World:
    """One simulation. Raises BrokenInvariantError where something happens that must not."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        self._source = random.Random(plan.seed)
        self._clock = ManualClock()
        self.store = WatchedStore()
        crawl_store = MemoryCrawlStore(self._clock)
        self._masters = [
            SimulatedMaster(f"master-{number}", self.store, crawl_store, self._clock, self._source, self)
            for number in range(plan.masters)
        ]
        self._nodes = {
            f"n{number:05}": SimulatedNode(f"n{number:05}", self.store, self._find_master, self._source)
            for number in range(plan.nodes)
        }
        self._returns: dict[str, float] = {}  # when something that is away comes back
        self._submitted = 0
        self._is_calm = False
        self._node_faults = 0
        self._master_faults = 0

    async def reachable(self, ip_address: str, port: int, timeout: float) -> bool:  # noqa: ARG002
        """As a node probe: whether the node of this address answers."""
        return self._nodes[ip_address].is_awake(self._clock.now())

    async def run(self) -> Summary:
        """Until every task has ended, and everything has come to rest."""
        plan = self._plan
        for tick in range(plan.most_ticks):
            self._clock.advance(plan.tick)
            if tick < plan.faults_for:
                await self._go_wrong()
            elif tick == plan.faults_for:
                await self._calm_down()
            await self._submit(tick)
            await self._act()
            if tick > plan.faults_for and await self._is_over():
                await self._check_the_end()
                return await self._summary(tick + 1)
        raise BrokenInvariantError(
            f"{len(self.store.unfinished)} tasks have not ended after {plan.most_ticks} ticks"
        )

    async def _act(self) -> None:
        """Everybody has a turn, many at once, so that they get in each other's way."""
        now = self._clock.now()
        await asyncio.gather(
            *(master.step() for master in self._masters),
            self._steer(),
            run_crowd([node.step(now) for node in self._nodes.values() if node.is_awake(now)]),
        )

    # -- users ---------------------------------------------------------------------------------------

    async def _submit(self, tick: int) -> None:
        plan = self._plan
        target = plan.tasks if tick >= plan.submit_for else plan.tasks * (tick + 1) // plan.submit_for
        master = self._find_master()
        if master is None or target <= self._submitted:
            return
        target = min(target, self._submitted + _MOST_AT_ONCE)  # after a time without a master
        requests = [self._new_task() for _ in range(target - self._submitted)]
        try:
            await submit_tasks(master.context, requests, f"tick-{tick}")
        except MasterUnreachableError:
            return  # tried again under another key, so that there may be more tasks in the end
        self._submitted = target

    def _new_task(self) -> NewTask:
        source = self._source
        return NewTask(
            task_type="noop",
            priority=source.randint(1, 10),
            schedule_strategy=source.choice(_STRATEGIES),
            target_region="eu-west" if source.random() < 0.1 else None,
            max_nodes=3 if source.random() < 0.05 else 1,
            max_retries=source.randint(0, 3),
        )

    async def _steer(self) -> None:
        master = self._find_master()
        unfinished = self.store.unfinished
        if master is None or not unfinished or self._is_calm:
            return
        wanted = min(self._some(len(unfinished), self._plan.steering), _MOST_STEERED)
        ids = self._source.sample(list(unfinished), min(len(unfinished), wanted))
        for task_id in ids:
            await self._touch(master, task_id)

    async def _touch(self, master: SimulatedMaster, task_id: str) -> None:
        act: Any = self._source.choice((pause_task, resume_task, cancel_task, retry_task, reprioritize))
        arguments = (self._source.randint(1, 10),) if act is reprioritize else ()
        try:
            await act(master.context, task_id, *arguments)
        except (ConflictError, MasterUnreachableError):
            return  # the status allows no such move, or the master died over it

    # -- faults --------------------------------------------------------------------------------------

    async def _go_wrong(self) -> None:
        self._bring_back()
        if self._source.random() < self._plan.master_faults:
            self._hurt_master(self._source.choice(self._masters))
        for name in self._source.sample(
            list(self._nodes), self._some(len(self._nodes), self._plan.node_faults)
        ):
            await self._hurt_node(name)

    def _some(self, number: int, share: float) -> int:
        """How many of so many are struck in this tick, at random around half of the share."""
        return int(number * share * self._source.random() + self._source.random())

    def _hurt_master(self, master: SimulatedMaster) -> None:
        self._master_faults += 1
        self._returns[master.name] = self._clock.now() + self._source.uniform(1.0, 20.0)
        if self._source.random() < 0.5:
            master.kill_soon()
        else:
            master.halt()

    async def _hurt_node(self, name: str) -> None:
        node = self._nodes[name]
        self._node_faults += 1
        kind = self._source.choice(("kill", "restart", "freeze", "freeze", "leave", "drain"))
        away = self._source.uniform(1.0, 60.0)
        if kind == "freeze":
            node.freeze(self._clock.now() + away)
            return
        self._returns[name] = self._clock.now() + away
        if kind == "kill":
            node.kill()
        elif kind == "restart":
            node.restart()
        elif kind == "leave":
            node.leave_soon()
        else:
            await self._drain(name)

    async def _drain(self, name: str) -> None:
        master = self._find_master()
        if master is None or await self.store.node(name) is None:
            return
        try:
            await drain_node(master.context, name)
        except (ConflictError, MasterUnreachableError):
            return  # it is away already, or the master died over it

    def _bring_back(self) -> None:
        now = self._clock.now()
        for name in [name for name, moment in self._returns.items() if moment <= now]:
            del self._returns[name]
            if name in self._nodes:
                if not self._nodes[name].alive:
                    self._nodes[name].restart()
            else:
                self._revive(next(master for master in self._masters if master.name == name))

    def _revive(self, master: SimulatedMaster) -> None:
        if master.alive:
            master.go_on()
        else:
            master.restart()

    def _find_master(self) -> SimulatedMaster | None:
        answering = [master for master in self._masters if master.answers]
        return answering[int(self._source.random() * len(answering))] if answering else None

    # -- the end -------------------------------------------------------------------------------------

    async def _calm_down(self) -> None:
        """Nothing goes wrong any more; what is paused goes on. Some nodes that are dead stay so for ever."""
        for master in self._masters:
            master.go_on()
            await master.step()
            master.restart()
        self._is_calm = True
        for node in self._nodes.values():
            node.calm = True
            node.freeze(float("-inf"))
            if not node.alive and self._source.random() < 0.5:
                node.restart()
        if not any(node.alive for node in self._nodes.values()):
            next(iter(self._nodes.values())).restart()
        for task in await self.store.tasks_by_id(sorted(self.store.unfinished)):
            if task.status is TaskStatus.PAUSED:
                await resume_task(self._masters[0].context, task.id)

    async def _is_over(self) -> bool:
        if self._submitted < self._plan.tasks or self.store.unfinished:
            return False
        return not await self.store.node_loads()

    async def _check_the_end(self) -> None:
        counts = (await self.store.count_tasks()).by_status
        ended = sum(counts.values())
        if ended < self._plan.tasks or ended != len(self.store.ends):
            raise BrokenInvariantError(f"{len(self.store.ends)} of {ended} tasks came to an end")
        for task_id, ends in self.store.ends.items():
            if ends != 1 + self.store.revivals[task_id]:
                raise BrokenInvariantError(f"{task_id} ended {ends} times")

    async def _summary(self, ticks: int) -> Summary:
        leadership = await self.store.leader()
        return Summary(
            plan=self._plan,
            ticks=ticks,
            by_status=(await self.store.count_tasks()).by_status,
            placements=self.store.placements,
            refused_changes=self.store.refusals,
            stale_reports=sum(node.stale_reports for node in self._nodes.values()),
            node_faults=self._node_faults,
            master_faults=self._master_faults,
            terms=leadership.fence if leadership else 0,
        )
