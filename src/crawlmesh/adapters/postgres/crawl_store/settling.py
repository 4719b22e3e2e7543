"""Settling, renewing and expiring leases."""

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec

from crawlmesh.adapters.postgres.crawl_store.adding import add_links
from crawlmesh.adapters.postgres.crawl_store.changes import Changes
from crawlmesh.adapters.postgres.crawl_store.outcomes import Outcomes
from crawlmesh.adapters.postgres.crawl_store.session import CrawlRow, LeaseEntry, Link, Session
from crawlmesh.model.host import HostReport
from crawlmesh.model.lease import Renewal, Settlement
from crawlmesh.model.link import NewLink, SkippedLink
from crawlmesh.model.outcome import LinkOutcome, OutcomeKind

_LARGEST = 2**63 - 1

_OVER = "expires_at <= $1 OR node = $2 OR $3"

_FENCES_OVER = f"SELECT fence FROM leases WHERE {_OVER}"  # noqa: S608

_STILL_OVER = f"SELECT fence FROM leases WHERE fence = ANY($4::bigint[]) AND ({_OVER})"  # noqa: S608

_KEEP_LINKS = """
UPDATE leases SET links = given.links FROM unnest($1::bigint[], $2::text[]) AS given (fence, links)
WHERE leases.fence = given.fence
"""

_RENEW = """
UPDATE leases SET expires_at = given.moment
FROM unnest($1::bigint[], $2::double precision[]) AS given (fence, moment)
WHERE leases.fence = given.fence
"""

_DEFER = """
INSERT INTO deferred (crawl, due, link, host, rank, attempt)
SELECT * FROM unnest($1::integer[], $2::double precision[], $3::bigint[], $4::bigint[], $5::smallint[],
                     $6::integer[])
"""

_encode = msgspec.json.Encoder().encode


async def settle(session: Session, settlements: Sequence[Settlement]) -> list[bool]:
    """End host batches."""
    fences = possible_fences(settlement.fence for settlement in settlements)
    crawl_ids = {link.crawl_id for settlement in settlements for link in settlement.discovered}
    crawl_ids |= {skip.crawl_id for settlement in settlements for skip in settlement.skipped}
    crawls = await session.enter(crawl_ids, fences)
    if not session.leases:
        return [False] * len(settlements)
    ending = Ending(session, session.leases, crawls, await session.moment())
    taken = [ending.settle(settlement) for settlement in settlements]
    await ending.write()
    return taken


async def expire(session: Session, node_id: str | None, *, everything: bool) -> int:
    """End leases that ran out, those of a dead node, or all of them."""
    which = (await session.moment(), node_id, everything)
    fences = [row[0] for row in await session.fetch(_FENCES_OVER, *which)]
    if not fences:
        return 0
    crawls = await session.enter((), fences)
    over = {fence for (fence,) in await session.fetch(_STILL_OVER, *which, fences)}
    leases = {fence: lease for fence, lease in session.leases.items() if fence in over}
    return await end_leases(session, crawls, leases)


async def end_leases(session: Session, crawls: dict[str, CrawlRow], leases: dict[int, LeaseEntry]) -> int:
    """Return all links of leases and release their hosts. Returns how many there were."""
    ending = Ending(session, leases, crawls, await session.moment())
    ended = sum([ending.settle(Settlement(fence, ())) for fence in list(leases)])
    await ending.write()
    return ended


async def renew(session: Session, renewals: Sequence[Renewal]) -> list[bool]:
    """Give leases more time."""
    await session.enter((), possible_fences(renewal.fence for renewal in renewals))
    leases = session.leases
    now = await session.moment()
    taken = [renewal for renewal in renewals if renewal.fence in leases]
    moments = {renewal.fence: now + renewal.duration for renewal in taken}
    await session.write_rows(_RENEW, list(moments.items()))
    changes = Changes()
    for renewal in taken:
        if renewal.report is not None:
            change = changes.host(leases[renewal.fence].host)
            change.take(renewal.report)
            change.rest_for(renewal.report.rest or 0.0)
    await changes.write(session)
    return [renewal.fence in leases for renewal in renewals]


