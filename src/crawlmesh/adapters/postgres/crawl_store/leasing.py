"""Leasing: which hosts are ready, and which of their links go out."""

from collections import Counter, defaultdict
from collections.abc import Mapping
from typing import Any

import asyncpg
import msgspec

from crawlmesh.adapters.postgres.crawl_store.changes import LEASABLE, Changes
from crawlmesh.adapters.postgres.crawl_store.locks import BUDGET_LOCK
from crawlmesh.adapters.postgres.crawl_store.session import CrawlRow, Session
from crawlmesh.model.host import HostState
from crawlmesh.model.lease import HostBatch, LeaseGrant, LeaseRequest
from crawlmesh.model.link import FoundBy, LeasedLink

_WITHOUT_LIMIT = 2**31 - 1

_LOCK_BUDGETS = """
SELECT pg_advisory_xact_lock($1, number) FROM (SELECT unnest($2::integer[]) AS number ORDER BY 1) AS wanted
"""

_SPENT = """
SELECT crawl, sum(value)::bigint FROM counters
WHERE crawl = ANY($1::integer[]) AND name IN ('pages', 'leased') GROUP BY crawl
"""

_TURNS = """
SELECT turn.host, min(turn.turn_at) AS turn_at
FROM unnest($1::integer[]) AS wanted (crawl) CROSS JOIN LATERAL (
    SELECT host, turn_at FROM shares
    WHERE shares.crawl = wanted.crawl AND ready > 0 AND turn_at <= $2 ORDER BY turn_at LIMIT $3
) AS turn GROUP BY turn.host ORDER BY 2, 1 LIMIT $3
"""

# Others may be leasing at the same moment: each takes hosts that nobody else has locked.
_FREE_HOSTS = f"""
WITH turns AS ({_TURNS})
SELECT number, state, used FROM turns JOIN hosts ON hosts.number = turns.host
WHERE hosts.ready_at <= $2 AND {LEASABLE}
ORDER BY turns.turn_at, turns.host LIMIT $4 FOR NO KEY UPDATE OF hosts SKIP LOCKED
"""  # noqa: S608

_AWAITED_HOSTS = f"""
WITH turns AS ({_TURNS})
SELECT number, state, used FROM hosts
WHERE number IN (SELECT host FROM turns) AND ready_at <= $2 AND {LEASABLE}
ORDER BY number FOR NO KEY UPDATE OF hosts
"""  # noqa: S608

_TAKE = """
WITH chosen AS (
    SELECT * FROM unnest($1::bigint[], $2::integer[]) WITH ORDINALITY AS chosen (host, most, place)
), wanted AS (
    SELECT * FROM unnest($3::integer[], $4::integer[]) AS wanted (crawl, budget)
), offered AS (
    SELECT best.*, chosen.place FROM chosen CROSS JOIN LATERAL (
        SELECT first.* FROM wanted CROSS JOIN LATERAL (
            SELECT crawl, host, rank, link, attempt FROM queue
            WHERE queue.crawl = wanted.crawl AND queue.host = chosen.host
            ORDER BY rank, link LIMIT least(chosen.most, wanted.budget)
        ) AS first ORDER BY rank, link LIMIT chosen.most
    ) AS best
), of_crawls AS (
    SELECT offered.*, row_number() OVER (PARTITION BY crawl ORDER BY place, rank, link) AS of_crawl
    FROM offered
), affordable AS (
    SELECT of_crawls.*, row_number() OVER (ORDER BY place, rank, link) AS overall
    FROM of_crawls JOIN wanted USING (crawl) WHERE of_crawl <= budget
)
DELETE FROM queue USING affordable AS taken
JOIN links ON links.crawl = taken.crawl AND links.number = taken.link {join}
WHERE taken.overall <= $5 AND queue.crawl = taken.crawl AND queue.host = taken.host
    AND queue.rank = taken.rank AND queue.link = taken.link
RETURNING taken.host, taken.rank, taken.link, taken.crawl, taken.attempt, links.url, links.depth,
          links.priority, links.request_url, links.redirects, links.found_by {validators}
"""

_TAKE_FIRST_TIME = _TAKE.format(join="", validators="")
_TAKE_AGAIN = _TAKE.format(
    join="LEFT JOIN outcomes ON outcomes.crawl = taken.crawl AND outcomes.link = taken.link",
    validators=", outcomes.etag, outcomes.last_modified",
)

_INSERT_LEASES = """
INSERT INTO leases (node, host, slots, expires_at, crawls, links)
SELECT $5, host, slots, $6, crawls::integer[], links
FROM unnest($1::bigint[], $2::integer[], $3::text[], $4::text[]) AS given (host, slots, crawls, links)
RETURNING host, fence
"""

# A deferred link waits for its moment and for its host; the first hundred are near enough to all.
_NEXT_MOMENT = """
SELECT least(
    (SELECT min(turn_at) FROM unnest($1::integer[]) AS wanted (crawl) CROSS JOIN LATERAL (
        SELECT turn_at FROM shares WHERE shares.crawl = wanted.crawl AND ready > 0 ORDER BY turn_at LIMIT 1
    ) AS first WHERE turn_at < 'infinity'),
    (SELECT min(greatest(due, ready_at)) FROM unnest($1::integer[]) AS wanted (crawl) CROSS JOIN LATERAL (
        SELECT due, host FROM deferred WHERE deferred.crawl = wanted.crawl ORDER BY due LIMIT 100
    ) AS first JOIN hosts ON hosts.number = first.host)
)
"""

