import pytest

from crawlmesh.adapters.files.timestamps import iso_milliseconds, iso_seconds, unix_milliseconds


@pytest.mark.parametrize(
    ("moment", "text"),
    [
        (0.0, "1970-01-01T00:00:00.000Z"),
        (1_794_733_939.123, "2026-11-15T09:12:19.123Z"),
        (1_794_733_939.9999, "2026-11-15T09:12:19.999Z"),
        (1_794_733_939.9999999, "2026-11-15T09:12:20.000Z"),
        (951_782_399.5, "2000-02-28T23:59:59.500Z"),
        (-0.5, "1969-12-31T23:59:59.500Z"),
    ],
)
def test_milliseconds_in_utc(moment: float, text: str) -> None:
    assert iso_milliseconds(moment) == text
    assert iso_seconds(moment) == text[:19] + "Z"


def test_unix_milliseconds_agree_with_the_text() -> None:
    assert unix_milliseconds(1_794_733_939.9999) == 1_794_733_939_999
