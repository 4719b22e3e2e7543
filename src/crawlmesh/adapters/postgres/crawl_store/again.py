"""Starting links or whole crawls again, and forgetting them."""

from collections.abc import Sequence

import msgspec

from crawlmesh.adapters.postgres.crawl_store.changes import Changes
from crawlmesh.adapters.postgres.crawl_store.session import (
    CrawlRow,
    LeaseEntry,
    Link,
    Session,
    clean,
    unknown_crawl,
)
from crawlmesh.adapters.postgres.crawl_store.settling import end_leases
from crawlmesh.adapters.postgres.crawl_store.tables import CRAWL_TABLES

_LEASES_OF = """
SELECT fence, host, slots, links FROM leases WHERE crawls @> ARRAY[$1::integer] ORDER BY fence FOR UPDATE
"""

_QUEUE_ALL = """
WITH again AS (
    INSERT INTO queue{ending} (crawl, host, rank, link, attempt)
    SELECT links.crawl, links.host, 10 - links.priority, links.number, 0
    FROM outcomes{ending} AS outcomes
    JOIN links{ending} AS links ON links.crawl = outcomes.crawl AND links.number = outcomes.link
    WHERE outcomes.crawl = $1
        AND NOT EXISTS (SELECT FROM queue{ending} AS queue
                        WHERE queue.crawl = links.crawl AND queue.host = links.host
                        AND queue.rank = 10 - links.priority AND queue.link = links.number)
        AND NOT EXISTS (SELECT FROM deferred
                        WHERE deferred.crawl = links.crawl AND deferred.link = links.number)
        AND NOT EXISTS (SELECT FROM unnest($2::bigint[]) AS leased (link) WHERE leased.link = links.number)
    RETURNING host, link
), forgotten AS (
    DELETE FROM outcomes{ending} AS outcomes USING again
    WHERE outcomes.crawl = $1 AND outcomes.link = again.link AND kind = 'dead'
)
SELECT host, count(*) FROM again GROUP BY host
"""

# A link that is tried again has no outcome until it ends: those that say dead are.
_QUEUE_DEAD = """
WITH again AS (
    DELETE FROM outcomes{ending} AS outcomes USING links{ending} AS links
    WHERE outcomes.crawl = $1 AND kind = 'dead'
        AND links.crawl = outcomes.crawl AND links.number = outcomes.link
        AND ($2::text IS NULL OR coalesce(reason, 'unknown') = $2)
        AND ($3::bytea[] IS NULL OR links.fingerprint = ANY ($3))
    RETURNING links.host, links.priority, links.number, coalesce(reason, 'unknown') AS reason
), queued AS (
    INSERT INTO queue{ending} (crawl, host, rank, link, attempt)
    SELECT $1, host, 10 - priority, number, 0 FROM again
)
SELECT host, reason, count(*) FROM again GROUP BY host, reason
"""

# Shares are changed last: whoever has a host of them locked may wait for them, but not be waited for.
_FORGET_RESULTS = "UPDATE shares SET done = 0, dead = 0, requests = 0, elapsed = 0 WHERE crawl = $1"

_START_COUNTERS_AGAIN = """
DELETE FROM counters WHERE crawl = $1 AND name NOT IN ('pending', 'leased', 'records')
"""

_SHARED_TABLES = ("deferred", "shares", "counters")

_KEEP_LINKS = "UPDATE leases SET links = $2, crawls = array_remove(crawls, $3::integer) WHERE fence = $1"

_encode = msgspec.json.Encoder().encode
_decode_links = msgspec.json.Decoder(list[Link]).decode


async def retry_dead(
    session: Session, crawl_id: str, reason: str | None, fingerprints: Sequence[bytes] | None
) -> int:
    """Make dead links pending again: all, those of a reason, those among these."""
    row = await _alone(session, crawl_id)
    named = None if fingerprints is None else list(fingerprints)
    changes = Changes()
    again = 0
    statement = _QUEUE_DEAD.format(ending=row.ending)
    for host, died_of, number in await session.fetch(statement, row.number, clean(reason), named):
        share = changes.share(row.number, host)
        share.ready += number
        share.dead -= number
        changes.count(row.number, f"by_reason/{died_of}", -number)
        again += number
    changes.count(row.number, "dead", -again)
    changes.count(row.number, "pending", again)
    await changes.write(session)
    return again


async def recrawl(session: Session, crawl_id: str) -> int:
    """Make all done and dead links pending again."""
    row = await _alone(session, crawl_id)
    await session.run("UPDATE crawls SET revisits = true WHERE number = $1", row.number)
    for table in ("skips", "templates"):
        await session.run(f"DELETE FROM {table}{row.ending} WHERE crawl = $1", row.number)  # noqa: S608
    await _queue_all(session, row)
    await session.run(_FORGET_RESULTS, row.number)
    await session.run(_START_COUNTERS_AGAIN, row.number)
    pending = "SELECT sum(value)::bigint FROM counters WHERE crawl = $1 AND name = 'pending'"
    return await session.one(pending, row.number) or 0


async def delete_crawl(session: Session, crawl_id: str) -> None:
    """Forget a crawl and all that belongs to it; leases lose its links, and end where they hold no others."""
    row = await session.enter_alone(crawl_id)
    if row is None:
        return
    await session.plan_freely()
    leases = await _leases_of(session, row)
    for lease in leases.values():
        lease.links = [link for link in lease.links if link[0] != row.number]
        await session.run(_KEEP_LINKS, lease.fence, _encode(lease.links).decode(), row.number)
    await end_leases(session, {}, {fence: lease for fence, lease in leases.items() if not lease.links})
    await _delete_tables(session, row)
    for table in _SHARED_TABLES:
        await session.run(f"DELETE FROM {table} WHERE crawl = $1", row.number)  # noqa: S608
    await session.run("DELETE FROM crawls WHERE number = $1", row.number)


async def _delete_tables(session: Session, row: CrawlRow) -> None:
    """Drop the tables of a large crawl: that costs the same whatever is in them."""
    if row.own_tables:
        await session.run("DROP TABLE " + ", ".join(f"{table}{row.ending}" for table in CRAWL_TABLES))
        return
    for table in CRAWL_TABLES:
        await session.run(f"DELETE FROM {table}{row.ending} WHERE crawl = $1", row.number)  # noqa: S608


async def _alone(session: Session, crawl_id: str) -> CrawlRow:
    row = await session.enter_alone(crawl_id)
    if row is None:
        raise unknown_crawl(crawl_id)
    await session.plan_freely()
    return row


async def _leases_of(session: Session, row: CrawlRow) -> dict[int, LeaseEntry]:
    return {
        fence: LeaseEntry(fence, host, slots, _decode_links(links))
        for fence, host, slots, links in await session.fetch(_LEASES_OF, row.number)
    }


async def _queue_all(session: Session, row: CrawlRow) -> None:
    leases = await _leases_of(session, row)
    leased = [link[1] for lease in leases.values() for link in lease.links if link[0] == row.number]
    changes = Changes()
    for host, number in await session.fetch(_QUEUE_ALL.format(ending=row.ending), row.number, leased):
        changes.share(row.number, host).ready += number
        changes.count(row.number, "pending", number)
    await changes.write(session)
