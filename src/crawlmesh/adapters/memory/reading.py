"""What people are shown of a crawl: progress, hosts, records and the ledger."""

from bisect import bisect_right
from collections.abc import Iterable
from heapq import nsmallest
from itertools import islice

import msgspec

from crawlmesh.adapters.memory.tables import CrawlRow, HostRow, LinkRow, Share
from crawlmesh.model.crawl import CrawlProgress, HostProgress
from crawlmesh.model.host import HostLimits, HostState, HostStatus
from crawlmesh.model.link import FoundBy, LinkState, SkippedLink
from crawlmesh.model.outcome import LinkOutcome
from crawlmesh.model.record import DeadLink, LedgerEntry, Record


def read_progress(crawl: CrawlRow) -> CrawlProgress:
    """The counters of a crawl."""
    settled = crawl.settled
    return CrawlProgress(
        pending=crawl.states[LinkState.PENDING],
        leased=crawl.states[LinkState.LEASED],
        done=crawl.states[LinkState.DONE],
        dead=crawl.states[LinkState.DEAD],
        records=len(crawl.records),
        bytes=settled.bytes,
        skipped=settled.by_rule.total(),
        retries=settled.retries,
        pages=settled.pages,
        by_outcome=dict(settled.by_outcome),
        by_status=dict(settled.by_status),
        by_rule=dict(settled.by_rule),
        by_reason=dict(settled.by_reason),
        filter=None if crawl.filter is None else crawl.filter.status(),
    )


def read_hosts(crawl: CrawlRow, limit: int, now: float) -> list[HostProgress]:
    """The hosts of a crawl, those with most dead links first, then the slowest."""
    hosts = [_host_progress(share, now) for share in crawl.shares.values()]
    hosts.sort(key=lambda host: (-host.dead, -host.mean_elapsed, host.host))
    return hosts[:limit]


def read_host(
    name: str, row: HostRow | None, limits: HostLimits, crawls: Iterable[CrawlRow], now: float
) -> HostStatus:
    """A host over all crawls; without a row where it was never met."""
    if row is None:
        return HostStatus(name, HostState(name), limits)
    shares = [crawl.shares[name] for crawl in crawls if name in crawl.shares]
    requests = sum(share.requests for share in shares)
    return HostStatus(
        host=name,
        state=row.state,
        limits=limits,
        queued=sum(share.queued() for share in shares),
        running=row.used_slots,
        done=sum(share.done for share in shares),
        dead=sum(share.dead for share in shares),
        mean_elapsed=sum(share.elapsed for share in shares) / requests if requests else 0.0,
        ready_in=max(0.0, row.open_since - now),
    )


def read_records(crawl: CrawlRow, after: int, limit: int) -> list[Record]:
    """Records with a link id above `after`, in the order of link ids."""
    if not crawl.record_ids_sorted:
        crawl.record_ids.sort()
        crawl.record_ids_sorted = True
    start = bisect_right(crawl.record_ids, after)
    ids = (crawl.record_ids[index] for index in range(start, len(crawl.record_ids)))
    return list(islice((crawl.records[link_id] for link_id in ids if link_id in crawl.records), limit))


def read_dead_links(crawl: CrawlRow, reason: str | None, after: int, limit: int) -> list[DeadLink]:
    """Dead links with an id above `after`, in the order of ids."""
    found = (
        link for link in crawl.dead.values() if link.id > after and (reason is None or link.reason == reason)
    )
    return [_dead_link(link) for link in nsmallest(limit, found, key=lambda link: link.id)]


def _dead_link(link: LinkRow) -> DeadLink:
    last = link.history[-1]
    return DeadLink(link.id, link.new.url, link.reason, last.http_status, last.number, last.at)


def explain_url(crawl: CrawlRow, fingerprint: bytes) -> LedgerEntry | None:
    """What is known about one URL."""
    link = crawl.links.get(fingerprint)
    if link is not None:
        return _explain_link(crawl, link)
    skip = crawl.skips.get(fingerprint)
    return None if skip is None else _explain_skip(crawl, skip)


def _host_progress(share: Share, now: float) -> HostProgress:
    return HostProgress(
        host=share.host.state.host,
        queued=share.queued(),
        done=share.done,
        dead=share.dead,
        mean_elapsed=share.elapsed / share.requests if share.requests else 0.0,
        state=share.host.state,
        ready_in=max(0.0, share.host.open_since - now),
    )


def _explain_link(crawl: CrawlRow, link: LinkRow) -> LedgerEntry:
    entry = LedgerEntry(
        url=link.new.url,
        depth=link.new.depth,
        found_by=link.new.found_by,
        parent_url=_parent_url(crawl, link.new.parent_id),
        state=link.state,
        attempts=tuple(link.history),
        has_record=link.id in crawl.records,
        redirected_from=_redirected_from(crawl, link),
    )
    return entry if link.last is None else _with_outcome(entry, link.last)


def _with_outcome(entry: LedgerEntry, last: LinkOutcome) -> LedgerEntry:
    return msgspec.structs.replace(
        entry,
        outcome=last.kind.value,
        http_status=last.http_status,
        reason=last.reason,
        final_url=last.final_url,
        fetched_at=last.fetched_at,
        elapsed=last.elapsed,
        size=last.size,
    )


def _explain_skip(crawl: CrawlRow, skip: SkippedLink) -> LedgerEntry:
    parent_url = _parent_url(crawl, skip.parent_id)
    return LedgerEntry(skip.url, skip.depth, None, parent_url, state=None, rule=skip.rule)


def _parent_url(crawl: CrawlRow, parent_id: int | None) -> str | None:
    parent = None if parent_id is None else crawl.links_by_id.get(parent_id)
    return None if parent is None else parent.new.url


def _redirected_from(crawl: CrawlRow, link: LinkRow) -> tuple[str, ...]:
    """The URLs of the hops that led here, the first one first."""
    hops: list[str] = []
    hop: LinkRow | None = link
    while hop and hop.new.found_by is FoundBy.REDIRECT and hop.new.parent_id is not None:
        hop = crawl.links_by_id.get(hop.new.parent_id)
        if hop:
            hops.append(hop.new.url)
    return tuple(reversed(hops))
