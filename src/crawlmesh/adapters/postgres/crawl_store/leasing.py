"""Leasing: which hosts are ready, and which of their links go out."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

import asyncpg
import msgspec

from crawlmesh.adapters.postgres.crawl_store.changes import Changes
from crawlmesh.adapters.postgres.crawl_store.functions import LEASABLE
from crawlmesh.adapters.postgres.crawl_store.locks import BUDGET_LOCK
from crawlmesh.adapters.postgres.crawl_store.session import CrawlRow, Session
from crawlmesh.adapters.postgres.crawl_store.taking import take_links
from crawlmesh.model.host import HostLimits, HostState
from crawlmesh.model.lease import HostBatch, LeaseGrant, LeaseRequest
from crawlmesh.model.link import FoundBy, LeasedLink
from crawlmesh.rules.host_limits import limited

_WITHOUT_LIMIT = 2**31 - 1

_TURNS = """
SELECT turn.host, min(turn.turn_at) AS turn_at
FROM unnest($1::integer[]) AS wanted (crawl) CROSS JOIN LATERAL (
    SELECT host, turn_at FROM shares
    WHERE shares.crawl = wanted.crawl AND ready > 0 AND turn_at <= $2 ORDER BY turn_at LIMIT $3
) AS turn GROUP BY turn.host ORDER BY 2, 1 LIMIT $3
"""

_HOST = """number, state, used, limit_delay, limit_slots, blocked,
    ARRAY(SELECT crawl FROM shares WHERE host = number AND ready > 0 AND crawl = ANY($1::integer[])) AS crawls
