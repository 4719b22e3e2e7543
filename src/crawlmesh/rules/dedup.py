"""What a crawl's way of recognising links allows."""

from msgspec.structs import replace

from crawlmesh.errors import UsageError
from crawlmesh.model.crawl import Crawl, Dedup


def with_dedup_of(known: Crawl, update: Crawl) -> Crawl:
    """The update of a crawl, with the dedup that the crawl was made with: that cannot change any more."""
    return replace(
        update,
        dedup=known.dedup,
        filter_capacity=known.filter_capacity,
        filter_error_rate=known.filter_error_rate,
    )


def refuse_filter(crawl: Crawl, store: str) -> None:
    """Raise UsageError where a crawl wants a filter and the store of this name has none."""
    if crawl.dedup is Dedup.BLOOM:
        raise UsageError(
            f'The crawl {crawl.id!r} wants dedup = "bloom", which {store} does not have; '
            'choose dedup = "exact", or a crawl_store on SQLite or Redis.'
        )
