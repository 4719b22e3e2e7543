import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawlmesh.model.page import FailureKind
from crawlmesh.rules.retry_delay import MAX_RETRY_AFTER, is_retryable, parse_retry_after, retry_delay

NOW = 784_111_777.0  # Sun, 06 Nov 1994 08:49:37 GMT


def test_the_delay_doubles_up_to_its_cap() -> None:
    delays = [retry_delay(attempt, base=1.0, cap=10.0, jitter=1.0) for attempt in range(1, 7)]

    assert delays == [1.0, 2.0, 4.0, 8.0, 10.0, 10.0]
    assert retry_delay(3, base=1.0, cap=10.0, jitter=0.25) == 1.0


@given(st.integers(0, 10**9), st.floats(0, 100), st.floats(0, 1000), st.floats(0, 1))
def test_the_delay_is_never_negative_and_never_above_its_cap(
    attempt: int, base: float, cap: float, jitter: float
) -> None:
    assert 0 <= retry_delay(attempt, base, cap, jitter) <= cap


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504, 520, 521, 522, 523, 524])
def test_statuses_that_may_pass(status: int) -> None:
    assert is_retryable(status, None)


@pytest.mark.parametrize("status", [200, 301, 304, 400, 401, 403, 404, 410, 451, 501, 505, 525])
def test_statuses_that_stay(status: int) -> None:
    assert not is_retryable(status, None)


def test_failures_that_may_pass() -> None:
    lasting = {FailureKind.TLS, FailureKind.PRIVATE_ADDRESS, FailureKind.TOO_LARGE, FailureKind.BAD_URL}

    assert {kind for kind in FailureKind if not is_retryable(0, kind)} == lasting


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("0", 0.0),
        (" 120 ", 120.0),
        ("3601", MAX_RETRY_AFTER),
        ("9" * 5_000, MAX_RETRY_AFTER),
        ("Sun, 06 Nov 1994 08:50:37 GMT", 60.0),
        ("Sunday, 06-Nov-94 08:50:37 GMT", 60.0),
        ("Sun Nov  6 08:50:37 1994", 60.0),
        ("Sun, 06 Nov 1994 08:50:37 -0000", 60.0),
        ("Sun, 06 Nov 1994 07:00:00 GMT", 0.0),
        ("Sun, 06 Nov 2094 08:50:37 GMT", MAX_RETRY_AFTER),
        ("", None),
        ("-5", None),
        ("1.5", None),
        ("soon", None),
        ("²", None),
        ("Sun, 99 Nov 1994 08:50:37 GMT", None),
    ],
)
def test_retry_after(value: str, seconds: float | None) -> None:
    assert parse_retry_after(value, NOW) == seconds


@given(st.text(max_size=40) | st.text(alphabet="0123456789 :,-+GMTSunNov", max_size=40), st.floats(0, 4e9))
def test_retry_after_never_raises_and_stays_within_an_hour(value: str, now: float) -> None:
    seconds = parse_retry_after(value, now)

    assert seconds is None or 0 <= seconds <= MAX_RETRY_AFTER
