"""What people are shown: progress, hosts, records and the ledger, from what the scripts answer."""

import heapq
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from crawlmesh.adapters.redis.bloom import read_status
from crawlmesh.adapters.redis.crawl_store.links import FOUND_BY, Entry, unpacked
from crawlmesh.adapters.redis.crawl_store.settlements import KINDS, MICROSECONDS, limits_from, state_from
from crawlmesh.model.crawl import CrawlProgress, FilterStatus, HostProgress
from crawlmesh.model.host import HostState, HostStatus
from crawlmesh.model.link import LinkState
from crawlmesh.model.record import Attempt, DeadLink, LedgerEntry, Record

_GROUPS = {"outcome": "by_outcome", "status": "by_status", "rule": "by_rule", "reason": "by_reason"}


class Share(msgspec.Struct, array_like=True):
    """What a crawl has of a host, as the scripts keep it."""

    queued: int
    ranks: float
    returned: int
    waiting: int
    due: float
    since: float
    done: int
    dead: int
    requests: int
    elapsed: float

    @property
    def mean_elapsed(self) -> float:
        """Seconds per settled request."""
        return self.elapsed / self.requests if self.requests else 0.0


_decode_share = msgspec.msgpack.Decoder(Share).decode


def progress_from(answers: Sequence[Sequence[Any]]) -> CrawlProgress:
    """The counters of a crawl, over all partitions."""
    found: dict[str, Any] = {group: defaultdict(int) for group in _GROUPS.values()}
    for counters, _ in answers:
        for name, value in pairs_of(counters):
            group, slash, key = name.decode().partition("/")
            if slash and int(value):
                found[_GROUPS[group]][key] += int(value)
            elif not slash:
                found[group] = found.get(group, 0) + int(value)
    filters = [status for _, told in answers if told and (status := read_status(told))]
    skipped = sum(found["by_rule"].values())
    return msgspec.convert({**found, "skipped": skipped, "filter": _filter_status(filters)}, CrawlProgress)


def _filter_status(filters: Sequence[FilterStatus]) -> FilterStatus | None:
    """The filters of all partitions as one; a link is looked for in one of them only."""
    if not filters:
        return None
    return FilterStatus(
        capacity=sum(status.capacity for status in filters),
        count=sum(status.count for status in filters),
        layers=max(status.layers for status in filters),
        bytes=sum(status.bytes for status in filters),
        error_rate=max(status.error_rate for status in filters),
    )


def most_troubled(shares: Iterable[tuple[bytes, bytes]], limit: int) -> list[tuple[bytes, Share]]:
    """The hosts with most dead links, then the slowest."""
    read = ((host, _decode_share(blob)) for host, blob in shares)
    return heapq.nsmallest(limit, read, key=lambda item: (-item[1].dead, -item[1].mean_elapsed, item[0]))


def pairs_of(items: Any) -> Iterable[tuple[bytes, bytes]]:
    """The fields and values of a hash, whether they come as a dict or one after another."""
    return items.items() if isinstance(items, dict) else zip(items[::2], items[1::2], strict=True)


def host_progress(host: bytes, share: Share, row: bytes, state: bytes) -> HostProgress:
    """One host's part in a crawl."""
    delay, slots, ready_in = unpacked(row)
    known = state_from(host, state, delay, slots)
    return HostProgress(
        known.host, share.queued, share.done, share.dead, share.mean_elapsed, known, float(ready_in)
    )


def host_statuses(answer: Sequence[bytes]) -> list[HostStatus]:
    """Hosts over all crawls."""
    statuses = []
    for at in range(0, len(answer), 4):
        host, numbers, state, limits = answer[at : at + 4]
        delay, slots, used, ready_in, queued, done, dead, requests, elapsed = unpacked(numbers)
        known = state_from(host, state, delay, slots) if slots >= 0 else HostState(host.decode())
        mean = elapsed / requests if requests else 0.0
        statuses.append(
            HostStatus(
                known.host, known, limits_from(limits), queued, used, done, dead, mean, float(ready_in)
            )
        )
    return statuses


def record_from(blob: bytes) -> Record:
    """A record; it carries its link and the outcome that brought it."""
    link_id, body, outcome, (archive, data) = unpacked(blob)
    entry = Entry(link_id, body, outcome)
    return Record(
        link_id=link_id,
        url=entry.url,
        final_url=outcome[4] or entry.request_url or entry.url,
        status=outcome[2] or 0,
        depth=body[1],
        fetched_at=float(outcome[5]),
        data=data,
        archive=archive,
    )


def dead_link(entry: Entry) -> DeadLink:
    """A link that was given up."""
    assert entry.outcome is not None
    _, attempts, status, reason, _, at, *_ = entry.outcome
    return DeadLink(entry.id, entry.url, reason or "unknown", status, attempts, float(at))


def skip_entry(blob: bytes, parent_url: str | None) -> LedgerEntry:
    """The ledger of a URL that never became a link."""
    url, rule, _, depth = unpacked(blob)
    return LedgerEntry(url, depth, None, parent_url, state=None, rule=rule)


def ledger_entry(
    entry: Entry, crawl_round: int, state: bytes, has_record: int, ancestors: Sequence[str]
) -> LedgerEntry:
    """The ledger of a link. `ancestors`: where it was found, and where that was, as far as by redirects."""
    _, depth, _, found_by = entry.body[:4]
    is_redirected = FOUND_BY[found_by] is FOUND_BY[2]
    ledger = LedgerEntry(
        url=entry.url,
        depth=depth,
        found_by=FOUND_BY[found_by],
        parent_url=ancestors[0] if ancestors else None,
        state=LinkState(state.decode()),
        attempts=_attempts(entry, crawl_round),
        has_record=bool(has_record),
        redirected_from=tuple(reversed(ancestors)) if is_redirected else (),
    )
    return ledger if entry.outcome is None else _with_outcome(ledger, entry.outcome)


def _with_outcome(ledger: LedgerEntry, outcome: Sequence[Any]) -> LedgerEntry:
    kind, _, status, reason, final_url, fetched_at, elapsed, size, *_ = outcome
    return msgspec.structs.replace(
        ledger,
        outcome=KINDS[kind].value,
        http_status=status,
        reason=reason,
        final_url=final_url,
        fetched_at=float(fetched_at),
        elapsed=elapsed / MICROSECONDS,
        size=size,
    )


def _attempts(entry: Entry, crawl_round: int) -> tuple[Attempt, ...]:
    if entry.outcome is None or entry.round() != crawl_round:
        return ()
    kind, number, status, reason, _, at, elapsed, *_ = entry.outcome
    rows = [*(entry.more[3] if entry.more else ()), (number, at, kind, status, reason, elapsed)]
    return tuple(
        Attempt(
            number=number,
            at=float(at),
            kind=KINDS[kind].value,
            http_status=None if status is False else status,
            reason=None if reason is False else reason,
            elapsed=elapsed / MICROSECONDS,
        )
        for number, at, kind, status, reason, elapsed in rows
    )
