"""Rows of the server as copies, read through cursors in one transaction."""

from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from typing import Any

import asyncpg
import msgspec

from crawlmesh.adapters.postgres.crawl_store.tables import ending_of as table_ending
from crawlmesh.model.copies import (
    CrawlCopy,
    HostCopy,
    LinkCopy,
    Sequences,
    ShareCopy,
    SkipCopy,
    TemplateCopy,
    Visit,
)
from crawlmesh.model.crawl import Crawl, CrawlProgress
from crawlmesh.model.host import HostLimits, HostState
from crawlmesh.model.record import Attempt
from crawlmesh.rules.host_limits import limited
from crawlmesh.rules.link_copies import ending_of, validators_of

BATCH = 2_000  # rows

_LINKS = """
SELECT links.number, links.fingerprint, links.url, links.request_url, hosts.name, links.depth, links.priority,
       links.found_by, links.redirects, links.parent,
       queue.attempt, deferred.due, deferred.attempt,
       kind, outcomes.attempt, http_status, reason, final_url, fetched_at, elapsed, size,
       etag, last_modified, archive, records.data, tries.list
FROM links{ending} AS links
JOIN hosts ON hosts.number = links.host
LEFT JOIN queue{ending} AS queue ON queue.crawl = $1 AND queue.link = links.number
    AND queue.host = links.host AND queue.rank = 10 - links.priority
LEFT JOIN deferred ON deferred.crawl = $1 AND deferred.link = links.number
LEFT JOIN outcomes{ending} AS outcomes ON outcomes.crawl = $1 AND outcomes.link = links.number
LEFT JOIN records{ending} AS records ON records.crawl = $1 AND records.link = links.number
LEFT JOIN (
    SELECT link,
           json_agg(json_build_array(number, at, kind, http_status, reason, elapsed) ORDER BY entry)::text
               AS list
    FROM attempts{ending} WHERE crawl = $1 GROUP BY link
) AS tries ON tries.link = links.number
WHERE links.crawl = $1 ORDER BY links.number
"""

_SKIPS = """
SELECT fingerprint, url, rule, parent, depth FROM skips{ending} AS skips
WHERE crawl = $1 AND NOT EXISTS (
    SELECT FROM links{ending} AS links WHERE links.crawl = $1 AND links.fingerprint = skips.fingerprint
)
"""

_TEMPLATES = "SELECT template, links FROM templates{ending} WHERE crawl = $1"

_SHARES = """
SELECT crawls.id, hosts.name, ready + waiting, done, dead, requests, elapsed, shares.crawl, shares.host
FROM shares JOIN crawls ON crawls.number = shares.crawl JOIN hosts ON hosts.number = shares.host
"""

_HOSTS = """
SELECT name, state, ready_at, leases, met, limit_delay, limit_slots, blocked FROM hosts
WHERE met OR limit_delay IS NOT NULL OR limit_slots IS NOT NULL OR blocked ORDER BY number
"""

_LAST = "SELECT CASE WHEN is_called THEN last_value ELSE 0 END FROM {}"

_decode_crawl = msgspec.json.Decoder(Crawl).decode
_decode_state = msgspec.json.Decoder(HostState).decode
_decode_tries = msgspec.json.Decoder(list[tuple[int, float, str, int | None, str | None, float]]).decode
_decode_leased = msgspec.json.Decoder(list[tuple[int, int, int, int]]).decode