"""

# Others may be leasing at the same moment: each takes hosts that nobody else has locked.
_FREE_HOSTS = f"""
WITH turns AS ({_TURNS})
SELECT {_HOST} FROM turns JOIN hosts ON hosts.number = turns.host
WHERE hosts.ready_at <= $2 AND {LEASABLE}
ORDER BY turns.turn_at, turns.host LIMIT $4 FOR NO KEY UPDATE OF hosts SKIP LOCKED
"""  # noqa: S608

_AWAITED_HOSTS = f"""
WITH turns AS ({_TURNS})
SELECT {_HOST} FROM turns JOIN hosts ON hosts.number = turns.host
WHERE hosts.ready_at <= $2 AND {LEASABLE}
ORDER BY hosts.number FOR NO KEY UPDATE OF hosts
"""  # noqa: S608

_INSERT_LEASES = "SELECT leased, fence, next FROM insert_leases($1, $2, $3, $4, $5, $6, $7)"

_FOUND_BY = {found_by.value: found_by for found_by in FoundBy}

_encode = msgspec.json.Encoder().encode
_decode_state = msgspec.json.Decoder(HostState).decode


class _Host(msgspec.Struct, frozen=True):
    number: int
    state: HostState
    used: int
    limits: HostLimits
    leased_as: HostState  # the state under the limits
    crawls: list[int]  # that have links ready here


async def lease_unless_due(session: Session, request: LeaseRequest) -> LeaseGrant | None:
    """Hand out host batches; None where deferred links have to be queued before."""
    rows = await session.enter(request.crawl_ids)
    return None if session.is_due else await _lease(session, request, rows)


async def lease(session: Session, request: LeaseRequest) -> LeaseGrant:
    """Hand out host batches of what is in the queue."""
    return await _lease(session, request, await session.enter(request.crawl_ids))


async def _lease(session: Session, request: LeaseRequest, rows: Mapping[str, CrawlRow]) -> LeaseGrant:
    crawls = {row.number: row for row in rows.values()}
    budgets = await _budgets(session, crawls)
    if not budgets or request.max_links <= 0:
        return LeaseGrant(())
    taking = _Taking(session, request, crawls, await session.moment())
    return await taking.take(budgets)


async def _budgets(session: Session, crawls: Mapping[int, CrawlRow]) -> dict[int, int]:
    """The crawls that may be worked on, and how many links of each may go out."""
    limits = {number: row.max_pages for number, row in crawls.items() if row.max_pages is not None}
    spent: dict[int, int] = {}
    if limits:
        rows = await session.fetch("SELECT number, pages FROM spent($1, $2)", BUDGET_LOCK, list(limits))
        spent = dict(map(tuple, rows))
    budgets = {
        number: min(limits[number] - spent.get(number, 0), _WITHOUT_LIMIT)
        if number in limits
        else _WITHOUT_LIMIT
        for number in crawls
    }
    return {number: budget for number, budget in budgets.items() if budget > 0}


_Leased = tuple[_Host, list[asyncpg.Record]]


def _place(row: asyncpg.Record) -> tuple[int, int]:
    return row[1], row[2]


class _Taking:
    """One lease call under way."""

    def __init__(
        self, session: Session, request: LeaseRequest, crawls: Mapping[int, CrawlRow], now: float
    ) -> None:
        self._session = session
        self._request = request
        self._crawls = crawls
        self._now = now
        self._expires_at = now + request.duration

    async def take(self, budgets: dict[int, int]) -> LeaseGrant:
        """Take links of hosts that are ready, and write that they are leased."""
        hosts = await self._free_hosts(list(budgets))
        rows = await self._take_links(hosts, budgets) if hosts else []
        by_host: defaultdict[int, list[asyncpg.Record]] = defaultdict(list)
        for row in rows:
            by_host[row[0]].append(row)
        leased = [
            (host, sorted(by_host[host.number], key=_place)) for host in hosts if host.number in by_host
        ]
        taken = Counter(row[3] for row in rows)
        left = [crawl for crawl, budget in budgets.items() if budget > taken[crawl]]
        if not leased:
            return self._granted((), await self._session.one("SELECT next_moment($1)", left))
        return await self._write(leased, left)

    async def _take_links(self, hosts: list[_Host], budgets: dict[int, int]) -> list[asyncpg.Record]:
        ready = {crawl for host in hosts for crawl in host.crawls}
        return await take_links(
            self._session,
            self._crawls,
            [(host.number, self._batch_size(host.leased_as)) for host in hosts],
            {crawl: budget for crawl, budget in budgets.items() if crawl in ready},
            self._request.max_links,
        )

    def _granted(self, batches: tuple[HostBatch, ...], moment: float | None) -> LeaseGrant:
        return LeaseGrant(batches, None if moment is None else max(0.0, moment - self._now))

    async def _free_hosts(self, crawls: list[int]) -> list[_Host]:
        """Hosts that nobody else is at; where there are none, those that another transaction lets go of."""
        most = self._request.max_batches
        if most <= 0:
            return []
        rows = await self._session.fetch(_FREE_HOSTS, crawls, self._now, 4 * most, most)
        if not rows:
            rows = await self._session.fetch(_AWAITED_HOSTS, crawls, self._now, most)
        return [_host(*row) for row in rows]

    def _batch_size(self, state: HostState) -> int:
        if state.delay <= 0:
            return self._request.batch_links
        return min(self._request.batch_links, max(1, int(self._request.duration / 2 / state.delay)))

    async def _write(self, leased: list[_Leased], left: list[int]) -> LeaseGrant:
        """Write the leases, and see which of the crawls that are left has work when."""
        changes = Changes()
        slots: dict[int, int] = {}
        for host, rows in leased:
            slots[host.number] = self._slots(host, len(rows))
            change = changes.host(host.number)
            change.used, change.leases = -slots[host.number], -1
            change.rest_for(0.0)  # behind the hosts that still wait for their turn
            for crawl, number in Counter(row[3] for row in rows).items():
                changes.share(crawl, host.number).ready -= number
                changes.count(crawl, "pending", -number)
                changes.count(crawl, "leased", number)
        await changes.write(self._session)
        entries = [(host.number, slots[host.number], *_contents(rows)) for host, rows in leased]
        inserted = await self._session.fetch(
            _INSERT_LEASES, self._request.node_id, self._expires_at, left, *zip(*entries, strict=True)
        )
        fences = {host: fence for host, fence, _ in inserted}
        batches = tuple(
            HostBatch(
                fences[host.number],
                host.state,
                slots[host.number],
                self._expires_at,
                tuple(self._leased_link(*row) for row in rows),
                host.limits,
            )
            for host, rows in leased
        )
        return self._granted(batches, inserted[0][2])

    def _slots(self, host: _Host, links: int) -> int:
        free = host.leased_as.slots - host.used
        return free if host.leased_as.exclusive else min(free, self._request.batch_slots, links)

    def _leased_link(
        self, _host: int, _rank: int, link: int, crawl: int, attempt: int, *row: Any
    ) -> LeasedLink:
        url, depth, priority, request_url, redirects, etag, last_modified, found_by = row
        return LeasedLink(
            link,
            self._crawls[crawl].id,
            url,
            depth,
            priority,
            attempt + 1,
            request_url,
            redirects,
            etag,
            last_modified,
            _FOUND_BY[found_by],
        )


def _contents(rows: list[asyncpg.Record]) -> tuple[str, str]:
    """The crawls and the links of a lease, as they stand in the table."""
    links = [(crawl, link, rank, attempt) for _, rank, link, crawl, attempt, *_ in rows]
    crawls = ",".join(str(crawl) for crawl in {link[0] for link in links})
    return f"{{{crawls}}}", _encode(links).decode()


def _host(
    number: int,
    state: str,
    used: int,
    limit_delay: float | None,
    limit_slots: int | None,
    blocked: bool,
    crawls: list[int],
) -> _Host:
    own = _decode_state(state)
    limits = HostLimits(limit_delay, limit_slots, blocked)
    return _Host(number, own, used, limits, limited(own, limits), crawls)
