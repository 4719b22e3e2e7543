import pytest

from crawlmesh.errors import UsageError
from crawlmesh.model.crawl import Dedup, FilterStatus
from crawlmesh.rules.dedup import refuse_filter, with_dedup_of
from crawlmesh.testing.builders import crawl


def test_an_update_keeps_the_dedup_that_the_crawl_was_made_with() -> None:
    known = crawl(dedup=Dedup.BLOOM, filter_capacity=5, filter_error_rate=0.01)
    assert with_dedup_of(known, crawl(max_pages=7)) == crawl(
        max_pages=7, dedup=Dedup.BLOOM, filter_capacity=5, filter_error_rate=0.01
    )
    assert with_dedup_of(crawl(), known) == crawl()


def test_a_store_without_filters_says_what_to_choose() -> None:
    refuse_filter(crawl(), "this store")
    with pytest.raises(UsageError, match=r'"bloom", which this store does not have; choose dedup = "exact"'):
        refuse_filter(crawl(dedup=Dedup.BLOOM), "this store")


@pytest.mark.parametrize(("count", "nearly"), [(0, False), (899, False), (900, True), (1_000, True)])
def test_a_filter_is_nearly_full_from_nine_tenths_on(count: int, nearly: bool) -> None:
    assert FilterStatus(1_000, count, 1, 3_000, 0.0).nearly_full is nearly
