import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawlmesh.rules.spider_traps import TrapLimits, refuse_trap

SEGMENTS = st.lists(st.sampled_from(["a", "b", "c", "1", "2024", ""]), max_size=12)


@pytest.mark.parametrize(
    ("path", "rule"),
    [
        ("/", None),
        ("/a/b/c/d/e/f/g", None),
        ("/a/a/a", None),
        ("/a/a/a/a", "repeated_segments"),
        ("/a/b/a/b/a/b", None),
        ("/a/b/a/b/a/b/a/b", "repeated_segments"),
        ("/a/b/a/c/a/d/a/e", "repeated_segments"),
        ("/2024/01/01/01", None),
        ("/volume/1/issue/1/page/1/note/1", None),
        ("/1/1/1/1", "repeated_segments"),
        ("/11/1/1/1", None),
        ("//////", None),
        ("/x?next=/a/a/a/a/a", None),
    ],
)
def test_repeated_segments(path: str, rule: str | None) -> None:
    assert refuse_trap("http://a" + path, TrapLimits()) == rule


def test_path_and_query_count_for_the_length() -> None:
    limits = TrapLimits(path_length=10)

    assert refuse_trap("https://a-rather-long-host.example/345678?01", limits) is None
    assert refuse_trap("https://a-rather-long-host.example/345678?012", limits) == "path_length"
    assert refuse_trap("http://h/" + "x" * 2_000) == "path_length"


@given(SEGMENTS, st.integers(1, 4))
def test_more_than_the_limit_of_the_same_segment_is_needed(segments: list[str], limit: int) -> None:
    refused = refuse_trap("http://h/" + "/".join(segments), TrapLimits(repeated_segments=limit))

    most = max((segments.count(segment) for segment in segments if segment), default=0)
    words = max((segments.count(segment) for segment in segments if segment.isalpha()), default=0)
    if most <= limit:
        assert refused is None
    if words > limit:
        assert refused == "repeated_segments"
