"""Applying the outcomes of attempts to their links."""

from crawlmesh.adapters.memory.adding import queue
from crawlmesh.adapters.memory.tables import LinkRow
from crawlmesh.model.link import LinkState
from crawlmesh.model.outcome import LinkOutcome, OutcomeKind
from crawlmesh.model.record import Attempt, Record

_PAGES = (OutcomeKind.FETCHED, OutcomeKind.NOT_MODIFIED)


def apply_outcome(link: LinkRow, outcome: LinkOutcome, now: float) -> None:
    """Move a leased link to where its outcome leads."""
    if outcome.kind is OutcomeKind.RETURNED:
        _wait_again(link, now, now)
        return
    _count(link, outcome)
    _remember(link, outcome, now)
    if outcome.kind is OutcomeKind.RETRY:
        _wait_again(link, now, now + outcome.retry_in)
        return
    link.move(LinkState.DEAD if outcome.kind is OutcomeKind.DEAD else LinkState.DONE)
    if outcome.kind is not OutcomeKind.NOT_MODIFIED:
        _replace_record(link, outcome)


def _wait_again(link: LinkRow, now: float, not_before: float) -> None:
    link.move(LinkState.PENDING)
    queue(link, now, not_before)


def _count(link: LinkRow, outcome: LinkOutcome) -> None:
    settled = link.share.crawl.settled
    settled.by_outcome[outcome.kind.value] += 1
    settled.bytes += outcome.size
    settled.retries += outcome.kind is OutcomeKind.RETRY
    settled.pages += outcome.kind in _PAGES
    if outcome.http_status is not None:
        settled.by_status[str(outcome.http_status)] += 1
    if outcome.kind is OutcomeKind.DEAD:
        settled.by_reason[outcome.reason or "unknown"] += 1
    if outcome.kind is OutcomeKind.SKIPPED:
        settled.by_rule[outcome.reason or "unknown"] += 1
    link.share.requests += 1
    link.share.elapsed += outcome.elapsed


def _remember(link: LinkRow, outcome: LinkOutcome, now: float) -> None:
    link.attempts += 1
    link.last = outcome
    link.history.append(
        Attempt(
            number=outcome.attempt,
            at=outcome.fetched_at or now,
            kind=outcome.kind.value,
            http_status=outcome.http_status,
            reason=outcome.reason,
            elapsed=outcome.elapsed,
        )
    )


def _replace_record(link: LinkRow, outcome: LinkOutcome) -> None:
    crawl = link.share.crawl
    crawl.records.pop(link.id, None)
    if outcome.kind is not OutcomeKind.FETCHED:
        return
    link.etag, link.last_modified = outcome.etag, outcome.last_modified
    if outcome.record is None:
        return
    crawl.put_record(
        Record(
            link_id=link.id,
            url=link.new.url,
            final_url=outcome.final_url or link.new.request_url or link.new.url,
            status=outcome.http_status or 0,
            depth=link.new.depth,
            fetched_at=outcome.fetched_at,
            data=outcome.record,
            archive=outcome.archive,
        )
    )
