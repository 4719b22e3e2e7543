"""What engines have done, over all crawls."""

import msgspec

from crawlmesh.crawl.tally import CrawlTally


class WorkDone(msgspec.Struct, frozen=True):
    """Sums that only grow."""

    pages: int = 0
    bytes: int = 0
    errors: int = 0  # failed requests

    @classmethod
    def of(cls, tally: CrawlTally) -> "WorkDone":
        """What was done for one crawl."""
        return cls(tally.pages, tally.bytes, tally.retries + sum(tally.dead.values()))

    def __add__(self, other: "WorkDone") -> "WorkDone":
        return WorkDone(self.pages + other.pages, self.bytes + other.bytes, self.errors + other.errors)

    def or_more(self, other: "WorkDone") -> "WorkDone":
        """The higher of two counts of the same work."""
        return WorkDone(
            max(self.pages, other.pages), max(self.bytes, other.bytes), max(self.errors, other.errors)
        )
