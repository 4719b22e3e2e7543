"""Entries, records and skips of Redis as copies, and copies as these.

There, an entry has the last outcome of a link, also of a try that failed, and the tries before it in the same
round over the crawl. A record has the outcome that brought it.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from crawlmesh.adapters.redis.crawl_store.links import FOUND_BY, Entry, entry_from, packed, unpacked
from crawlmesh.adapters.redis.crawl_store.settlements import KINDS, MICROSECONDS
from crawlmesh.model.copies import LinkCopy, SkipCopy, Visit
from crawlmesh.model.link import FoundBy, LinkState
from crawlmesh.model.outcome import OutcomeKind
from crawlmesh.model.record import Attempt
from crawlmesh.rules.link_copies import record_visit, tries_of_round

_VOID = -1  # the round of an outcome that does not count any more
_KIND_CODES = {kind.value: code for code, kind in enumerate(KINDS)}
_FOUND_BY_CODES = {found_by.value: code for code, found_by in enumerate(FOUND_BY)}
_KEPT_AS_ATTEMPTS = {OutcomeKind.DEAD, OutcomeKind.NOT_MODIFIED}
_TRIED_AGAIN = {OutcomeKind.RETRY, OutcomeKind.DEAD}
_READY, _LATER, _DEAD = 1, 2, 3  # as in lua/op_load_links.lua; 0: done


class PackedLink(NamedTuple):
    """A link as the server keeps it: its numbers, its entry, and its record or nothing."""

    rank: int
    stands: int
    due: float
    entry: bytes
    record: bytes


def packed_link(link: LinkCopy, crawl_round: int) -> PackedLink:
    """A link for the server."""
    identity = packed(link.id) + _body(link)
    outcome, more = _outcome_and_more(link, crawl_round)
    entry = b"\x92" + identity
    if outcome is not None:
        entry = b"\x93" + identity + packed(outcome)
    if more is not None:
        entry = b"\x94" + entry[1:] + packed(more)
    record, brought = b"", record_visit(link)
    if link.record is not None and brought is not None:
        told = _outcome(brought, link.etag, link.last_modified)
        record = b"\x94" + identity + packed(told) + packed((link.archive, link.record))
    rank = 10 - min(10, max(1, link.priority))
    return PackedLink(rank, _stands(link), link.due or 0.0, entry, record)


def link_copy(
    crawl_id: str, crawl_round: int, fingerprint: bytes, entry_blob: bytes, record_blob: bytes, due: bytes
) -> LinkCopy:
    """A link of the server."""
    entry = entry_from(entry_blob)
    body, outcome = entry.body, entry.outcome
    is_current = outcome is not None and entry.round() == crawl_round
    state = _state(entry, is_current=is_current)
    tries = _tries(entry) if is_current else []
    visit = None
    if state is not LinkState.PENDING:
        visit = _visit(outcome or ())
        tries = tries if visit.kind in _KEPT_AS_ATTEMPTS else tries[:-1]
    record, archive, brought = _record(record_blob)
    etag, last_modified = _validators(entry)
    url, depth, priority, found_by, parent = body[:5]
    redirects, request_url, host = body[5:8] if len(body) > 5 else (0, None, None)
    return LinkCopy(
        crawl_id,
        entry.id,
        fingerprint,
        url,
        request_url,
        host or url.split("/", 3)[2],
        depth,
        priority,
        FOUND_BY[found_by].value,
        redirects,
        parent or None,
        state,
        tries[-1].number if state is LinkState.PENDING and tries else 0,
        float(due) if due and state is LinkState.PENDING else None,
        visit,
        _kept(entry, visit, brought, is_current=is_current),
        etag,
        last_modified,
        tuple(tries),
        record,
        archive,
    )


def packed_skip(skip: SkipCopy) -> bytes:
    """A skip for the server."""
    return packed((skip.url, skip.rule, skip.parent_id or False, skip.depth))


def skip_copy(crawl_id: str, fingerprint: bytes, blob: bytes) -> SkipCopy:
    """A skip of the server."""
    url, rule, parent, depth = unpacked(blob)
    return SkipCopy(crawl_id, fingerprint, url, rule, parent or None, depth)


def _state(entry: Entry, *, is_current: bool) -> LinkState:
    kind = None if entry.outcome is None else KINDS[entry.outcome[0]]
    if not is_current or kind is OutcomeKind.RETRY:
        return LinkState.PENDING
    return LinkState.DEAD if kind is OutcomeKind.DEAD else LinkState.DONE


def _stands(link: LinkCopy) -> int:
    if link.state is LinkState.PENDING:
        return _READY if link.due is None else _LATER
    return _DEAD if link.state is LinkState.DEAD else 0


def _body(link: LinkCopy) -> bytes:
    start = (link.url, link.depth, link.priority, _FOUND_BY_CODES[FoundBy(link.found_by)], link.parent_id)
    parts = link.url.split("/", 3)
    host = None if len(parts) > 2 and parts[2] == link.host else link.host
    if host is None and link.request_url is None and not link.redirects:
        return packed(start)
    return packed((*start, link.redirects, link.request_url, host))


def _outcome_and_more(link: LinkCopy, crawl_round: int) -> tuple[Any, Any]:
    tries = [_try(attempt) for attempt in tries_of_round(link)]
    etag, modified = link.etag or False, link.last_modified or False
    if link.visit is not None:
        is_unchanged = link.visit.kind == OutcomeKind.NOT_MODIFIED
        earlier = tries[:-1] if link.visit.kind in _KEPT_AS_ATTEMPTS else tries
        validators = (etag, modified) if is_unchanged else (False, False)
        told = _outcome(link.visit, link.etag, link.last_modified)
        if not earlier and not crawl_round and not any(validators):
            return told, None
        return told, (crawl_round, *validators, earlier)
    if tries:
        number, at, kind, status, reason, elapsed = tries[-1]
        told = (kind, number, status or None, reason or None, None, at, elapsed, 0, None, None)
        if len(tries) == 1 and not crawl_round and not etag and not modified:
            return told, None
        return told, (crawl_round, etag, modified, tries[:-1])
    if link.kept is not None:
        return _outcome(link.kept, link.etag, link.last_modified), (_VOID, etag, modified, [])
    return None, None


def _outcome(visit: Visit, etag: str | None, last_modified: str | None) -> tuple[Any, ...]:
    validators = (etag, last_modified) if visit.kind == OutcomeKind.FETCHED else (None, None)
    return (
        _KIND_CODES[visit.kind],
        visit.attempt,
        visit.http_status,
        visit.reason,
        visit.final_url,
        visit.fetched_at,
        round(visit.elapsed * MICROSECONDS),
        visit.size,
        *validators,
    )


def _try(attempt: Attempt) -> tuple[Any, ...]:
    status = False if attempt.http_status is None else attempt.http_status
    told = (_KIND_CODES[attempt.kind], status, attempt.reason or False)
    return (attempt.number, attempt.at, *told, round(attempt.elapsed * MICROSECONDS))


def _tries(entry: Entry) -> list[Attempt]:
    assert entry.outcome is not None
    kind, number, status, reason, _, at, elapsed, *_ = entry.outcome
    rows = [*(entry.more[3] if entry.more else ()), (number, at, kind, status, reason, elapsed)]
    return [
        Attempt(
            number,
            float(at),
            KINDS[kind].value,
            None if status is False else status,
            None if reason is False else reason,
            elapsed / MICROSECONDS,
        )
        for number, at, kind, status, reason, elapsed in rows
    ]


def _visit(outcome: Sequence[Any]) -> Visit:
    kind, attempt, status, reason, final_url, fetched_at, elapsed, size, *_ = outcome
    name = KINDS[kind].value
    return Visit(name, attempt, status, reason, final_url, float(fetched_at), elapsed / MICROSECONDS, size)


def _kept(entry: Entry, visit: Visit | None, brought: Visit | None, *, is_current: bool) -> Visit | None:
    if visit is not None:
        return brought if visit.kind == OutcomeKind.NOT_MODIFIED else None
    if brought is not None or is_current or entry.outcome is None:
        return brought
    return None if KINDS[entry.outcome[0]] in _TRIED_AGAIN else _visit(entry.outcome)


def _record(blob: bytes) -> tuple[bytes | None, str | None, Visit | None]:
    if not blob:
        return None, None, None
    _, _, outcome, (archive, data) = unpacked(blob)
    return data, archive, _visit(outcome)


def _validators(entry: Entry) -> tuple[str | None, str | None]:
    if entry.outcome is None:
        return None, None
    etag, modified = entry.outcome[8] or None, entry.outcome[9] or None
    if entry.more:
        etag, modified = entry.more[1] or etag, entry.more[2] or modified
    return etag, modified
