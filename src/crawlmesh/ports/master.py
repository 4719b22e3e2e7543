"""The master, as a node sees it."""

from typing import Protocol

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


class Master(Protocol):
    """What a node can say to its master.

    Every call raises MasterUnreachableError where no master answers: it may be made again. All but
    `register` raise StaleSessionError, UnauthenticatedError or NotFoundError where the node must
    register again, and speak for the node that registered last.
    """

    async def register(self, registration: Registration) -> Registered:
        """Introduce the node. Raises UnauthenticatedError or ForbiddenError where it may not join."""
        ...

    async def heartbeat(self, message: HeartbeatMessage) -> HeartbeatAnswer:
        """Tell how the node is."""
        ...

    async def pull(self, message: PullMessage) -> PullAnswer:
        """Ask for work; returns when there is some, or after `message.wait` seconds."""
        ...

    async def report(self, message: ReportMessage) -> ReportAnswer:
        """Tell what ended. Raises InvalidError where it cannot be taken, such as for its size."""
        ...

    async def logs(self, message: LogMessage) -> None:
        """Hand over lines of logs."""
        ...

    async def leave(self, session: int, *, finishing: bool = False) -> None:
        """Say goodbye: the node goes offline; with `finishing`, it does when its work is done."""
        ...

    async def refused(self) -> None:
        """Return when anybody who speaks for the node was told that it must register again."""
        ...

    async def aclose(self) -> None:
        """Let go of everything. Twice is fine."""
        ...
