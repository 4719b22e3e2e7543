"""Asking the master for work."""

import asyncio
from collections.abc import Callable

from crawlmesh.errors import MasterUnreachableError
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.master import Master
from crawlmesh.protocol.node_messages import PullAnswer, PullMessage
from crawlmesh.worker.back_off import BackOff
from crawlmesh.worker.executions import Executions

_BEGIN_PAUSE = 0.25  # seconds of waiting while there are begins that will have to be told
_LEAST_PAUSE = 0.2  # seconds between two questions that are the same


class Pulls:
    """One long poll after another: new work begins, orders are carried out."""

    def __init__(
        self,
        master: Master,
        executions: Executions,
        clock: Clock,
        wait: float,
        on_status: Callable[[str], None],
        takes_from_channel: Callable[[], bool] = lambda: False,
    ) -> None:
        self._master = master
        self._executions = executions
        self._clock = clock
        self._wait = wait  # seconds
        self._on_status = on_status
        self._takes_from_channel = takes_from_channel

    async def run(self, session: int) -> None:
        """Ask until cancelled. Raises what tells that the node must register again."""
        back_off = BackOff()
        last: PullMessage | None = None
        asked_at = 0.0
        while True:
            message = self._message(session)
            if message == last and self._clock.monotonic() - asked_at < _LEAST_PAUSE:
                # The last answer changed nothing here, and came at once: so would the next one.
                await asyncio.sleep(_LEAST_PAUSE)
                message = self._message(session)
            last, asked_at = message, self._clock.monotonic()
            try:
                answer = await self._master.pull(message)
            except MasterUnreachableError:
                await back_off.pause()
                continue
            back_off.reset()
            self._executions.begins_told(message.started)
            self._on_status(answer.status)
            self._carry_out(answer)
            await asyncio.sleep(0)  # what is new begins before the next question, which tells of it

    def _message(self, session: int) -> PullMessage:
        executions = self._executions
        wait = min(self._wait, _BEGIN_PAUSE) if executions.beginning else self._wait
        return PullMessage(
            session=session,
            known=executions.known,
            started=executions.started,
            wait=wait,
            channel=self._takes_from_channel(),
        )

    def _carry_out(self, answer: PullAnswer) -> None:
        for execution_id in answer.gone:
            self._executions.drop(execution_id)
        for order in answer.stop:
            self._executions.stop(order)
        for assignment in answer.assignments:
            self._executions.take(assignment)