class Rows:
    """What a database holds, by one connection that is inside of a transaction."""

    def __init__(self, connection: asyncpg.Connection) -> None:
        self._connection = connection
        self._leased: dict[int, int] = {}  # attempts made so far, by link
        self._leased_of: Counter[tuple[int, int]] = Counter()  # leased links, by crawl and host

    async def read_leases(self) -> None:
        """Learn which links are under way: they are few."""
        for host, links in await self._connection.fetch("SELECT host, links FROM leases"):
            for crawl, link, _, attempt in _decode_leased(links):
                self._leased[link] = attempt
                self._leased_of[crawl, host] += 1

    async def crawls(self) -> list[CrawlCopy]:
        """All crawls."""
        counters: defaultdict[int, Counter[str]] = defaultdict(Counter)
        for crawl, name, value in await self._connection.fetch("SELECT crawl, name, value FROM counters"):
            counters[crawl][name] += value
        rows = await self._connection.fetch(
            "SELECT number, crawl, revisits FROM crawls ORDER BY created_at, number"
        )
        return [
            CrawlCopy(_decode_crawl(crawl), _progress(counters[number]), revisits)
            for number, crawl, revisits in rows
        ]

    async def links(self) -> AsyncIterator[list[LinkCopy]]:
        """All links with their ledger."""
        async for crawl_id, rows in self._of_crawls(_LINKS):
            yield [self._link(crawl_id, tuple(row)) for row in rows]

    async def skips(self) -> AsyncIterator[list[SkipCopy]]:
        """All skips."""
        async for crawl_id, rows in self._of_crawls(_SKIPS):
            yield [SkipCopy(crawl_id, *row) for row in rows]

    async def templates(self) -> AsyncIterator[list[TemplateCopy]]:
        """All templates."""
        async for crawl_id, rows in self._of_crawls(_TEMPLATES):
            yield [TemplateCopy(crawl_id, *row) for row in rows]

    async def shares(self) -> AsyncIterator[list[ShareCopy]]:
        """All shares."""
        async for rows in self._batches(_SHARES):
            yield [
                ShareCopy(crawl_id, host, queued + self._leased_of[crawl, number], *results)
                for crawl_id, host, queued, *results, crawl, number in rows
            ]

    async def hosts(self, now: float) -> AsyncIterator[list[HostCopy]]:
        """All hosts; those that are leased rest for their delay from now on."""
        async for rows in self._batches(_HOSTS):
            yield [_host(*row, now=now) for row in rows]

    async def sequences(self) -> Sequences:
        """The highest numbers."""
        fences = await self._connection.fetchval("SELECT pg_get_serial_sequence('leases', 'fence')")
        return Sequences(
            await self._connection.fetchval(_LAST.format(fences)),
            await self._connection.fetchval(_LAST.format("link_numbers")),
        )

    async def is_empty(self) -> bool:
        """Whether there is nothing that anybody would miss."""
        limits = "limit_delay IS NOT NULL OR limit_slots IS NOT NULL OR blocked"
        return not await self._connection.fetchval(
            f"SELECT EXISTS (SELECT FROM crawls) OR EXISTS (SELECT FROM hosts WHERE {limits})"  # noqa: S608
        )

    def _link(self, crawl_id: str, row: tuple[Any, ...]) -> LinkCopy:
        queued, due, deferred = row[10:13]
        outcome = None if row[13] is None else Visit(*row[13:21])
        made = next(
            (number for number in (queued, deferred, self._leased.get(row[0])) if number is not None), None
        )
        attempts = tuple(Attempt(*entry) for entry in _decode_tries(row[25])) if row[25] else ()
        state, visit, kept = ending_of(outcome, attempts, pending=made is not None)
        etag, last_modified = validators_of(outcome, row[21], row[22])
        record = row[24]
        archive = None if record is None else row[23]
        ending: tuple[Any, ...] = (
            state,
            made or 0,
            due,
            visit,
            kept,
            etag,
            last_modified,
            attempts,
            record,
            archive,
        )
        return LinkCopy(*(crawl_id, *row[:10], *ending))

    async def _of_crawls(self, statement: str) -> AsyncIterator[tuple[str, list[asyncpg.Record]]]:
        """Rows of each crawl out of the tables that it has."""
        for number, crawl_id, own_tables in await self._connection.fetch(
            "SELECT number, id, own_tables FROM crawls ORDER BY created_at, number"
        ):
            ending = table_ending(number, own_tables=own_tables)
            async for rows in self._batches(statement.format(ending=ending), number):
                yield crawl_id, rows

    async def _batches(self, statement: str, *values: Any) -> AsyncIterator[list[asyncpg.Record]]:
        cursor = await self._connection.cursor(statement, *values)
        while rows := await cursor.fetch(BATCH):
            yield rows


def _progress(counters: Counter[str]) -> CrawlProgress:
    numbers: dict[str, Any] = {}
    groups: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for name, value in counters.items():
        group, slash, key = name.partition("/")
        if slash and value:
            groups[group][key] = value
        elif not slash:
            numbers[name] = value
    numbers["pending"] = numbers.get("pending", 0) + numbers.pop("leased", 0)
    return msgspec.convert({**numbers, **groups}, CrawlProgress)


def _host(
    name: str,
    state: str,
    ready_at: float,
    leases: int,
    met: bool,
    limit_delay: float | None,
    limit_slots: int | None,
    blocked: bool,
    *,
    now: float,
) -> HostCopy:
    limits = HostLimits(limit_delay, limit_slots, blocked)
    if not met:
        return HostCopy(name, None, 0.0, limits)
    known = _decode_state(state)
    if leases:
        ready_at = max(ready_at, now + limited(known, limits).delay)
    return HostCopy(name, known, ready_at, limits)