def possible_fences(fences: Iterable[int]) -> list[int]:
    """Those that are not too large for the server's numbers."""
    return sorted({fence for fence in fences if 0 < fence <= _LARGEST})


class Ending:
    """Batches that come to their end: gathers rows over all of them, then writes them."""

    def __init__(
        self, session: Session, leases: dict[int, LeaseEntry], crawls: dict[str, CrawlRow], now: float
    ) -> None:
        self._session = session
        self._leases = leases
        self._crawls = crawls
        self._now = now
        self._changes = Changes()
        self._outcomes = Outcomes({row.number for row in crawls.values() if row.revisits})
        self._kept: dict[int, str] = {}  # leases that live on, with the links that are left
        self._deferred: list[tuple[Any, ...]] = []
        self._discovered: list[NewLink] = []
        self._skipped: list[SkippedLink] = []

    def settle(self, settlement: Settlement) -> bool:
        """End one batch; False where its fence is not that of a live lease."""
        lease = self._leases.get(settlement.fence)
        if lease is None:
            return False
        outcomes = {outcome.link_id: outcome for outcome in settlement.outcomes}
        unfinished = set(settlement.unfinished) - outcomes.keys()
        for link in lease.links:
            outcome = outcomes.get(link[1])
            if outcome is not None and outcome.kind is not OutcomeKind.RETURNED:
                self._end(lease, link, outcome)
            elif link[1] not in unfinished:
                self._return(lease, link)
        lease.links = [link for link in lease.links if link[1] in unfinished]
        self._end_lease(lease, settlement.report)
        crawls = self._crawls  # a crawl may have been deleted since its links were leased
        self._discovered.extend(link for link in settlement.discovered if link.crawl_id in crawls)
        self._skipped.extend(skip for skip in settlement.skipped if skip.crawl_id in crawls)
        return True

    async def write(self) -> None:
        """Write all that was gathered."""
        session, changes = self._session, self._changes
        await self._outcomes.write(session, changes)
        await session.write_rows(_DEFER, self._deferred)
        kept = [(fence, links) for fence, links in self._kept.items() if fence in self._leases]
        await session.write_rows(_KEEP_LINKS, kept)
        await add_links(session, self._crawls, self._discovered, self._skipped, changes)
        await changes.write(session)

    def _end_lease(self, lease: LeaseEntry, report: HostReport) -> None:
        change = self._changes.host(lease.host)
        change.take(report)
        if lease.links:
            self._kept[lease.fence] = _encode(lease.links).decode()
            change.rest_for(report.rest or 0.0)
            return
        del self._leases[lease.fence]
        self._changes.end_lease(lease.fence)
        change.used += lease.slots
        change.leases += 1
        change.rest_for(report.rest)

    def _return(self, lease: LeaseEntry, link: Link) -> None:
        crawl, number, rank, attempt = link
        self._changes.queue(crawl, lease.host, rank, number, attempt)
        self._changes.count(crawl, "leased", -1)
        self._changes.count(crawl, "pending")

    def _end(self, lease: LeaseEntry, link: Link, outcome: LinkOutcome) -> None:
        crawl, number, rank, attempt = link
        changes = self._changes
        changes.count_attempt(crawl, outcome)
        changes.count(crawl, "leased", -1)
        share = changes.share(crawl, lease.host)
        share.requests += 1
        share.elapsed += outcome.elapsed
        self._outcomes.take(crawl, attempt + 1, outcome)
        if outcome.kind is OutcomeKind.RETRY:
            changes.count(crawl, "pending")
            if outcome.retry_in > 0:
                share.waiting += 1
                due = self._now + outcome.retry_in
                self._deferred.append((crawl, due, number, lease.host, rank, attempt + 1))
            else:
                changes.queue(crawl, lease.host, rank, number, attempt + 1)
        elif outcome.kind is OutcomeKind.DEAD:
            changes.count(crawl, "dead")
            share.dead += 1
        else:
            changes.count(crawl, "done")
            share.done += 1
