"""Telling the master how the node is (N3)."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

from crawlmesh.errors import MasterUnreachableError
from crawlmesh.ports.master import Master
from crawlmesh.protocol.node_messages import HeartbeatMessage
from crawlmesh.worker.back_off import BackOff
from crawlmesh.worker.executions import Executions, WorkReadings
from crawlmesh.worker.readings import Readings
from crawlmesh.worker.worker_log import WorkerLog


class Heartbeats:
    """Sends real readings on an interval, and again soon where no master answered."""

    def __init__(
        self,
        master: Master,
        readings: Readings,
        executions: Executions,
        slots: int,
        on_status: Callable[[str], None],
        log: WorkerLog,
    ) -> None:
        self._master = master
        self._readings = readings
        self._executions = executions
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
            try:
                answer = await self._master.heartbeat(self._message(session, usage, work))
            except MasterUnreachableError:
                self._log.masters_are_away()
                await back_off.pause()
                continue
            back_off.reset()
            self._log.masters_are_there()
            self._executions.told(work)
            self._on_status(answer.status)
            self._sooner.clear()
            with suppress(TimeoutError):
                await asyncio.wait_for(self._sooner.wait(), interval)

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
