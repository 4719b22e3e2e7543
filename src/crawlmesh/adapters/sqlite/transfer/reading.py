"""Rows of the file as copies. One statement reads all rows of a kind, so that it is planned once."""

import sqlite3
from collections.abc import Iterator
from typing import Any

import msgspec

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
SELECT crawls.id, links.number, links.fingerprint, links.url, links.request_url, hosts.name, links.depth,
       links.priority, links.found_by, links.redirects, links.parent,
       queue.attempt, deferred.due, deferred.attempt,
       kind, outcomes.attempt, http_status, reason, final_url, fetched_at, elapsed, size,
       etag, last_modified, archive, records.data
FROM links
CROSS JOIN crawls ON crawls.number = links.crawl
CROSS JOIN hosts ON hosts.number = links.host
LEFT JOIN queue ON queue.host = links.host AND queue.rank = 10 - links.priority AND queue.link = links.number
LEFT JOIN deferred ON deferred.link = links.number
LEFT JOIN outcomes ON outcomes.link = links.number
LEFT JOIN records ON records.link = links.number
ORDER BY links.number
"""

_ATTEMPTS = """
SELECT link, number, at, kind, http_status, reason, elapsed FROM attempts ORDER BY link, rowid
"""

# What became a link later is left out. Fingerprints have no index: SQLite makes one for the statement.
_SKIPS = """
SELECT crawls.id, skips.fingerprint, skips.url, skips.rule, skips.parent, skips.depth
FROM skips CROSS JOIN crawls ON crawls.number = skips.crawl
LEFT JOIN links ON links.crawl = skips.crawl AND links.fingerprint = skips.fingerprint
WHERE links.number IS NULL
"""

_TEMPLATES = """
SELECT crawls.id, template, links FROM templates JOIN crawls ON crawls.number = templates.crawl
"""

_SHARES = """
SELECT crawls.id, hosts.name, shares.queued, done, dead, requests, elapsed, shares.crawl, shares.host
FROM host_progress AS shares
JOIN crawls ON crawls.number = shares.crawl JOIN hosts ON hosts.number = shares.host
"""

_HOSTS = """
SELECT hosts.name, state, ready_at, leases, host_limits.limits
FROM hosts LEFT JOIN host_limits ON host_limits.name = hosts.name ORDER BY hosts.number
"""

_LIMITED_ONLY = """
SELECT name, limits FROM host_limits WHERE name NOT IN (SELECT name FROM hosts)
"""

_decode_crawl = msgspec.json.Decoder(Crawl).decode
_decode_progress = msgspec.json.Decoder(CrawlProgress).decode
_decode_state = msgspec.json.Decoder(HostState).decode
_decode_limits = msgspec.json.Decoder(HostLimits).decode
_decode_leased = msgspec.json.Decoder(list[tuple[int, int, int, int]]).decode


class Rows:
    """What a file holds. Leases that are under way are read at once: they are few."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._leased: dict[int, int] = {}  # attempts made so far, by link
        self._leased_of: dict[tuple[int, int], int] = {}  # leased links, by crawl and host
        for host, links in connection.execute("SELECT host, links FROM leases"):
            for link, _, crawl, attempt in _decode_leased(links):
                self._leased[link] = attempt
                self._leased_of[crawl, host] = self._leased_of.get((crawl, host), 0) + 1

    def crawls(self) -> list[CrawlCopy]:
        """All crawls."""
        rows = self._connection.execute("SELECT crawl, progress, revisits FROM crawls ORDER BY number")
        return [
            CrawlCopy(_decode_crawl(crawl), _settled(_decode_progress(progress)), bool(revisits))
            for crawl, progress, revisits in rows
        ]

    def links(self) -> Iterator[list[LinkCopy]]:
        """All links with their ledger."""
        attempts = _Attempts(self._connection.execute(_ATTEMPTS))
        found = self._connection.execute(_LINKS)
        while rows := found.fetchmany(BATCH):
            yield [self._link(row, attempts.of(row[1])) for row in rows]

    def skips(self) -> Iterator[list[SkipCopy]]:
        """All skips."""
        for rows in self._batches(_SKIPS):
            yield [SkipCopy(*row) for row in rows]

    def templates(self) -> Iterator[list[TemplateCopy]]:
        """All templates."""
        for rows in self._batches(_TEMPLATES):
            yield [TemplateCopy(*row) for row in rows]

    def shares(self) -> Iterator[list[ShareCopy]]:
        """All shares."""
        for rows in self._batches(_SHARES):
            yield [
                ShareCopy(crawl_id, host, queued + self._leased_of.get((crawl, number), 0), *results)
                for crawl_id, host, queued, *results, crawl, number in rows
            ]

    def hosts(self, now: float) -> Iterator[list[HostCopy]]:
        """All hosts; those that are leased rest for their delay from now on."""
        has_limits = self._one(
            "SELECT 1 FROM sqlite_master WHERE name = 'host_limits'"
        )  # not in an older file
        statement = (
            _HOSTS
            if has_limits
            else _HOSTS.replace("host_limits.limits", "NULL").replace(
                "LEFT JOIN host_limits ON host_limits.name = hosts.name", ""
            )
        )
        for rows in self._batches(statement):
            yield [_host(*row, now=now) for row in rows]
        for rows in self._batches(_LIMITED_ONLY) if has_limits else ():
            yield [HostCopy(name, None, 0.0, _decode_limits(limits)) for name, limits in rows]

    def sequences(self) -> Sequences:
        """The highest numbers."""
        fence = self._one("SELECT seq FROM sqlite_sequence WHERE name = 'leases'")
        return Sequences(fence or 0, self._one("SELECT max(number) FROM links") or 0)

    def last_expiry(self) -> float:
        """When the last lease runs out; 0 where there is none."""
        return float(self._one("SELECT max(expires_at) FROM leases") or 0.0)

    def is_empty(self) -> bool:
        """Whether there is nothing that anybody would miss."""
        return not self._one("SELECT EXISTS (SELECT 1 FROM crawls) OR EXISTS (SELECT 1 FROM host_limits)")

    def _link(self, row: tuple[Any, ...], attempts: tuple[Attempt, ...]) -> LinkCopy:
        queued, due, deferred = row[11:14]
        outcome = None if row[14] is None else Visit(*row[14:22])
        made = next(
            (number for number in (queued, deferred, self._leased.get(row[1])) if number is not None), None
        )
        state, visit, kept = ending_of(outcome, attempts, pending=made is not None)
        etag, last_modified = validators_of(outcome, row[22], row[23])
        record = row[25]
        archive = None if record is None else row[24]
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
        return LinkCopy(*(*row[:11], *ending))

    def _batches(self, statement: str) -> Iterator[list[Any]]:
        found = self._connection.execute(statement)
        while rows := found.fetchmany(BATCH):
            yield rows

    def _one(self, statement: str) -> Any:
        row = self._connection.execute(statement).fetchone()
        return None if row is None else row[0]


class _Attempts:
    """Attempts in the order of their links, read beside these."""

    def __init__(self, rows: Iterator[tuple[Any, ...]]) -> None:
        self._rows = rows
        self._next = next(rows, None)

    def of(self, link: int) -> tuple[Attempt, ...]:
        """Those of a link; links are asked for in their order."""
        found = []
        while self._next is not None and self._next[0] <= link:
            if self._next[0] == link:
                found.append(Attempt(*self._next[1:]))
            self._next = next(self._rows, None)
        return tuple(found)


def _settled(progress: CrawlProgress) -> CrawlProgress:
    return msgspec.structs.replace(progress, pending=progress.pending + progress.leased, leased=0)


def _host(
    name: str, state: bytes, ready_at: float, leases: int, limits: bytes | None, *, now: float
) -> HostCopy:
    known, limits_of = _decode_state(state), _decode_limits(limits) if limits else HostLimits()
    if leases:
        ready_at = max(ready_at, now + limited(known, limits_of).delay)
    return HostCopy(name, known, ready_at, limits_of)
