"""What one process did for a crawl."""

from collections import Counter

import msgspec

from crawlmesh.model.outcome import LinkOutcome, OutcomeKind


class CrawlTally(msgspec.Struct):
    """Counts since the crawl was given to this process."""

    pages: int = 0  # fetched, or as they were
    bytes: int = 0  # of all answers, as in the counters of the crawl
    retries: int = 0
    dead: dict[str, int] = {}  # links given up, by reason
    known: int = 0  # links on pages that this process knew, so that they did not go to the store

    def count(self, outcome: LinkOutcome) -> None:
        """Take note of an outcome."""
        kind = outcome.kind
        self.bytes += outcome.size
        if kind is OutcomeKind.FETCHED or kind is OutcomeKind.NOT_MODIFIED:
            self.pages += 1
        elif kind is OutcomeKind.DEAD:
            reason = outcome.reason or "unknown"
            self.dead[reason] = self.dead.get(reason, 0) + 1
        elif kind is OutcomeKind.RETRY:
            self.retries += 1

    def __add__(self, other: "CrawlTally") -> "CrawlTally":
        dead = dict(Counter(self.dead) + Counter(other.dead))
        return CrawlTally(
            self.pages + other.pages,
            self.bytes + other.bytes,
            self.retries + other.retries,
            dead,
            self.known + other.known,
        )
