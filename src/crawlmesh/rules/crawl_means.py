"""How fast a crawl got on between two looks at its counters."""

from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.model.outcome import OutcomeKind
from crawlmesh.model.sample import BYTES, ERRORS, PAGES

_FAILED = (OutcomeKind.RETRY.value, OutcomeKind.DEAD.value)


def failed_requests(progress: CrawlProgress) -> int:
    """Attempts that brought no page: tried again, or given up."""
    return sum(progress.by_outcome.get(kind, 0) for kind in _FAILED)


def crawl_means(before: CrawlProgress, after: CrawlProgress, seconds: float) -> dict[str, float | None]:
    """Rates over the time between two looks, and what there is now. A count that went down is no rate."""
    return {
        PAGES: max(after.pages - before.pages, 0) / seconds,
        BYTES: max(after.bytes - before.bytes, 0) / seconds,
        ERRORS: max(failed_requests(after) - failed_requests(before), 0) / seconds,
        "queued": float(after.pending),
        "done": float(after.done),
        "dead": float(after.dead),
        "records": float(after.records),
    }
