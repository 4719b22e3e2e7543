"""One answer for all who ask at the same time, and for a while after."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Generic, TypeVar

from crawlmesh.ports.clock import Clock

_Found = TypeVar("_Found")


class RememberedAnswer(Generic[_Found]):
    """What takes long to find out is found out seldom: it is good for longer, the longer it took."""

    def __init__(self, *, share_of_time: float, life: float = 0.0) -> None:
        """Finding out takes at most one part in `share_of_time`; `life`: how many seconds it is good for."""
        self._share_of_time = share_of_time
        self._life = life
        self._found: _Found | None = None
        self._until = float("-inf")  # monotonic seconds
        self._asking = asyncio.Lock()

    async def get(self, clock: Clock, find_out: Callable[[], Awaitable[_Found]]) -> _Found:
        """The answer, as it is or as it was a moment ago."""
        async with self._asking:
            begun = clock.monotonic()
            if self._found is None or begun >= self._until:
                self._found = await find_out()
                took = clock.monotonic() - begun
                self._until = begun + max(self._life, took * self._share_of_time)
            return self._found
