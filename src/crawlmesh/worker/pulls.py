"""Asking the master for work."""

import asyncio
from collections.abc import Callable

from crawlmesh.errors import MasterUnreachableError
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.master import Master
from crawlmesh.protocol.node_messages import PullAnswer, PullMessage
from crawlmesh.worker.back_off import BackOff
from crawlmesh.worker.executions import Executions

_LEAST_PAUSE = 0.2  # seconds between two answers that bring nothing new


class Pulls:
    """One long poll after another: new work begins, orders are carried out."""

    def __init__(
        self,
        master: Master,
        executions: Executions,
        clock: Clock,
        wait: float,
        on_status: Callable[[str], None],
    ) -> None:
        self._master = master
        self._executions = executions
        self._clock = clock
        self._wait = wait  # seconds
        self._on_status = on_status

    async def run(self, session: int) -> None:
        """Ask until cancelled. Raises what tells that the node must register again."""
        back_off = BackOff()
        while True:
            asked_at = self._clock.monotonic()
            executions = self._executions
            message = PullMessage(
                session=session, known=executions.known, started=executions.started, wait=self._wait
            )
            try:
                answer = await self._master.pull(message)
            except MasterUnreachableError:
                await back_off.pause()
                continue
            back_off.reset()
            self._on_status(answer.status)
            news = self._carry_out(answer)
            await asyncio.sleep(0)  # what is new begins before the next question, which tells of it
            if not news and self._clock.monotonic() - asked_at < _LEAST_PAUSE:
                await asyncio.sleep(_LEAST_PAUSE)

    def _carry_out(self, answer: PullAnswer) -> bool:
        """Whether anything of it was new."""
        before = self._executions.changes
        for execution_id in answer.gone:
            self._executions.drop(execution_id)
        for order in answer.stop:
            self._executions.stop(order)
        for assignment in answer.assignments:
            self._executions.take(assignment)
        return self._executions.changes != before
