"""A node as masters see it: it registers, sends heartbeats, pulls and reports; sometimes it does not."""

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from crawlmesh.control.heartbeat import heartbeat
from crawlmesh.control.leave import leave
from crawlmesh.control.pull import pull
from crawlmesh.control.register_node import register_node
from crawlmesh.control.report import report
from crawlmesh.errors import MasterUnreachableError, NotFoundError, StaleSessionError
from crawlmesh.model.execution import Assignment, Execution
from crawlmesh.model.task import TaskResult
from crawlmesh.protocol.node_messages import (
    ExecutionReport,
    HeartbeatMessage,
    PullAnswer,
    PullMessage,
    Registration,
    ReportMessage,
)
from crawlmesh.testing.simulation.simulated_master import SimulatedMaster
from crawlmesh.testing.simulation.watched_store import BrokenInvariantError, WatchedStore

PORT = 9000
_HEARTBEAT_INTERVAL = 5.0  # seconds
_LONGEST_POLL = 5.0  # seconds
_REGIONS = ("eu-west", "us-east", "ap-south")

Outcome = Literal["completed", "failed", "stopped"]


@dataclass
class _Work:
    """A go that is under way."""

    assignment: Assignment
    ends_at: float
    outcome: Outcome = "completed"
    retry: bool = True
    stopping: bool = False
    begin_told: bool = False


