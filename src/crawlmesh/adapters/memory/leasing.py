"""Granting leases, and ending them."""

import heapq
from itertools import count

from crawlmesh.adapters.memory.adding import queue
from crawlmesh.adapters.memory.tables import CrawlRow, HostRow, LeaseRow, LinkRow, Share
from crawlmesh.adapters.memory.turns import next_turn, offer_host, ready_hosts
from crawlmesh.model.lease import HostBatch, LeaseGrant, LeaseRequest
from crawlmesh.model.link import LeasedLink, LinkState


class LeaseDesk:
    """Grants leases and keeps the live ones, by their fence."""

    def __init__(self, crawls: dict[str, CrawlRow]) -> None:
        self._crawls = crawls
        self._fences = count(1)
        self.live: dict[int, LeaseRow] = {}

    def lease(self, request: LeaseRequest, now: float) -> LeaseGrant:
        """Hand out host batches, one for each host at most."""
        crawls = [self._crawls[name] for name in dict.fromkeys(request.crawl_ids) if name in self._crawls]
        batches: list[HostBatch] = []
        links_left = request.max_links
        served: list[HostRow] = []
        hosts = ready_hosts(crawls, now)
        while links_left > 0 and len(batches) < request.max_batches and (host := next(hosts, None)):
            lease = self._grant(request, host, crawls, links_left, now)
            batches.append(_batch(lease))
            links_left -= len(lease.links)
            served.append(host)
        for host in served:
            host.served = False
            offer_host(host)
        return LeaseGrant(tuple(batches), _retry_in(crawls, now))

    def release(self, lease: LeaseRow, now: float, rest: float | None) -> None:
        """End a lease: what it still holds is pending again, its host rests."""
        self.live.pop(lease.fence)
        host = lease.host
        host.leases -= 1
        host.used_slots -= lease.slots
        host.rest(now, host.leased_as().delay if rest is None else rest)
        self.give_back(lease, now)

    def give_back(self, lease: LeaseRow, now: float) -> None:
        """Make all links of a lease pending again."""
        for link in lease.links.values():
            link.move(LinkState.PENDING)
            queue(link, now, now)
        lease.links.clear()
        offer_host(lease.host)

    def _grant(
        self, request: LeaseRequest, host: HostRow, crawls: list[CrawlRow], links_left: int, now: float
    ) -> LeaseRow:
        size = min(links_left, _batch_size(request, host))
        wanted = {crawl.crawl.id for crawl in crawls}
        shares = [share for name, share in host.waiting.items() if name in wanted]
        links = _take(shares, size, now)
        slots = host.free_slots()
        if not host.leased_as().exclusive:
            slots = min(slots, request.batch_slots, len(links))
        lease = LeaseRow(
            fence=next(self._fences),
            node_id=request.node_id,
            host=host,
            slots=slots,
            expires_at=now + request.duration,
            links={link.id: link for link in links},
        )
        self.live[lease.fence] = lease
        host.leases += 1
        host.used_slots += slots
        host.open_since = now  # behind the hosts that are still waiting for their turn
        host.served = True
        return lease


def _batch_size(request: LeaseRequest, host: HostRow) -> int:
    delay = host.leased_as().delay
    if delay <= 0:
        return request.batch_links
    fitting = int(request.duration / 2 / delay)
    return min(request.batch_links, max(1, fitting))


def _take(shares: list[Share], size: int, now: float) -> list[LinkRow]:
    """Lease up to `size` links over several crawls, higher priorities first, then older ones."""
    heads: list[tuple[tuple[int, int], Share]] = []
    for share in shares:
        share.promote(now)
        _push_head(heads, share)
    taken: list[LinkRow] = []
    while heads and len(taken) < size:
        (_, link_id), share = heapq.heappop(heads)
        heapq.heappop(share.ready)
        link = share.crawl.links_by_id[link_id]
        link.move(LinkState.LEASED)
        taken.append(link)
        _push_head(heads, share)
        if not share.queued():
            share.host.waiting.pop(share.crawl.crawl.id)
    return taken


def _push_head(heads: list[tuple[tuple[int, int], Share]], share: Share) -> None:
    if share.ready and share.crawl.allowance() > 0:
        heapq.heappush(heads, (share.ready[0], share))


def _batch(lease: LeaseRow) -> HostBatch:
    links = tuple(_leased_link(link) for link in lease.links.values())
    host = lease.host
    return HostBatch(lease.fence, host.state, lease.slots, lease.expires_at, links, host.limits)


def _leased_link(link: LinkRow) -> LeasedLink:
    new = link.new
    return LeasedLink(
        id=link.id,
        crawl_id=new.crawl_id,
        url=new.url,
        depth=new.depth,
        priority=new.priority,
        attempt=link.attempts + 1,
        request_url=new.request_url,
        redirects=new.redirects,
        etag=link.etag,
        last_modified=link.last_modified,
        found_by=new.found_by,
    )


def _retry_in(crawls: list[CrawlRow], now: float) -> float | None:
    turns = [next_turn(crawl) for crawl in crawls if crawl.allowance() > 0]
    soonest = min((turn for turn in turns if turn is not None), default=None)
    return None if soonest is None else max(0.0, soonest - now)
