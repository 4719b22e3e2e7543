"""Waiting longer and longer for something that is away."""

import asyncio
import random

from crawlmesh.rules.retry_delay import retry_delay


class BackOff:
    """Pauses that double from `first` to `longest` seconds, each shortened by chance by up to a half."""

    def __init__(self, first: float = 0.2, longest: float = 10.0) -> None:
        self._first = first
        self._longest = longest
        self._attempt = 0

    def reset(self) -> None:
        """It is back."""
        self._attempt = 0

    async def pause(self) -> None:
        """Wait before the next try."""
        self._attempt += 1
        jitter = random.uniform(0.5, 1.0)  # noqa: S311
        await asyncio.sleep(retry_delay(self._attempt, self._first, self._longest, jitter))
