"""A master without a network: the `Master` port straight on the use cases, with stores in memory."""

import asyncio

from crawlmesh.control.append_logs import append_logs
from crawlmesh.control.heartbeat import heartbeat
from crawlmesh.control.leave import leave
from crawlmesh.control.pull import pull
from crawlmesh.control.register_node import register_node
from crawlmesh.control.report import report
from crawlmesh.errors import MasterUnreachableError
from crawlmesh.protocol.node_messages import (
    HeartbeatAnswer,
    HeartbeatMessage,
    LogMessage,
    PullAnswer,
    PullMessage,
    Registered,
    Registration,
    ReportAnswer,
    ReportMessage,
)
from tests.unit.control.kit import ControlKit


class ControlMaster:
    """Implements `crawlmesh.ports.master.Master`. While it is `down`, nobody answers."""

    def __init__(self, kit: ControlKit) -> None:
        self.kit = kit
        self.down = False
        self.asked_in_vain = asyncio.Event()
        self.heartbeats: list[HeartbeatMessage] = []
        self.node_id = ""
        self.registrations: list[Registration] = []
        self.given = 0  # assignments in answers to pulls

    def _answer(self) -> None:
        if self.down:
            self.asked_in_vain.set()
            raise MasterUnreachableError("No master answers.")

    async def register(self, registration: Registration) -> Registered:
        self._answer()
        self.registrations.append(registration)
        registered = await register_node(self.kit.context, registration)
        self.node_id = registered.node_id
        return registered

    async def heartbeat(self, message: HeartbeatMessage) -> HeartbeatAnswer:
        self._answer()
        self.heartbeats.append(message)
        return await heartbeat(self.kit.context, self.node_id, message)

    async def pull(self, message: PullMessage) -> PullAnswer:
        self._answer()
        answer = await pull(self.kit.context, self.node_id, message)
        self.given += len(answer.assignments)
        self._answer()
        return answer

    async def report(self, message: ReportMessage) -> ReportAnswer:
        self._answer()
        return await report(self.kit.context, self.node_id, message)

    async def logs(self, message: LogMessage) -> None:
        self._answer()
        await append_logs(self.kit.context, self.node_id, message)

    async def leave(self, session: int, *, finishing: bool = False) -> None:
        self._answer()
        await leave(self.kit.context, self.node_id, session, finishing=finishing)

    async def refused(self) -> None:
        await asyncio.get_running_loop().create_future()

    async def aclose(self) -> None:
        pass
