"""Copies as rows of the server, by COPY. Each call is a transaction of its own."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

import asyncpg
import msgspec

from crawlmesh.adapters.postgres.crawl_store.functions import LEASABLE
from crawlmesh.adapters.postgres.crawl_store.session import clean, digest_of
from crawlmesh.adapters.postgres.crawl_store.tables import CRAWL_TABLES, SMALL, crawl_tables, ending_of
from crawlmesh.model.copies import (
    CrawlCopy,
    HostCopy,
    LinkCopy,
    Sequences,
    ShareCopy,
    SkipCopy,
    TemplateCopy,
)
from crawlmesh.model.host import HostLimits, HostState
from crawlmesh.model.link import LinkState
from crawlmesh.rules.link_copies import outcome_of

_OWN_TABLES_FROM = 20_000  # links
_REMEMBERED_HOSTS = 200_000

_SHARED_TABLES = ("crawls", "counters", "hosts", "shares", "deferred", "leases")

_INSERT_CRAWL = """
INSERT INTO crawls (id, created_at, crawl, revisits, own_tables, max_pages, max_pages_per_template,
                    default_delay, default_slots)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) RETURNING number
"""

_LINK_COLUMNS = (
    "number", "crawl", "fingerprint", "url", "request_url", "host", "depth", "priority", "parent", "found_by",
    "redirects",
)  # fmt: skip
_OUTCOME_COLUMNS = (
    "crawl", "link", "kind", "attempt", "http_status", "reason", "final_url", "fetched_at", "elapsed", "size",
    "etag", "last_modified", "archive",
)  # fmt: skip
_ATTEMPT_COLUMNS = ("crawl", "link", "number", "at", "kind", "http_status", "reason", "elapsed")
_HOST_COLUMNS = (
    "digest", "name", "state", "delay", "slots", "exclusive", "ready_at", "met", "limit_delay", "limit_slots",
    "blocked",
)  # fmt: skip
_SHARE_COLUMNS = (
    "crawl", "host", "ready", "waiting", "done", "dead", "requests", "elapsed", "since", "turn_at",
)  # fmt: skip

_COUNT_QUEUED = """
UPDATE shares SET {column} = counted.links
FROM (SELECT host, count(*) AS links FROM {table} WHERE crawl = $1 GROUP BY host) AS counted
WHERE shares.crawl = $1 AND shares.host = counted.host
"""

_SET_TURNS = f"""
UPDATE shares SET turn_at =
    CASE WHEN {LEASABLE} THEN greatest(hosts.ready_at, shares.since) ELSE 'infinity' END
