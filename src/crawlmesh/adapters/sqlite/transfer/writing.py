"""Copies as rows of the file."""

import sqlite3
from collections.abc import Sequence

import msgspec

from crawlmesh.adapters.sqlite.counters import Counters
from crawlmesh.model.copies import (
    CrawlCopy,
    HostCopy,
    LinkCopy,
    Sequences,
    ShareCopy,
    SkipCopy,
    TemplateCopy,
)
from crawlmesh.model.host import HostLimits
from crawlmesh.model.link import LinkState
from crawlmesh.rules.host_limits import limited
from crawlmesh.rules.link_copies import outcome_of

_TABLES = (
    "crawls", "hosts", "host_limits", "links", "queue", "deferred", "leases", "outcomes", "attempts",
    "records", "skips", "templates", "host_progress",
)  # fmt: skip

_CRAWL = "(SELECT number FROM crawls WHERE id = ?)"
_HOST = "(SELECT number FROM hosts WHERE name = ?)"

_INSERT_CRAWL = "INSERT INTO crawls (id, crawl, progress, revisits) VALUES (?, ?, ?, ?)"
_INSERT_HOST = """
INSERT INTO hosts (name, state, delay, slots, exclusive, ready_at, blocked) VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_LIMITS = "INSERT INTO host_limits (name, limits) VALUES (?, ?)"
_INSERT_LINK = f"""
INSERT INTO links (number, crawl, fingerprint, url, request_url, host, depth, priority, parent, found_by,
                   redirects)
VALUES (?, {_CRAWL}, ?, ?, ?, {_HOST}, ?, ?, ?, ?, ?)
"""  # noqa: S608
_QUEUE = f"""
INSERT INTO queue (host, rank, link, crawl, attempt) VALUES ({_HOST}, ?, ?, {_CRAWL}, ?)
"""  # noqa: S608
_DEFER = f"""
INSERT INTO deferred (due, link, host, rank, crawl, attempt) VALUES (?, ?, {_HOST}, ?, {_CRAWL}, ?)
"""  # noqa: S608
_INSERT_OUTCOME = f"""
INSERT INTO outcomes (link, kind, attempt, http_status, reason, final_url, fetched_at, elapsed, size, etag,
                      last_modified, archive, dead_in) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, {_CRAWL})
