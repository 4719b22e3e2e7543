"""Reading: progress, hosts, records, and the ledger of one URL."""

from typing import Any

import msgspec

from crawlmesh.adapters.sqlite.session import CrawlEntry, Session
from crawlmesh.model.crawl import HostProgress
from crawlmesh.model.host import HostState
from crawlmesh.model.link import FoundBy, LinkState
from crawlmesh.model.outcome import OutcomeKind
from crawlmesh.model.record import Attempt, DeadLink, LedgerEntry, Record

_HOSTS = """
SELECT hosts.name, chosen.queued, done, dead, mean, hosts.state, hosts.ready_at
FROM (
    SELECT host, queued, done, dead, iif(requests, elapsed / requests, 0.0) AS mean FROM host_progress
    WHERE crawl = ? ORDER BY dead DESC, mean DESC, host LIMIT ?
) AS chosen JOIN hosts ON hosts.number = chosen.host ORDER BY dead DESC, mean DESC, hosts.number
"""

_RECORDS = """
SELECT records.link, links.url, coalesce(outcomes.final_url, links.request_url, links.url),
       outcomes.http_status, links.depth, outcomes.fetched_at, records.data, outcomes.archive
FROM records
CROSS JOIN links ON links.number = records.link
CROSS JOIN outcomes ON outcomes.link = records.link
WHERE records.crawl = ? AND records.link > ? ORDER BY records.link LIMIT ?
"""

_DEAD_LINKS = """
SELECT outcomes.link, links.url, coalesce(reason, 'unknown'), http_status, attempt, fetched_at
FROM outcomes CROSS JOIN links ON links.number = outcomes.link
WHERE dead_in = :crawl AND outcomes.link > :after {only} ORDER BY outcomes.link LIMIT :limit
"""
_OF_REASON = "AND coalesce(reason, 'unknown') = :reason"

_LINK = """
SELECT links.number, links.url, links.depth, links.found_by, parents.url AS parent_url, links.host,
       links.priority, kind, http_status, reason, final_url, fetched_at, elapsed, size, attempt,
       records.link IS NOT NULL AS has_record
FROM links
LEFT JOIN links AS parents ON parents.number = links.parent
LEFT JOIN outcomes ON outcomes.link = links.number
LEFT JOIN records ON records.link = links.number
WHERE links.crawl = ? AND links.fingerprint = ?
"""

_REDIRECTED_FROM = """
SELECT links.url FROM outcomes JOIN links ON links.number = outcomes.link
WHERE outcomes.kind = 'redirected' AND outcomes.final_url = ? AND links.crawl = ?
ORDER BY links.number LIMIT 100
"""

_KEPT_AS_ATTEMPTS = {OutcomeKind.DEAD, OutcomeKind.NOT_MODIFIED}

_decode_state = msgspec.json.Decoder(HostState).decode


def hosts(session: Session, crawl_id: str, limit: int) -> list[HostProgress]:
    """The hosts of a crawl, the troubled ones first."""
    if crawl_id not in session.crawls:
        return []
    rows = session.connection.execute(_HOSTS, (session.entry(crawl_id).number, limit))
    now = session.clock.now()
    return [
        HostProgress(name, queued, done, dead, mean_elapsed, _decode_state(state), max(0.0, ready_at - now))
        for name, queued, done, dead, mean_elapsed, state, ready_at in rows
    ]


def records(session: Session, crawl_id: str, after: int, limit: int) -> list[Record]:
    """Records in the order of link ids."""
    if crawl_id not in session.crawls:
        return []
    rows = session.connection.execute(_RECORDS, (session.entry(crawl_id).number, after, limit))
    return [
        Record(link, url, final_url, status or 0, depth, fetched_at, data, archive)
        for link, url, final_url, status, depth, fetched_at, data, archive in rows
    ]


def dead_links(session: Session, crawl_id: str, reason: str | None, after: int, limit: int) -> list[DeadLink]:
    """Links that were given up, in the order of their ids."""
    if crawl_id not in session.crawls:
        return []
    conditions = {"crawl": session.entry(crawl_id).number, "after": after, "limit": limit, "reason": reason}
    statement = _DEAD_LINKS.format(only="" if reason is None else _OF_REASON)
    return [DeadLink(*row) for row in session.connection.execute(statement, conditions)]


def explain(session: Session, crawl_id: str, fingerprint: bytes) -> LedgerEntry | None:
    """What is known about one URL."""
    entry = session.crawls.get(crawl_id)
    if entry is None:
        return None
    cursor = session.connection.execute(_LINK, (entry.number, fingerprint))
    row = cursor.fetchone()
    if row is None:
        return _skipped(session, entry, fingerprint)
    link = dict(zip([column[0] for column in cursor.description], row, strict=True))
    state = _state(session, link)
    return LedgerEntry(
        url=link["url"],
        depth=link["depth"],
        found_by=FoundBy(link["found_by"]),
        parent_url=link["parent_url"],
        state=state,
        outcome=link["kind"],
        http_status=link["http_status"],
        reason=link["reason"],
        final_url=link["final_url"],
        fetched_at=link["fetched_at"],
        elapsed=link["elapsed"],
        size=link["size"],
        attempts=_attempts(session, link),
        has_record=bool(link["has_record"]),
        redirected_from=_redirected_from(session, entry, link),
    )


def _skipped(session: Session, entry: CrawlEntry, fingerprint: bytes) -> LedgerEntry | None:
    row = session.connection.execute(
        "SELECT skips.url, skips.depth, links.url, rule FROM skips"
        " LEFT JOIN links ON links.number = skips.parent WHERE skips.crawl = ? AND skips.fingerprint = ?",
        (entry.number, fingerprint),
    ).fetchone()
    if row is None:
        return None
    url, depth, parent_url, rule = row
    return LedgerEntry(url, depth, found_by=None, parent_url=parent_url, state=None, rule=rule)


def _state(session: Session, link: dict[str, Any]) -> LinkState:
    number = link["number"]
    if any(number == leased[0] for lease in session.leases.values() for leased in lease.links):
        return LinkState.LEASED
    place = (link["host"], 10 - link["priority"], number)
    queued = session.connection.execute(
        "SELECT 1 FROM queue WHERE host = ? AND rank = ? AND link = ?"
        " UNION ALL SELECT 1 FROM deferred WHERE link = ?",
        (*place, number),
    ).fetchone()
    if queued:
        return LinkState.PENDING
    return LinkState.DEAD if link["kind"] == OutcomeKind.DEAD else LinkState.DONE


def _attempts(session: Session, link: dict[str, Any]) -> tuple[Attempt, ...]:
    rows = session.connection.execute(
        "SELECT number, at, kind, http_status, reason, elapsed FROM attempts WHERE link = ? ORDER BY rowid",
        (link["number"],),
    )
    attempts = [Attempt(*row) for row in rows]
    if link["kind"] is not None and link["kind"] not in _KEPT_AS_ATTEMPTS:
        attempts.append(
            Attempt(
                link["attempt"],
                link["fetched_at"],
                link["kind"],
                link["http_status"],
                link["reason"],
                link["elapsed"],
            )
        )
    return tuple(attempts)


def _redirected_from(session: Session, entry: CrawlEntry, link: dict[str, Any]) -> tuple[str, ...]:
    found = [link["parent_url"]] if link["found_by"] == FoundBy.REDIRECT and link["parent_url"] else []
    for (url,) in session.connection.execute(_REDIRECTED_FROM, (link["url"], entry.number)):
        if url not in found:
            found.append(url)
    return tuple(found)