_FOUND_BY = {found_by.value: found_by for found_by in FoundBy}

_encode = msgspec.json.Encoder().encode
_decode_state = msgspec.json.Decoder(HostState).decode


class _Host(msgspec.Struct, frozen=True):
    number: int
    state: HostState
    used: int


async def lease(session: Session, request: LeaseRequest) -> LeaseGrant:
    """Hand out host batches."""
    await session.lock_crawls(request.crawl_ids)
    crawls = {row.number: row for row in (await session.crawls(request.crawl_ids)).values()}
    budgets = await _budgets(session, crawls)
    if not budgets or request.max_links <= 0:
        return LeaseGrant(())
    now = await session.moment()
    taking = _Taking(session, request, crawls, now)
    batches = await taking.take(budgets)
    left = [crawl for crawl, budget in budgets.items() if budget > taking.taken[crawl]]
    moment = await session.one(_NEXT_MOMENT, left)
    return LeaseGrant(batches, None if moment is None else max(0.0, moment - now))


async def _budgets(session: Session, crawls: Mapping[int, CrawlRow]) -> dict[int, int]:
    """The crawls that may be worked on, and how many links of each may go out."""
    limited = {
        number: row.crawl.max_pages for number, row in crawls.items() if row.crawl.max_pages is not None
    }
    spent: dict[int, int] = {}
    if limited:
        await session.run(_LOCK_BUDGETS, BUDGET_LOCK, list(limited))
        spent = dict(map(tuple, await session.fetch(_SPENT, list(limited))))
    budgets = {
        number: limited[number] - spent.get(number, 0) if number in limited else _WITHOUT_LIMIT
        for number in crawls
    }
    return {number: budget for number, budget in budgets.items() if budget > 0}


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
        self.taken: Counter[int] = Counter()  # links by crawl

    async def take(self, budgets: dict[int, int]) -> tuple[HostBatch, ...]:
        """Take links of hosts that are ready, and write that they are leased."""
        hosts = await self._free_hosts(list(budgets))
        if not hosts:
            return ()
        rows = await self._take_links(hosts, budgets)
        by_host: defaultdict[int, list[asyncpg.Record]] = defaultdict(list)
        for row in rows:
            by_host[row[0]].append(row)
            self.taken[row[3]] += 1
        leased = [
            (host, sorted(by_host[host.number], key=_place)) for host in hosts if host.number in by_host
        ]
        return await self._write(leased)

    async def _free_hosts(self, crawls: list[int]) -> list[_Host]:
        """Hosts that nobody else is at; where there are none, those that another transaction lets go of."""
        most = self._request.max_batches
        if most <= 0:
            return []
        rows = await self._session.fetch(_FREE_HOSTS, crawls, self._now, 4 * most, most)
        if not rows:
            rows = await self._session.fetch(_AWAITED_HOSTS, crawls, self._now, most)
        return [_Host(number, _decode_state(state), used) for number, state, used in rows]

    async def _take_links(self, hosts: list[_Host], budgets: dict[int, int]) -> list[asyncpg.Record]:
        chosen = [(host.number, self._batch_size(host.state)) for host in hosts]
        revisits = any(self._crawls[crawl].revisits for crawl in budgets)
        return await self._session.fetch(
            _TAKE_AGAIN if revisits else _TAKE_FIRST_TIME,
            *zip(*chosen, strict=True),
            *zip(*budgets.items(), strict=True),
            self._request.max_links,
        )

    def _batch_size(self, state: HostState) -> int:
        if state.delay <= 0:
            return self._request.batch_links
        return min(self._request.batch_links, max(1, int(self._request.duration / 2 / state.delay)))

    async def _write(self, leased: list[tuple[_Host, list[asyncpg.Record]]]) -> tuple[HostBatch, ...]:
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
        fences = await self._insert_leases(leased, slots)
        await changes.write(self._session)
        return tuple(
            HostBatch(
                fences[host.number],
                host.state,
                slots[host.number],
                self._expires_at,
                tuple(self._leased_link(*row) for row in rows),
            )
            for host, rows in leased
        )

    def _slots(self, host: _Host, links: int) -> int:
        free = host.state.slots - host.used
        return free if host.state.exclusive else min(free, self._request.batch_slots, links)

    async def _insert_leases(
        self, leased: list[tuple[_Host, list[asyncpg.Record]]], slots: dict[int, int]
    ) -> dict[int, int]:
        """The fences of the new leases, by host."""
        entries = []
        for host, rows in leased:
            links = [(crawl, link, rank, attempt) for _, rank, link, crawl, attempt, *_ in rows]
            crawls = ",".join(str(crawl) for crawl in {link[0] for link in links})
            entries.append((host.number, slots[host.number], f"{{{crawls}}}", _encode(links).decode()))
        given = await self._session.fetch_rows(
            _INSERT_LEASES, entries, self._request.node_id, self._expires_at
        )
        return dict(map(tuple, given))

    def _leased_link(
        self, _host: int, _rank: int, link: int, crawl: int, attempt: int, *row: Any
    ) -> LeasedLink:
        url, depth, priority, request_url, redirects, found_by, *validators = row
        etag, last_modified = validators or (None, None)
        return LeasedLink(
            link,
            self._crawls[crawl].crawl.id,
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