"""  # noqa: S608
_INSERT_ATTEMPT = """
INSERT INTO attempts (link, number, at, kind, http_status, reason, elapsed) VALUES (?, ?, ?, ?, ?, ?, ?)
"""
_INSERT_RECORD = f"INSERT INTO records (link, crawl, data) VALUES (?, {_CRAWL}, ?)"  # noqa: S608
_INSERT_SKIP = f"""
INSERT INTO skips (crawl, fingerprint, url, rule, parent, depth) VALUES ({_CRAWL}, ?, ?, ?, ?, ?)
"""  # noqa: S608
_INSERT_TEMPLATE = f"INSERT INTO templates (crawl, template, links) VALUES ({_CRAWL}, ?, ?)"  # noqa: S608
_INSERT_SHARE = f"""
INSERT INTO host_progress (crawl, host, queued, done, dead, requests, elapsed)
VALUES ({_CRAWL}, {_HOST}, ?, ?, ?, ?, ?)
"""  # noqa: S608

_COUNT_QUEUED = """
UPDATE hosts SET queued = counted.links
FROM (SELECT host, count(*) AS links FROM queue GROUP BY host) AS counted WHERE counted.host = hosts.number
"""

_encode = msgspec.json.Encoder().encode


def clear(connection: sqlite3.Connection) -> None:
    """Forget everything; the file still knows which fences it has given."""
    for table in _TABLES:
        connection.execute(f"DELETE FROM {table}")  # noqa: S608


def put_crawls(connection: sqlite3.Connection, crawls: Sequence[CrawlCopy]) -> None:
    """Put crawls with their counters."""
    for copy in crawls:
        told = msgspec.to_builtins(copy.progress)
        told.pop("filter")
        counters = msgspec.convert(told, Counters)
        row = (copy.crawl.id, _encode(copy.crawl), _encode(counters), int(copy.revisits))
        connection.execute(_INSERT_CRAWL, row)


def put_hosts(connection: sqlite3.Connection, hosts: Sequence[HostCopy]) -> None:
    """Put hosts and their limits."""
    rows = []
    for copy in hosts:
        if copy.limits != HostLimits():
            connection.execute(_INSERT_LIMITS, (copy.host, _encode(copy.limits)))
        if copy.state is not None:
            leased_as = limited(copy.state, copy.limits)
            numbers = (leased_as.delay, leased_as.slots, int(leased_as.exclusive), copy.ready_at)
            rows.append((copy.host, _encode(copy.state), *numbers, int(copy.limits.blocked)))
    connection.executemany(_INSERT_HOST, rows)


def put_links(connection: sqlite3.Connection, links: Sequence[LinkCopy]) -> None:
    """Put links, where they stand, and their ledger."""
    connection.executemany(
        _INSERT_LINK,
        [
            (
                link.id,
                link.crawl_id,
                link.fingerprint,
                link.url,
                link.request_url,
                link.host,
                link.depth,
                link.priority,
                link.parent_id,
                link.found_by,
                link.redirects,
            )
            for link in links
        ],
    )
    pending = [link for link in links if link.state is LinkState.PENDING]
    connection.executemany(
        _QUEUE,
        [
            (link.host, 10 - link.priority, link.id, link.crawl_id, link.attempts_made)
            for link in pending
            if link.due is None
        ],
    )
    connection.executemany(
        _DEFER,
        [
            (link.due, link.id, link.host, 10 - link.priority, link.crawl_id, link.attempts_made)
            for link in pending
            if link.due is not None
        ],
    )
    _put_ledger(connection, links)


def _put_ledger(connection: sqlite3.Connection, links: Sequence[LinkCopy]) -> None:
    outcomes = [
        (
            link.id,
            visit.kind,
            visit.attempt,
            visit.http_status,
            visit.reason,
            visit.final_url,
            visit.fetched_at,
            visit.elapsed,
            visit.size,
            link.etag,
            link.last_modified,
            link.archive,
            link.crawl_id if link.state is LinkState.DEAD else None,
        )
        for link in links
        if (visit := outcome_of(link)) is not None
    ]
    connection.executemany(_INSERT_OUTCOME, outcomes)
    connection.executemany(
        _INSERT_ATTEMPT,
        [
            (link.id, entry.number, entry.at, entry.kind, entry.http_status, entry.reason, entry.elapsed)
            for link in links
            for entry in link.attempts
        ],
    )
    connection.executemany(
        _INSERT_RECORD, [(link.id, link.crawl_id, link.record) for link in links if link.record is not None]
    )


def put_skips(connection: sqlite3.Connection, skips: Sequence[SkipCopy]) -> None:
    """Put skips."""
    connection.executemany(_INSERT_SKIP, map(msgspec.structs.astuple, skips))


def put_templates(connection: sqlite3.Connection, templates: Sequence[TemplateCopy]) -> None:
    """Put templates."""
    connection.executemany(_INSERT_TEMPLATE, map(msgspec.structs.astuple, templates))


def put_shares(connection: sqlite3.Connection, shares: Sequence[ShareCopy]) -> None:
    """Put shares."""
    connection.executemany(_INSERT_SHARE, map(msgspec.structs.astuple, shares))


def finish(connection: sqlite3.Connection, sequences: Sequences) -> None:
    """Count what is queued, and go on with numbers that nobody has."""
    connection.execute(_COUNT_QUEUED)
    own = connection.execute("SELECT seq FROM sqlite_sequence WHERE name = 'leases'").fetchone()
    fence = max(sequences.fence, own[0] if own else 0)
    connection.execute("DELETE FROM sqlite_sequence WHERE name = 'leases'")
    connection.execute("INSERT INTO sqlite_sequence (name, seq) VALUES ('leases', ?)", (fence,))
