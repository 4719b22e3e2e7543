"""Reaching a node from a master."""

from typing import Protocol


class NodeProbe(Protocol):
    """Finds out whether a worker really answers where it said it does."""

    async def reachable(self, ip_address: str, port: int, timeout: float) -> bool:
        """Whether the worker at this address answered a health question within `timeout` seconds."""
        ...
