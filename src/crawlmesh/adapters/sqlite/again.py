"""Starting links or whole crawls again, and forgetting them."""

from collections import Counter
from collections.abc import Sequence

import msgspec

from crawlmesh.adapters.sqlite.adding import count_queued
from crawlmesh.adapters.sqlite.session import CrawlEntry, Session
from crawlmesh.adapters.sqlite.settling import settle
from crawlmesh.model.lease import Settlement

_QUEUE_LINKS = """
INSERT INTO queue (host, rank, link, crawl, attempt)
SELECT host, 10 - priority, number, crawl, 0 FROM links WHERE number IN (SELECT value FROM json_each(:links))
"""

_ENDED = """
SELECT json_group_array(links.number) FROM links JOIN outcomes ON outcomes.link = links.number
WHERE links.crawl = :crawl
    AND NOT EXISTS (SELECT 1 FROM queue WHERE queue.host = links.host
                    AND queue.rank = 10 - links.priority AND queue.link = links.number)
    AND links.number NOT IN (SELECT link FROM deferred)
    AND links.number NOT IN (SELECT value FROM json_each(:leased))
"""

# A link that is tried again has no outcome until it ends: those that say dead are.
_DEAD = """
SELECT json_group_array(outcomes.link) FROM outcomes CROSS JOIN links ON links.number = outcomes.link
WHERE dead_in = :crawl {only}
"""
_OF_REASON = " AND coalesce(reason, 'unknown') = :reason"
_AMONG = " AND hex(links.fingerprint) IN (SELECT value FROM json_each(:fingerprints))"

_REASONS = """
SELECT json_group_object(reason, number) FROM (
    SELECT coalesce(reason, 'unknown') AS reason, count(*) AS number FROM outcomes
    WHERE link IN (SELECT value FROM json_each(:links)) GROUP BY 1
)
"""

_COUNT_REVIVED = """
UPDATE host_progress SET dead = dead - (value->>1)
FROM json_each(:rows) WHERE crawl = :crawl AND host = (value->>0)
"""

_PER_HOST = """
SELECT json_group_array(json_array(host, number)) FROM (
    SELECT host, count(*) AS number FROM links
    WHERE links.number IN (SELECT value FROM json_each(:links)) GROUP BY host
)
"""


def retry_dead(
    session: Session, crawl_id: str, reason: str | None, fingerprints: Sequence[bytes] | None
) -> int:
    """Make dead links pending again: all, those of a reason, those among these."""
    entry = session.entry(crawl_id)
    only = ("" if reason is None else _OF_REASON) + ("" if fingerprints is None else _AMONG)
    links = session.one(
        _DEAD.format(only=only),
        crawl=entry.number,
        reason=reason,
        fingerprints=msgspec.json.encode([each.hex().upper() for each in fingerprints or ()]).decode(),
    )
    counters = session.touch(entry)
    for name, number in msgspec.json.decode(session.one(_REASONS, links=links)).items():
        counters.forget_dead(name, number)
    per_host = _queue_again(session, entry, links)
    session.write_rows(_COUNT_REVIVED, per_host, crawl=entry.number)
    again = sum(number for _, number in per_host)
    counters.pending += again
    session.flush()
    return again


def recrawl(session: Session, crawl_id: str) -> int:
    """Make all done and dead links pending again."""
    entry = session.entry(crawl_id)
    leased = [link[0] for lease in session.leases.values() for link in lease.links]
    links = session.one(_ENDED, crawl=entry.number, leased=msgspec.json.encode(leased).decode())
    again = sum(number for _, number in _queue_again(session, entry, links))
    entry.revisits = True
    counters = session.touch(entry)
    counters.start_again()
    counters.done = counters.dead = 0
    counters.pending += again
    session.run("UPDATE crawls SET revisits = 1 WHERE number = :crawl", crawl=entry.number)
    entry.templates.clear()
    for table in ("skips", "templates"):
        session.run(f"DELETE FROM {table} WHERE crawl = :crawl", crawl=entry.number)  # noqa: S608
    session.run(
        "UPDATE host_progress SET done = 0, dead = 0, requests = 0, elapsed = 0 WHERE crawl = :crawl",
        crawl=entry.number,
    )
    session.flush()
    return counters.pending


def _queue_again(session: Session, entry: CrawlEntry, links: str) -> list[tuple[int, int]]:
    """Queue links, given as JSON, and forget that they were dead. Returns how many by host."""
    session.run(_QUEUE_LINKS, links=links)
    per_host = msgspec.json.decode(session.one(_PER_HOST, links=links), type=list[tuple[int, int]])
    count_queued(session, Counter({(entry.number, host): number for host, number in per_host}))
    session.run(
        "DELETE FROM outcomes WHERE kind = 'dead' AND link IN (SELECT value FROM json_each(:links))",
        links=links,
    )
    return per_host


def delete_crawl(session: Session, crawl_id: str) -> None:
    """Forget a crawl and all that belongs to it; leases lose its links."""
    entry = session.crawls.pop(crawl_id, None)
    if entry is None:
        return
    crawl = entry.number
    del session.crawl_ids[crawl]
    queued = session.connection.execute(
        "SELECT host, count(*) FROM queue WHERE crawl = ? GROUP BY host", (crawl,)
    ).fetchall()
    session.write_rows(
        "UPDATE hosts SET queued = queued - (value->>1) FROM json_each(:rows) WHERE number = (value->>0)",
        queued,
    )
    for table in ("outcomes", "attempts"):
        session.run(
            f"DELETE FROM {table} WHERE link IN (SELECT number FROM links WHERE crawl = :crawl)",  # noqa: S608
            crawl=crawl,
        )
    for table in ("queue", "deferred", "records", "skips", "templates", "host_progress", "links"):
        session.run(f"DELETE FROM {table} WHERE crawl = :crawl", crawl=crawl)  # noqa: S608
    session.run("DELETE FROM crawls WHERE number = :crawl", crawl=crawl)
    _take_from_leases(session, crawl)


def _take_from_leases(session: Session, crawl: int) -> None:
    """Leases lose the links of a crawl; those that held no others end."""
    ended = []
    for lease in session.leases.values():
        lease.links = [link for link in lease.links if link[2] != crawl]
        if not lease.links:
            ended.append(Settlement(lease.fence, ()))
        session.run(
            "UPDATE leases SET links = :links WHERE fence = :fence",
            links=msgspec.json.encode(lease.links).decode(),
            fence=lease.fence,
        )
    settle(session, ended)
