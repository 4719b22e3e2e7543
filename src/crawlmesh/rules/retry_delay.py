"""Retries: which failures may pass, and how long to wait before the next attempt."""

from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from crawlmesh.model.page import FailureKind, FetchResponse

MAX_RETRY_AFTER = 3600.0  # seconds

_RETRYABLE_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524})
_RETRYABLE_FAILURES = frozenset(
    {
        FailureKind.DNS,
        FailureKind.CONNECT,
        FailureKind.CONNECT_TIMEOUT,
        FailureKind.FIRST_BYTE_TIMEOUT,
        FailureKind.BODY_TIMEOUT,
        FailureKind.PROTOCOL,
        FailureKind.PROXY,
    }
)
_MAX_DOUBLINGS = 60
_MAX_DIGITS = 9
_OVERLOADED = frozenset({429, 503})


def retry_delay(attempt: int, base: float, cap: float, jitter: float) -> float:
    """Seconds to wait after the attempt of this number, the first being 1: exponential, with full jitter.

    `jitter` is a random number in 0 … 1 from outside. The delay is that part of `base` · 2^(attempt - 1),
    which in turn is at most `cap`.
    """
    doublings = min(max(attempt - 1, 0), _MAX_DOUBLINGS)
    return min(cap, base * 2.0**doublings) * jitter


def is_retryable(status: int, failure: FailureKind | None) -> bool:
    """Whether another attempt may bring what this one did not."""
    if failure is not None:
        return failure in _RETRYABLE_FAILURES
    return status in _RETRYABLE_STATUSES


def retry_after(response: FetchResponse, now: float) -> float | None:
    """Seconds for which a server that is overloaded wants to be left alone, if it says so."""
    if response.status not in _OVERLOADED:
        return None
    value = response.header("retry-after")
    return parse_retry_after(value, now) if value else None


def parse_retry_after(value: str, now: float) -> float | None:
    """The seconds that a Retry-After header asks for, at most an hour; None where it makes no sense.

    `now` is Unix time, which a header with a date is compared to.
    """
    value = value.strip()
    if value.isascii() and value.isdigit():
        return MAX_RETRY_AFTER if len(value) > _MAX_DIGITS else min(float(value), MAX_RETRY_AFTER)
    moment = _parse_http_date(value)
    return None if moment is None else min(max(moment - now, 0.0), MAX_RETRY_AFTER)


def _parse_http_date(value: str) -> float | None:
    try:
        moment = parsedate_to_datetime(value)
        return _as_utc(moment).timestamp()
    except (ValueError, TypeError, OverflowError, IndexError):
        return None


def _as_utc(moment: datetime) -> datetime:
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)
