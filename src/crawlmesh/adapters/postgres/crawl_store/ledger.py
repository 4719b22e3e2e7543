"""Reading: progress, hosts, records, and the ledger of one URL."""

from collections import defaultdict
from typing import Any

import asyncpg
import msgspec

from crawlmesh.adapters.postgres.crawl_store.session import CrawlRow, Session, clean, unknown_crawl
from crawlmesh.model.crawl import CrawlProgress, HostProgress
from crawlmesh.model.host import HostState
from crawlmesh.model.link import FoundBy, LinkState
from crawlmesh.model.outcome import OutcomeKind
from crawlmesh.model.record import Attempt, DeadLink, LedgerEntry, Record

_PROGRESS = """
SELECT name, sum(value)::bigint FROM crawls LEFT JOIN counters ON counters.crawl = crawls.number
WHERE id = $1 GROUP BY name
"""

_HOSTS = """
SELECT hosts.name, chosen.queued, done, dead, mean, hosts.state, hosts.ready_at
FROM (
    SELECT host, ready + waiting AS queued, done, dead,
           CASE WHEN requests > 0 THEN elapsed / requests ELSE 0.0 END AS mean
    FROM shares WHERE crawl = (SELECT number FROM crawls WHERE id = $1)
    ORDER BY dead DESC, mean DESC, host LIMIT $2
) AS chosen JOIN hosts ON hosts.number = chosen.host ORDER BY dead DESC, mean DESC, chosen.host
"""

_RECORDS = """
SELECT records.link, links.url, coalesce(outcomes.final_url, links.request_url, links.url),
       coalesce(outcomes.http_status, 0), links.depth, outcomes.fetched_at, records.data, outcomes.archive
FROM (
    SELECT crawl, link, data FROM records{ending}
    WHERE crawl = $1 AND link > $2 ORDER BY link LIMIT $3
) AS records
JOIN links{ending} AS links ON links.crawl = records.crawl AND links.number = records.link
JOIN outcomes{ending} AS outcomes ON outcomes.crawl = records.crawl AND outcomes.link = records.link
ORDER BY records.link
"""

_DEAD_LINKS = """
SELECT outcomes.link, links.url, coalesce(reason, 'unknown'), http_status, attempt, fetched_at
FROM (
    SELECT crawl, link, reason, http_status, attempt, fetched_at FROM outcomes{ending}
    WHERE crawl = $1 AND kind = 'dead' AND link > $2 {only} ORDER BY link LIMIT $3
) AS outcomes
JOIN links{ending} AS links ON links.crawl = outcomes.crawl AND links.number = outcomes.link
ORDER BY outcomes.link
"""
# As the index has it, which has no room for long texts, and then whole.
_OF_REASON = """
AND left(coalesce(reason, 'unknown'), 200) = left($4::text, 200) AND coalesce(reason, 'unknown') = $4
"""

_LINK = """
SELECT links.crawl, links.number, links.url, links.depth, links.found_by, parents.url AS parent_url,
       links.host, kind, http_status, reason, final_url, fetched_at, elapsed, size, attempt,
       EXISTS (SELECT FROM records{ending} AS records
               WHERE records.crawl = links.crawl AND records.link = links.number) AS has_record,
       EXISTS (SELECT FROM queue{ending} AS queue WHERE queue.crawl = links.crawl AND queue.host = links.host
               AND queue.rank = 10 - links.priority AND queue.link = links.number)
       OR EXISTS (SELECT FROM deferred WHERE deferred.crawl = links.crawl AND deferred.link = links.number)
           AS is_pending,
       EXISTS (SELECT FROM leases WHERE leases.host = links.host AND EXISTS (
           SELECT FROM json_array_elements(leases.links::json) AS leased
           WHERE (leased->>0)::integer = links.crawl AND (leased->>1)::bigint = links.number
       )) AS is_leased,
       (SELECT json_agg(json_build_array(attempts.number, attempts.at, attempts.kind,
                                          attempts.http_status, attempts.reason, attempts.elapsed)
                         ORDER BY attempts.entry)
        FROM attempts{ending} AS attempts
        WHERE attempts.crawl = links.crawl AND attempts.link = links.number)::text AS attempts,
       ARRAY(
           SELECT hops.url FROM outcomes{ending} AS moved
           JOIN links{ending} AS hops ON hops.crawl = moved.crawl AND hops.number = moved.link
           WHERE moved.kind = 'redirected' AND moved.final_url = links.url AND moved.crawl = links.crawl
           ORDER BY hops.number LIMIT 100
       ) AS redirected_from
FROM links{ending} AS links
LEFT JOIN links{ending} AS parents ON parents.crawl = links.crawl AND parents.number = links.parent
LEFT JOIN outcomes{ending} AS outcomes ON outcomes.crawl = links.crawl AND outcomes.link = links.number
WHERE links.crawl = $1 AND links.fingerprint = $2
"""

