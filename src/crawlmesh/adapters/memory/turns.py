"""Whose turn it is: the hosts of each crawl in the order in which they became ready.

Entries of a crawl's heap are corrected when they come to its top, so that a change to a host
costs nothing for the crawls that wait for it. An entry never lies later than its host is ready.
"""

import heapq
from collections.abc import Iterable, Iterator

from crawlmesh.adapters.memory.tables import CrawlRow, HostRow, Share


def offer(share: Share) -> None:
    """Put a host's share into its crawl's heap, unless an entry lies there that is early enough."""
    moment = _ready_at(share)
    if moment is not None and (share.turn is None or moment < share.turn):
        share.turn = moment
        heapq.heappush(share.crawl.turns, (moment, share.host.state.host))


def offer_host(host: HostRow) -> None:
    """Offer a host to every crawl that waits for it."""
    for share in host.waiting.values():
        offer(share)


def next_turn(crawl: CrawlRow) -> float | None:
    """When the crawl's next host is (or was) ready; None where time alone brings none."""
    while crawl.turns:
        key, host = crawl.turns[0]
        share = crawl.shares[host]
        if share.turn != key:
            heapq.heappop(crawl.turns)
            continue
        moment = _ready_at(share)
        if moment == key:
            return key
        heapq.heappop(crawl.turns)
        share.turn = None
        offer(share)
    return None


def ready_hosts(crawls: Iterable[CrawlRow], now: float) -> Iterator[HostRow]:
    """Hosts that can be leased now, those first that have been ready the longest.

    The consumer must lease from each host, and close it, before it asks for the next one.
    """
    heads: list[tuple[float, str, CrawlRow]] = []
    for crawl in crawls:
        _push_head(heads, crawl)
    heapq.heapify(heads)
    while heads and heads[0][0] <= now:
        key, _, crawl = heapq.heappop(heads)
        if crawl.allowance() > 0 and next_turn(crawl) == key:
            yield crawl.shares[crawl.turns[0][1]].host
        _push_head(heads, crawl)


def _push_head(heads: list[tuple[float, str, CrawlRow]], crawl: CrawlRow) -> None:
    key = next_turn(crawl) if crawl.allowance() > 0 else None
    if key is not None:
        heapq.heappush(heads, (key, crawl.crawl.id, crawl))


def _ready_at(share: Share) -> float | None:
    since = share.since()
    if since is None or share.host.free_slots() == 0:
        return None
    return max(since, share.host.open_since)
