"""Counts and checksums over copies, in whatever order they come.

What stores round or forget is left out: a microsecond of a duration, attempts of earlier rounds over a crawl,
and what a visit that found nothing new says beside its moment.
"""

from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b
from typing import Any

import msgspec

from crawlmesh.model.copies import (
    CopiedRow,
    CrawlCopy,
    HostCopy,
    LinkCopy,
    ShareCopy,
    SkipCopy,
    TemplateCopy,
    Visit,
)
from crawlmesh.model.outcome import OutcomeKind
from crawlmesh.model.record import Attempt
from crawlmesh.rules.link_copies import record_visit, tries_of_round

_MODULUS = 2**128
_MICROSECONDS = 1_000_000

_encode = msgspec.msgpack.Encoder(order="deterministic").encode


class Tally:
    """Counts rows by what they are, and adds up their hashes for each kind: the order does not matter."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self._sums: Counter[str] = Counter()

    def add(self, kind: str, value: Any) -> None:
        """Take a value of a kind."""
        self.counts[kind] += 1
        digest = blake2b(_encode(value), digest_size=16).digest()
        self._sums[kind] = (self._sums[kind] + int.from_bytes(digest, "big")) % _MODULUS

    def add_rows(self, rows: Iterable[CopiedRow | CrawlCopy]) -> None:
        """Take copies."""
        for row in rows:
            if isinstance(row, LinkCopy):
                self.counts[f"links {row.state.value}"] += 1
                self.counts["records"] += row.record is not None
                self.add("links", _link(row))
            else:
                self.add(*_named(row))

    def checksums(self) -> dict[str, str]:
        """By kind, in hexadecimal digits."""
        return {kind: f"{value:032x}" for kind, value in sorted(self._sums.items())}


def _named(row: CopiedRow | CrawlCopy) -> tuple[str, Any]:
    match row:
        case SkipCopy():
            return "skips", (
                row.crawl_id,
                row.fingerprint,
                _text(row.url),
                row.rule,
                row.parent_id,
                row.depth,
            )
        case TemplateCopy():
            return "templates", (row.crawl_id, row.template, row.links)
        case ShareCopy():
            elapsed = round(row.elapsed * 1_000)
            numbers = (row.queued, row.done, row.dead, row.requests, elapsed)
            return "hosts of crawls", (row.crawl_id, _text(row.host), *numbers)
        case HostCopy():
            return "hosts", (_text(row.host), row.state, float(row.ready_at), row.limits)
        case CrawlCopy():
            return "crawls", (row.crawl, _progress(row), row.revisits)
    raise AssertionError(f"no copy: {row!r}")


def _progress(row: CrawlCopy) -> Any:
    told = msgspec.to_builtins(row.progress)
    told.pop("filter")
    return {
        name: {key: count for key, count in value.items() if count} if isinstance(value, dict) else value
        for name, value in told.items()
    }


def _link(link: LinkCopy) -> tuple[Any, ...]:
    brought = record_visit(link)
    return (
        link.crawl_id,
        link.id,
        link.fingerprint,
        _text(link.url),
        _text(link.request_url),
        _text(link.host),
        link.depth,
        link.priority,
        link.found_by,
        link.redirects,
        link.parent_id,
        link.state.value,
        link.attempts_made,
        None if link.due is None else float(link.due),
        _visit(link.visit),
        link.etag,
        link.last_modified,
        [_attempt(attempt) for attempt in tries_of_round(link)],
        link.record,
        link.archive,
        None
        if brought is None
        else (brought.http_status, _text(brought.final_url), float(brought.fetched_at)),
    )


def _visit(visit: Visit | None) -> Any:
    if visit is None:
        return None
    when = (float(visit.fetched_at), round(visit.elapsed * _MICROSECONDS))
    told = (visit.kind, visit.attempt, visit.http_status, _text(visit.reason), *when)
    if visit.kind == OutcomeKind.NOT_MODIFIED:
        return told
    return (*told, _text(visit.final_url), visit.size)


def _attempt(attempt: Attempt) -> Any:
    when = (float(attempt.at), round(attempt.elapsed * _MICROSECONDS))
    return (attempt.number, attempt.kind, attempt.http_status, _text(attempt.reason), *when)


def _text(text: str | None) -> str | None:
    """As PostgreSQL can store it: without zero characters."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}") if text and "\0" in text else text
