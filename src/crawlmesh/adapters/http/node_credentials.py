"""What a node proves itself with, shared by all that speak for it."""

import asyncio
from collections.abc import Mapping


class NodeCredentials:
    """The token and session of the latest registration.

    Who learns that they are worth nothing says `refused`; the agent, who waits for that, registers
    again, and those who wait for `renewed` go on.
    """

    def __init__(self) -> None:
        self.node_id = ""
        self.token = ""
        self.session = 0
        self.version = 0  # grows with every registration
        self._renewed = asyncio.Event()
        self._refused = asyncio.Event()

    def set(self, node_id: str, token: str, session: int) -> None:
        """Take over what a registration brought."""
        self.node_id, self.token, self.session = node_id, token, session
        self.version += 1
        self._refused.clear()
        self._renewed.set()

    def headers(self) -> Mapping[str, str]:
        """What goes with every request."""
        return {"Authorization": f"Bearer {self.token}", "X-Node-Session": str(self.session)}

    def refused(self, version: int) -> None:
        """A master did not accept the credentials of this version."""
        if version == self.version:
            self._renewed.clear()
            self._refused.set()

    async def wait_refused(self) -> None:
        """Return when they are worth nothing any more."""
        await self._refused.wait()

    async def wait_renewed(self) -> None:
        """Return when there are some that nobody has refused."""
        await self._renewed.wait()
