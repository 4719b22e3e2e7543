"""A clock that stands still until a test moves it."""


class ManualClock:
    """Implements `crawlmesh.ports.clock.Clock`; both of its times move together, only by `advance`."""

    def __init__(self, start: float = 1_700_000_000.0) -> None:
        self._start = start
        self._elapsed = 0.0  # seconds

    def now(self) -> float:
        """Unix time in seconds."""
        return self._start + self._elapsed

    def monotonic(self) -> float:
        """Seconds since the clock was made."""
        return self._elapsed

    def advance(self, seconds: float) -> None:
        """Let time pass. Raises ValueError where it would go back."""
        if seconds < 0:
            raise ValueError(f"a clock cannot be advanced by {seconds} seconds; give zero or more")
        self._elapsed += seconds
