"""The way of ended executions to the master."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import msgspec

from crawlmesh.errors import ConflictError, InvalidError, MasterUnreachableError
from crawlmesh.model.task import TaskResult
from crawlmesh.ports.master import Master
from crawlmesh.protocol.node_messages import ExecutionReport, ReportMessage
from crawlmesh.worker.back_off import BackOff

_REPORTS_AT_ONCE = 500


class Reporter:
    """Keeps reports until the master has answered them; what comes meanwhile goes with the next call."""

    def __init__(self, master: Master, on_answered: Callable[[str], None]) -> None:
        self._master = master
        self._on_answered = on_answered
        self._waiting: dict[str, ExecutionReport] = {}  # by execution
        self._filled = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()

    def add(self, report: ExecutionReport) -> None:
        """An execution ended."""
        self._waiting[report.execution_id] = report
        self._filled.set()
        self._empty.clear()

    def drop_all(self) -> None:
        """Forget everything: the master has given the work to others."""
        self._waiting.clear()
        self._filled.clear()
        self._empty.set()

    async def flushed(self) -> None:
        """Return when every report has been answered."""
        await self._empty.wait()

    async def run(self, session: int) -> None:
        """Send reports as they come. Raises what tells that the node must register again."""
        back_off = BackOff()
        while True:
            await self._filled.wait()
            batch = list(self._waiting.values())[:_REPORTS_AT_ONCE]
            try:
                await self._send(session, batch)
            except (MasterUnreachableError, ConflictError):  # somebody changed the same at the same time
                await back_off.pause()
                continue
            back_off.reset()

    async def _send(self, session: int, batch: list[ExecutionReport]) -> None:
        try:
            await self._master.report(ReportMessage(session=session, reports=tuple(batch)))
        except InvalidError as error:
            if len(batch) > 1:
                for report in batch:
                    await self._send(session, [report])
                return
            await self._send_without_result(session, batch[0], error)
        for report in batch:
            self._answered(report)

    async def _send_without_result(self, session: int, report: ExecutionReport, error: InvalidError) -> None:
        """A result that the master refuses, such as for its size, is a failure of its execution."""
        result = TaskResult(success=False, error=f"The master did not take the result: {error}")
        failed = msgspec.structs.replace(report, outcome="failed", result=result, retry=False)
        with suppress(InvalidError):  # nothing of it can be told; its time-out will end it
            await self._master.report(ReportMessage(session=session, reports=(failed,)))

    def _answered(self, report: ExecutionReport) -> None:
        if self._waiting.get(report.execution_id) is report:
            del self._waiting[report.execution_id]
        self._on_answered(report.execution_id)
        if not self._waiting:
            self._filled.clear()
            self._empty.set()
