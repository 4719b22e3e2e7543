from hypothesis import given
from hypothesis import strategies as st

from crawlmesh.adapters.bloom_filter import ScalableBloomFilter, filter_of, status_of
from crawlmesh.model.crawl import Dedup
from crawlmesh.rules.url_identity import fingerprint_of
from crawlmesh.testing.builders import crawl

RATE = 0.0001


def _fingerprints(kind: str, count: int) -> list[bytes]:
    return [fingerprint_of(f"https://a.example/{kind}/{number}?page={number}") for number in range(count)]


@given(st.lists(st.binary(min_size=16, max_size=16), max_size=200))
def test_what_was_added_is_known_however_often_the_filter_grew(fingerprints: list[bytes]) -> None:
    known = ScalableBloomFilter(10, 1e-9)
    answers = known.add_new(fingerprints)
    assert sum(answers) == len(set(fingerprints)) == known.count
    assert all(fingerprint in known for fingerprint in fingerprints)
    assert not any(known.add_new(fingerprints))


def test_new_links_are_taken_for_known_ones_less_often_than_the_rate() -> None:
    """Full, with one layer and with five; 200,000 links each, so some 4 to 13 errors are expected."""
    for capacity in (200_000, 200_000 // 31 + 1):
        known = ScalableBloomFilter(capacity, RATE)
        missed = known.add_new(_fingerprints("in", 200_000)).count(False)
        wrong = sum(fingerprint in known for fingerprint in _fingerprints("out", 200_000))
        assert known.status().layers == (1 if capacity == 200_000 else 5)
        assert wrong / 200_000 < 2 * RATE
        assert missed / 200_000 < 2 * RATE
        assert known.status().error_rate < RATE
        assert known.status().bytes / known.count < 4.0


def test_the_same_links_in_the_same_order_make_the_same_filter() -> None:
    """So a store that keeps the links can make its filter again, a part at a time."""
    fingerprints = _fingerprints("in", 5_000)
    first = ScalableBloomFilter(300, RATE)
    kept = [each for each, new in zip(fingerprints, first.add_new(fingerprints), strict=True) if new]
    again = ScalableBloomFilter(300, RATE)
    for start in range(0, len(kept), 700):
        again.update(kept[start : start + 700])
    others = _fingerprints("out", 50_000)
    assert again.status() == first.status()
    assert [each in again for each in others] == [each in first for each in others]
    assert all(each in again for each in kept)


def test_the_status_can_be_told_without_the_filter() -> None:
    for capacity, rate, count in (
        (1, 0.1, 50),
        (1_000, RATE, 999),
        (1_000, RATE, 1_001),
        (12_345, 1e-9, 40_000),
    ):
        wanted = crawl(dedup=Dedup.BLOOM, filter_capacity=capacity, filter_error_rate=rate)
        known = filter_of(wanted)
        assert known is not None
        known.update(_fingerprints("in", count))
        assert known.status() == status_of(wanted, count)
        assert known.status().bytes == sum(part.size_in_bits for part in known._filters) // 8


def test_an_exact_crawl_has_no_filter() -> None:
    assert filter_of(crawl()) is None
