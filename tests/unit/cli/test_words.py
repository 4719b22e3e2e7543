import pytest

from crawlmesh.cli.words import in_bytes, in_time


@pytest.mark.parametrize(
    ("number", "words"),
    [
        (0, "0 bytes"),
        (999, "999 bytes"),
        (1_000, "1.0 kB"),
        (1_550, "1.6 kB"),
        (20_000_000, "20.0 MB"),
        (5_000_000_000, "5.0 GB"),
        (7_000_000_000_000_000, "7000.0 TB"),
    ],
)
def test_sizes(number: int, words: str) -> None:
    assert in_bytes(number) == words


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (0, "0.0 s"),
        (59.94, "59.9 s"),
        (60, "1 min 00 s"),
        (3_599.9, "59 min 59 s"),
        (3_600, "1 h 00 min"),
        (90_061, "25 h 01 min"),
    ],
)
def test_durations(seconds: float, words: str) -> None:
    assert in_time(seconds) == words
