"""Moments as files spell them. Moments are Unix time in seconds; files speak UTC."""

from datetime import UTC, datetime
from functools import lru_cache

_MINUTE = 60_000  # milliseconds


def iso_milliseconds(moment: float) -> str:
    """ISO 8601 with milliseconds, such as 2026-11-15T09:12:19.123Z."""
    minute, rest = divmod(unix_milliseconds(moment), _MINUTE)
    return f"{_minute_text(minute)}{rest // 1000:02d}.{rest % 1000:03d}Z"


def iso_seconds(moment: float) -> str:
    """ISO 8601 with whole seconds, the form that WARC 1.0 demands."""
    return iso_milliseconds(moment)[:19] + "Z"


def unix_milliseconds(moment: float) -> int:
    """Whole milliseconds since 1970, cut off below the microseconds that a float holds exactly."""
    return round(moment * 1_000_000) // 1000


@lru_cache(maxsize=1024)  # pages come in the order of time, and the calendar is the slow part
def _minute_text(minute: int) -> str:
    return datetime.fromtimestamp(minute * 60, UTC).isoformat()[:17]
