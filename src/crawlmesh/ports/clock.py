"""Time, brought in from outside."""

from typing import Protocol


class Clock(Protocol):
    """Tells the time. Nothing in the core asks the operating system itself."""

    def now(self) -> float:
        """Unix time in seconds. May jump with the system's clock."""
        ...

    def monotonic(self) -> float:
        """Seconds from an arbitrary start. Never jumps; only differences mean anything."""
        ...
