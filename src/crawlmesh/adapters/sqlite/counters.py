"""The counters of a crawl: kept, not counted."""

import msgspec

from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.model.outcome import LinkOutcome, OutcomeKind

_PAGES = {OutcomeKind.FETCHED, OutcomeKind.NOT_MODIFIED}


class Counters(msgspec.Struct):
    """What `CrawlProgress` shows, while it changes."""

    pending: int = 0
    leased: int = 0
    done: int = 0
    dead: int = 0
    records: int = 0
    bytes: int = 0
    skipped: int = 0
    retries: int = 0
    pages: int = 0
    by_outcome: dict[str, int] = {}
    by_status: dict[str, int] = {}
    by_rule: dict[str, int] = {}
    by_reason: dict[str, int] = {}

    def progress(self) -> CrawlProgress:
        """A copy that stays as it is."""
        return msgspec.convert(msgspec.to_builtins(self), CrawlProgress)

    def count_attempt(self, outcome: LinkOutcome) -> None:
        """Count one settled attempt (not one that was returned)."""
        _increase(self.by_outcome, outcome.kind.value)
        if outcome.http_status is not None:
            _increase(self.by_status, str(outcome.http_status))
        if outcome.kind in _PAGES:
            self.pages += 1
        elif outcome.kind is OutcomeKind.RETRY:
            self.retries += 1
        elif outcome.kind is OutcomeKind.DEAD:
            _increase(self.by_reason, outcome.reason or "unknown")
        elif outcome.kind is OutcomeKind.SKIPPED:
            self.count_skips({outcome.reason or "unknown": 1})
        self.bytes += outcome.size

    def count_skips(self, rules: dict[str, int]) -> None:
        """Count URLs that were kept out, by rule."""
        for rule, number in rules.items():
            _increase(self.by_rule, rule, number)
            self.skipped += number

    def forget_dead(self, reason: str, number: int) -> None:
        """Take so many links back that were given up for a reason."""
        self.dead -= number
        _increase(self.by_reason, reason, -number)
        if self.by_reason[reason] <= 0:
            del self.by_reason[reason]

    def start_again(self) -> None:
        """Forget what earlier visits counted; links and records stay."""
        self.bytes = self.skipped = self.retries = self.pages = 0
        self.by_outcome, self.by_status, self.by_rule, self.by_reason = {}, {}, {}, {}


def _increase(counts: dict[str, int], key: str, number: int = 1) -> None:
    counts[key] = counts.get(key, 0) + number
