"""Telling the master how the node is (N3)."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import msgspec
from msgspec import UNSET

from crawlmesh.errors import MasterUnreachableError
from crawlmesh.ports.master import Master
from crawlmesh.protocol.node_messages import HeartbeatAnswer, HeartbeatMessage
from crawlmesh.worker.back_off import BackOff
from crawlmesh.worker.executions import Executions, WorkReadings
from crawlmesh.worker.readings import Readings
from crawlmesh.worker.work_rates import WorkRates
from crawlmesh.worker.worker_log import WorkerLog


class Heartbeats:
    """Sends real readings on an interval, and again soon where no master answered."""

    def __init__(
        self,
        master: Master,
        readings: Readings,
        executions: Executions,
        rates: WorkRates,
        slots: int,
        on_status: Callable[[str], None],
        log: WorkerLog,
    ) -> None:
        self._master = master
        self._readings = readings
        self._executions = executions
        self._rates = rates
        self._slots = slots
        self._on_status = on_status
        self._log = log
        self._sooner = asyncio.Event()

    def soon(self) -> None:
        """Send the next one now."""
        self._sooner.set()

    async def run(self, session: int, interval: float) -> None:
        """Send until cancelled. Raises what tells that the node must register again."""
        back_off = BackOff(longest=max(0.2, interval))
        while True:
            usage = await self._readings.usage()
            work = self._executions.readings()
            message = self._message(session, {**usage, **self._rates.regular()}, work)
            try:
                answer = await self._master.heartbeat(message)
            except MasterUnreachableError:
                self._log.masters_are_away()
                await back_off.pause()
                continue
            back_off.reset()
            self._log.masters_are_there()
            self._executions.told(work)
            self._rates.told(regular=True)
            self._on_status(answer.status)
            self._sooner.clear()
            with suppress(TimeoutError, MasterUnreachableError):  # the next regular one sees to that
                async with asyncio.timeout(interval):
                    await self._until_sooner(message, answer)

    async def _until_sooner(self, regular: HeartbeatMessage, answer: HeartbeatAnswer) -> None:
        """Wait to be told to send the next one; meanwhile, say now and then how fast the crawls get on."""
        while not self._sooner.is_set():
            pause = None if answer.between is UNSET else answer.between
            with suppress(TimeoutError):
                await asyncio.wait_for(self._sooner.wait(), pause)
                return
            rates = self._rates.between()
            if rates is not None:
                answer = await self._master.heartbeat(self._between(regular, rates))
                self._rates.told(regular=False)
                self._on_status(answer.status)

    def _between(self, regular: HeartbeatMessage, rates: dict[str, float]) -> HeartbeatMessage:
        """Costs little: what the machine's sensors say is as it was in the regular one."""
        assert regular.session is not None
        message = self._message(regular.session, {**regular.resources, **rates}, WorkReadings(0, ()))
        return msgspec.structs.replace(message, between=True)

    def _message(self, session: int, usage: dict[str, float], work: WorkReadings) -> HeartbeatMessage:
        tasks = self._executions.running_tasks
        return HeartbeatMessage(
            resources=usage,
            load=min(1.0, max(usage.get("cpu_usage", 0.0), len(tasks) / self._slots)),
            active_tasks=tasks,
            session=session,
            task_errors=work.errors,
            task_latency=work.latency,
        )