FROM hosts WHERE hosts.number = shares.host
"""  # noqa: S608

_encode = msgspec.json.Encoder().encode


class Writer:
    """Puts copies into an empty store."""

    def __init__(self, connection: asyncpg.Connection, own_tables_from: int = _OWN_TABLES_FROM) -> None:
        self._connection = connection
        self._own_tables_from = own_tables_from
        self._crawls: dict[str, tuple[int, str]] = {}  # number and ending of the tables, by id
        self._hosts: dict[str, int] = {}

    async def clear(self) -> None:
        """Forget everything but the numbers that were given away."""
        async with self._connection.transaction():
            for (number,) in await self._connection.fetch("SELECT number FROM crawls WHERE own_tables"):
                ending = ending_of(number, own_tables=True)
                await self._connection.execute(
                    "DROP TABLE " + ", ".join(f"{table}{ending}" for table in CRAWL_TABLES)
                )
            tables = [*_SHARED_TABLES, *(f"{table}{SMALL}" for table in CRAWL_TABLES)]
            await self._connection.execute(f"TRUNCATE {', '.join(tables)}")
        self._crawls.clear()
        self._hosts.clear()

    async def put_hosts(self, hosts: Sequence[HostCopy]) -> None:
        """Put hosts and their limits."""
        await self._copy("hosts", _HOST_COLUMNS, map(_host_row, hosts))

    async def put_crawls(self, crawls: Sequence[CrawlCopy]) -> None:
        """Put crawls with their counters, and make the tables of those that are large."""
        async with self._connection.transaction():
            for copy in crawls:
                own_tables = copy.progress.added >= self._own_tables_from
                number = await self._connection.fetchval(_INSERT_CRAWL, *_crawl_row(copy, own_tables))
                ending = ending_of(number, own_tables=own_tables)
                if own_tables:
                    await self._connection.execute(crawl_tables(ending))
                self._crawls[copy.crawl.id] = number, ending
                rows = [(number, 0, clean(name), value) for name, value in _counters(copy) if value]
                await self._copy("counters", ("crawl", "shard", "name", "value"), rows)

    async def put_links(self, links: Sequence[LinkCopy]) -> None:
        """Put links, where they stand, and their ledger."""
        hosts = await self._host_numbers(link.host for link in links)
        async with self._connection.transaction():
            for crawl_id, part in _by_crawl(links).items():
                await self._put_links(*self._crawls[crawl_id], part, hosts)

    async def put_skips(self, skips: Sequence[SkipCopy]) -> None:
        """Put skips."""
        async with self._connection.transaction():
            for crawl_id, part in _by_crawl(skips).items():
                number, ending = self._crawls[crawl_id]
                rows = [
                    (number, skip.fingerprint, clean(skip.url), clean(skip.rule), skip.parent_id, skip.depth)
                    for skip in part
                ]
                columns = ("crawl", "fingerprint", "url", "rule", "parent", "depth")
                await self._copy(f"skips{ending}", columns, rows)

    async def put_templates(self, templates: Sequence[TemplateCopy]) -> None:
        """Put templates."""
        async with self._connection.transaction():
            for crawl_id, part in _by_crawl(templates).items():
                number, ending = self._crawls[crawl_id]
                rows = [(number, copy.template, copy.links) for copy in part]
                await self._copy(f"templates{ending}", ("crawl", "template", "links"), rows)

    async def put_shares(self, shares: Sequence[ShareCopy], now: float) -> None:
        """Put shares; what is queued is counted at the end."""
        hosts = await self._host_numbers(share.host for share in shares)
        rows = [
            (
                self._crawls[share.crawl_id][0],
                hosts[share.host],
                0,
                0,
                share.done,
                share.dead,
                share.requests,
                share.elapsed,
                now,
                float("inf"),
            )
            for share in shares
        ]
        await self._copy("shares", _SHARE_COLUMNS, rows)

    async def finish(self, sequences: Sequences) -> None:
        """Count what is queued, and go on with numbers that nobody has."""
        async with self._connection.transaction():
            for number, ending in self._crawls.values():
                for column, table in (("ready", f"queue{ending}"), ("waiting", "deferred")):
                    await self._connection.execute(_COUNT_QUEUED.format(column=column, table=table), number)
            await self._connection.execute(_SET_TURNS)
            fences = await self._connection.fetchval("SELECT pg_get_serial_sequence('leases', 'fence')")
            for sequence, number in ((fences, sequences.fence), ("link_numbers", sequences.link)):
                await self._connection.execute(
                    f"SELECT setval($1::regclass, greatest(last_value, $2)) FROM {sequence} WHERE $2 > 0",  # noqa: S608
                    sequence,
                    number,
                )

    async def _put_links(
        self, crawl: int, ending: str, links: Sequence[LinkCopy], hosts: dict[str, int]
    ) -> None:
        await self._copy(f"links{ending}", _LINK_COLUMNS, (_link_row(crawl, hosts, link) for link in links))
        pending = [link for link in links if link.state is LinkState.PENDING]
        queued = [
            (crawl, hosts[link.host], 10 - link.priority, link.id, link.attempts_made)
            for link in pending
            if link.due is None
        ]
        await self._copy(f"queue{ending}", ("crawl", "host", "rank", "link", "attempt"), queued)
        deferred = [
            (crawl, link.due, link.id, hosts[link.host], 10 - link.priority, link.attempts_made)
            for link in pending
            if link.due is not None
        ]
        await self._copy("deferred", ("crawl", "due", "link", "host", "rank", "attempt"), deferred)
        outcomes = [row for link in links if (row := _outcome_row(crawl, link)) is not None]
        await self._copy(f"outcomes{ending}", _OUTCOME_COLUMNS, outcomes)
        attempts = [row for link in links if link.attempts for row in _attempt_rows(crawl, link)]
        await self._copy(f"attempts{ending}", _ATTEMPT_COLUMNS, attempts)
        records = [(crawl, link.id, link.record) for link in links if link.record is not None]
        await self._copy(f"records{ending}", ("crawl", "link", "data"), records)

    async def _host_numbers(self, names: Iterable[str]) -> dict[str, int]:
        wanted = set(names)
        missing = {digest_of(name): name for name in wanted if name not in self._hosts}
        if len(self._hosts) > _REMEMBERED_HOSTS:
            missing = {digest_of(name): name for name in wanted}
            self._hosts.clear()
        if missing:
            statement = "SELECT digest, number FROM hosts WHERE digest = ANY($1::bytea[])"
            for digest, number in await self._connection.fetch(statement, list(missing)):
                self._hosts[missing[digest]] = number
        return self._hosts

    async def _copy(self, table: str, columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> None:
        listed = list(rows)
        if listed:
            await self._connection.copy_records_to_table(table, records=listed, columns=list(columns))


def _by_crawl(rows: Iterable[Any]) -> dict[str, list[Any]]:
    parts: defaultdict[str, list[Any]] = defaultdict(list)
    for row in rows:
        parts[row.crawl_id].append(row)
    return parts


def _crawl_row(copy: CrawlCopy, own_tables: bool) -> tuple[Any, ...]:
    crawl = copy.crawl
    limits = (crawl.max_pages, crawl.max_pages_per_template, crawl.default_delay, crawl.default_slots)
    return crawl.id, crawl.created_at, _encode(crawl), copy.revisits, own_tables, *limits


def _counters(copy: CrawlCopy) -> Iterable[tuple[str, int]]:
    for name, value in msgspec.to_builtins(copy.progress).items():
        if isinstance(value, dict):
            yield from ((f"{name}/{key}", count) for key, count in value.items())
        elif value is not None:
            yield name, value


def _host_row(copy: HostCopy) -> tuple[Any, ...]:
    met, state = copy.state is not None, copy.state or HostState(copy.host)
    limits: HostLimits = copy.limits
    return (
        digest_of(copy.host),
        clean(copy.host),
        _encode(state).decode(),
        state.delay,
        state.slots,
        state.exclusive,
        copy.ready_at,
        met,
        limits.delay,
        limits.slots,
        limits.blocked,
    )


def _link_row(crawl: int, hosts: dict[str, int], link: LinkCopy) -> tuple[Any, ...]:
    return (
        link.id,
        crawl,
        link.fingerprint,
        clean(link.url),
        clean(link.request_url),
        hosts[link.host],
        link.depth,
        link.priority,
        link.parent_id,
        link.found_by,
        link.redirects,
    )


def _outcome_row(crawl: int, link: LinkCopy) -> tuple[Any, ...] | None:
    visit = outcome_of(link)
    if visit is None:
        return None
    return (
        crawl,
        link.id,
        visit.kind,
        visit.attempt,
        visit.http_status,
        clean(visit.reason),
        clean(visit.final_url),
        visit.fetched_at,
        visit.elapsed,
        visit.size,
        clean(link.etag),
        clean(link.last_modified),
        clean(link.archive),
    )


def _attempt_rows(crawl: int, link: LinkCopy) -> Iterable[tuple[Any, ...]]:
    for entry in link.attempts:
        told = (entry.at, entry.kind, entry.http_status, clean(entry.reason), entry.elapsed)
        yield crawl, link.id, entry.number, *told