_SKIP = """
SELECT skips.url, skips.depth, parents.url, rule
FROM skips{ending} AS skips
LEFT JOIN links{ending} AS parents ON parents.crawl = skips.crawl AND parents.number = skips.parent
WHERE skips.crawl = $1 AND skips.fingerprint = $2
"""

_KEPT_AS_ATTEMPTS = {OutcomeKind.DEAD, OutcomeKind.NOT_MODIFIED}

_decode_rows = msgspec.json.Decoder(list[tuple[int, float, str, int | None, str | None, float]]).decode
_decode_state = msgspec.json.Decoder(HostState).decode


async def progress(session: Session, crawl_id: str) -> CrawlProgress:
    """The counters of a crawl."""
    rows = await session.fetch(_PROGRESS, crawl_id)
    if not rows:
        raise unknown_crawl(crawl_id)
    numbers: dict[str, Any] = {}
    groups: defaultdict[str, dict[str, int]] = defaultdict(dict)
    for name, value in rows:
        if not value:
            continue
        group, slash, key = name.partition("/")
        if slash:
            groups[group][key] = value
        else:
            numbers[name] = value
    return msgspec.convert({**numbers, **groups}, CrawlProgress)


async def hosts(session: Session, crawl_id: str, limit: int) -> list[HostProgress]:
    """The hosts of a crawl, the troubled ones first."""
    now = await session.moment()
    return [
        HostProgress(name, queued, done, dead, mean_elapsed, _decode_state(state), max(0.0, ready_at - now))
        for name, queued, done, dead, mean_elapsed, state, ready_at in await session.fetch(
            _HOSTS, crawl_id, limit
        )
    ]


async def records(session: Session, crawl_id: str, after: int, limit: int) -> list[Record]:
    """Records in the order of link ids."""
    crawl = await session.crawl(crawl_id)
    if crawl is None:
        return []
    rows = await session.fetch(_RECORDS.format(ending=crawl.ending), crawl.number, after, limit)
    return [Record(*row) for row in rows]


async def dead_links(
    session: Session, crawl_id: str, reason: str | None, after: int, limit: int
) -> list[DeadLink]:
    """Links that were given up, in the order of their ids."""
    crawl = await session.crawl(crawl_id)
    if crawl is None:
        return []
    statement = _DEAD_LINKS.format(ending=crawl.ending, only="" if reason is None else _OF_REASON)
    more = () if reason is None else (clean(reason),)
    rows = await session.fetch(statement, crawl.number, after, limit, *more)
    return [DeadLink(*row) for row in rows]


async def explain(session: Session, crawl_id: str, fingerprint: bytes) -> LedgerEntry | None:
    """What is known about one URL."""
    crawl = await session.crawl(crawl_id)
    if crawl is None:
        return None
    rows = await session.fetch(_LINK.format(ending=crawl.ending), crawl.number, fingerprint)
    if not rows:
        return await _skipped(session, crawl, fingerprint)
    link = rows[0]
    return LedgerEntry(
        url=link["url"],
        depth=link["depth"],
        found_by=FoundBy(link["found_by"]),
        parent_url=link["parent_url"],
        state=_state(link),
        outcome=link["kind"],
        http_status=link["http_status"],
        reason=link["reason"],
        final_url=link["final_url"],
        fetched_at=link["fetched_at"],
        elapsed=link["elapsed"],
        size=link["size"],
        attempts=_attempts(link),
        has_record=link["has_record"],
        redirected_from=_redirected_from(link),
    )


async def _skipped(session: Session, crawl: CrawlRow, fingerprint: bytes) -> LedgerEntry | None:
    rows = await session.fetch(_SKIP.format(ending=crawl.ending), crawl.number, fingerprint)
    for url, depth, parent_url, rule in rows:
        return LedgerEntry(url, depth, found_by=None, parent_url=parent_url, state=None, rule=rule)
    return None


def _state(link: asyncpg.Record) -> LinkState:
    if link["is_leased"]:
        return LinkState.LEASED
    if link["is_pending"]:
        return LinkState.PENDING
    return LinkState.DEAD if link["kind"] == OutcomeKind.DEAD else LinkState.DONE


def _attempts(link: asyncpg.Record) -> tuple[Attempt, ...]:
    attempts = [Attempt(*row) for row in _decode_rows(link["attempts"] or "[]")]
    if link["kind"] is not None and link["kind"] not in _KEPT_AS_ATTEMPTS:
        last = ("attempt", "fetched_at", "kind", "http_status", "reason", "elapsed")
        attempts.append(Attempt(*(link[column] for column in last)))
    return tuple(attempts)


def _redirected_from(link: asyncpg.Record) -> tuple[str, ...]:
    found = [link["parent_url"]] if link["found_by"] == FoundBy.REDIRECT and link["parent_url"] else []
    return tuple(dict.fromkeys([*found, *link["redirected_from"]]))
