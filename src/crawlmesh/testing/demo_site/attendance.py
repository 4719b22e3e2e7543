"""How long the server may have been away before it saw a request: busy machines let it wait."""

import asyncio
import time

_TICK = 0.02  # seconds


class Attendance:
    """Looks at the time again and again, on the loop that serves."""

    def __init__(self) -> None:
        self._looked_at = float("inf")  # monotonic seconds

    def begin(self, loop: asyncio.AbstractEventLoop) -> None:
        """Look from now on."""
        self._looked_at = time.monotonic()
        loop.call_later(_TICK, self.begin, loop)

    def away_until(self, now: float) -> float:
        """For how many seconds it has not looked though it should have; what it finds now may have waited."""
        return max(now - self._looked_at - _TICK, 0.0)
