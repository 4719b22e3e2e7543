"""Finding masters in the local network."""

from collections.abc import Sequence
from typing import Protocol


class MasterDiscovery(Protocol):
    """Tells the network where a master is, and hears of masters. A network may not allow either."""

    async def announce(self, addresses: Sequence[str], port: int, *, tls: bool) -> bool:
        """Tell until `aclose` that a master answers there. False where the network does not allow it."""
        ...

    async def find(self, patience: float) -> list[str]:
        """The addresses (URLs) of masters, as soon as one is heard; empty after `patience` seconds."""
        ...

    async def aclose(self) -> None:
        """Take the announcement back. Twice is fine."""
        ...