class SimulatedNode:
    """Does no-op tasks that take some seconds, and forgets everything when it is killed."""

    def __init__(
        self,
        name: str,
        store: WatchedStore,
        find_master: Callable[[], SimulatedMaster | None],
        source: random.Random,
    ) -> None:
        self.name = name
        self._store = store
        self._find_master = find_master
        self._source = source
        self._slots = source.choice((2, 5, 10, 20))
        self._region = source.choice(_REGIONS)
        self._next_heartbeat = 0.0
        self._next_pull = 0.0
        self._seen = -1  # of the topic that a long poll waits for
        self._session: int | None = None
        self._work: dict[str, _Work] = {}
        self._unsent: dict[str, ExecutionReport] = {}
        self._leaving = False
        self.alive = True
        self.frozen_until = float("-inf")
        self.stale_reports = 0
        self.calm = False  # whether nothing fails any more

    # -- what the world does to it -------------------------------------------------------------------

    def kill(self) -> None:
        """The process is gone, with all that it knew."""
        self.alive = False
        self._session = None
        self._work.clear()
        self._unsent.clear()
        self._leaving = False

    def restart(self) -> None:
        """A new process on the same machine."""
        self.kill()
        self.alive = True

    def freeze(self, until: float) -> None:
        """It does nothing until then, and believes afterwards that no time has passed."""
        self.frozen_until = until

    def leave_soon(self) -> None:
        """Say goodbye with the next tick, and come back later."""
        self._leaving = True

    def is_awake(self, now: float) -> bool:
        """Whether it does anything at the moment."""
        return self.alive and now >= self.frozen_until

    # -- what it does itself ---------------------------------------------------------------------------

    async def step(self, now: float) -> None:
        """One tick of one that is awake."""
        master = self._find_master()
        if master is None:
            return
        try:
            await self._speak(master, now)
        except (StaleSessionError, NotFoundError):
            self._session = None
            self._work.clear()
            self._unsent.clear()
        except MasterUnreachableError:
            return  # what was not answered is sent again

    async def _speak(self, master: SimulatedMaster, now: float) -> None:
        if self._session is None:
            await self._register(master)
        if now >= self._next_heartbeat:
            self._next_heartbeat = now + _HEARTBEAT_INTERVAL
            await heartbeat(master.context, self.name, self._heartbeat())
        if self._leaving:
            await self._leave(master)
            return
        self._finish_due(now)
        await self._report(master)
        if self._would_be_answered(now):
            await self._pull(master, now)

    async def _register(self, master: SimulatedMaster) -> None:
        registration = Registration(
            name=self.name,
            device_id=self.name,
            port=PORT,
            ip_address=self.name,
            region=self._region,
            slots=self._slots,
        )
        answer = await register_node(master.context, registration)
        self._session = answer.session
        self._next_heartbeat = 0.0
        self._work.clear()
        self._unsent.clear()

    def _heartbeat(self) -> HeartbeatMessage:
        load = len(self._work) / self._slots
        tasks = tuple(work.assignment.task.id for work in self._work.values())
        usage = {"cpu_usage": min(load, 0.8), "memory_usage": 0.3}
        return HeartbeatMessage(
            resources=usage, load=min(load, 1.0), active_tasks=tasks, session=self._session
        )

    async def _leave(self, master: SimulatedMaster) -> None:
        await leave(master.context, self.name, self._session)
        self.kill()

    def _finish_due(self, now: float) -> None:
        for execution_id, work in list(self._work.items()):
            if work.stopping or work.ends_at <= now:
                del self._work[execution_id]
                self._unsent[execution_id] = ExecutionReport(
                    execution_id=execution_id,
                    fence=work.assignment.execution.fence,
                    outcome="stopped" if work.stopping else work.outcome,
                    result=TaskResult(success=work.outcome == "completed", timestamp=now),
                    retry=work.retry,
                )

    async def _report(self, master: SimulatedMaster) -> None:
        if not self._unsent or self._session is None:
            return
        reports = tuple(self._unsent.values())
        before = await self._stored(reports)
        running = {execution.id for execution in before if execution.ended_by is None}
        doubtful = [each for each in reports if each.execution_id not in running]
        answer = await report(
            master.context, self.name, ReportMessage(session=self._session, reports=reports)
        )
        if doubtful:
            self.stale_reports += len(doubtful)
            taken = {each.execution_id for each, done in zip(reports, answer.taken, strict=True) if done}
            after = await self._stored(doubtful)
            left_trace = after != [execution for execution in before if execution.id not in running]
            if left_trace or any(each.execution_id in taken for each in doubtful):
                raise BrokenInvariantError(f"a stale report of {self.name} was taken or left a trace")
        self._unsent.clear()

    async def _stored(self, reports: Sequence[ExecutionReport]) -> list[Execution]:
        found = await self._store.assignments([each.execution_id for each in reports])
        return [assignment.execution for assignment in found]

    def _would_be_answered(self, now: float) -> bool:
        """Whether a long poll would come back in this tick: there is news, or it has waited long enough."""
        mark = self._store.mark(f"node:{self.name}")
        if mark == self._seen and now < self._next_pull:
            return False
        self._seen = mark
        self._next_pull = now + _LONGEST_POLL
        return True

    async def _pull(self, master: SimulatedMaster, now: float) -> None:
        assert self._session is not None
        begun = [(execution_id, work) for execution_id, work in self._work.items() if not work.begin_told]
        message = PullMessage(
            session=self._session,
            known=tuple(self._work),
            started=tuple(execution_id for execution_id, _ in begun),
            wait=0.0,
        )
        answer = await pull(master.context, self.name, message)
        for _, work in begun:
            work.begin_told = True
        self._take(answer, now)

    def _take(self, answer: PullAnswer, now: float) -> None:
        for execution_id in answer.gone:
            self._work.pop(execution_id, None)
        for assignment in answer.assignments:
            self._work[assignment.execution.id] = self._begin(assignment, now)
        for order in answer.stop:
            if order.execution_id in self._work:
                self._work[order.execution_id].stopping = True
        if answer.status in ("draining", "offline") and not self._work:
            self.kill()

    def _begin(self, assignment: Assignment, now: float) -> _Work:
        chance = 1.0 if self.calm else self._source.random()
        ends_at = now + self._source.choice((0.0, 1.0, 5.0, 20.0))
        if chance < 0.02:
            return _Work(assignment, ends_at, "failed", retry=False)
        if chance < 0.08:
            return _Work(assignment, ends_at, "failed")
        if chance < 0.09:
            return _Work(assignment, float("inf"))  # hangs until it times out
        return _Work(assignment, ends_at)
