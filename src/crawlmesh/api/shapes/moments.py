"""Moments and numbers as they stand in answers."""

from datetime import UTC, datetime

from msgspec import UNSET, UnsetType

LAST_MOMENT = 253_402_300_799.0  # the end of the year 9999, in Unix seconds


def moment(seconds: float) -> str:
    """Unix seconds as `2023-06-15T10:30:45Z`, with milliseconds where there are any.

    What nodes say may be anything: a moment that no calendar has becomes the nearest that one has.
    """
    known = min(max(seconds, 0.0), LAST_MOMENT) if seconds == seconds else 0.0
    text = datetime.fromtimestamp(round(known, 3), UTC).isoformat(timespec="milliseconds")[:23]
    return f"{text.removesuffix('.000')}Z"


def moment_if_any(seconds: float | None) -> str | UnsetType:
    """The same, left out where there is none."""
    return UNSET if seconds is None else moment(seconds)


def if_any(value: str | None) -> str | UnsetType:
    """A text, left out where there is none."""
    return UNSET if value is None else value


def plain_numbers(values: dict[str, float]) -> dict[str, float]:
    """Whole numbers without a decimal point, as they came in."""
    return {name: int(value) if float(value).is_integer() else value for name, value in values.items()}
