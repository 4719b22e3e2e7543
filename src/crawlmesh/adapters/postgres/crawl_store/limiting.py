"""Hosts over all crawls, and the limits that users lay down for them."""

import asyncpg
import msgspec

from crawlmesh.adapters.postgres.crawl_store.session import Session, clean, digest_of
from crawlmesh.model.host import HostLimits, HostState, HostStatus

_LIMIT = """
INSERT INTO hosts (digest, name, state, delay, slots, exclusive, ready_at, met,
                   limit_delay, limit_slots, blocked)
VALUES ($1, $2, $3, 0, 1, true, $4, false, $5, $6, $7)
ON CONFLICT (digest) DO UPDATE SET
    limit_delay = excluded.limit_delay, limit_slots = excluded.limit_slots, blocked = excluded.blocked
RETURNING number
"""

_FORGET = "DELETE FROM hosts WHERE digest = $1 AND NOT met"

_STATUS = """
SELECT name, state, limit_delay, limit_slots, blocked, coalesce(queued, 0), used, coalesce(done, 0),
       coalesce(dead, 0), CASE WHEN requests > 0 THEN elapsed / requests ELSE 0.0 END, ready_at, met
FROM hosts LEFT JOIN LATERAL (
    SELECT sum(ready + waiting)::bigint AS queued, sum(done)::bigint AS done, sum(dead)::bigint AS dead,
           sum(requests)::bigint AS requests, sum(elapsed) AS elapsed
    FROM shares WHERE shares.host = hosts.number
) AS total ON true
"""

_ONE = f"{_STATUS} WHERE digest = $1"

# The index holds the beginnings of names; names of the same beginning are few.
_PAGE = f"""
{_STATUS}
WHERE left(name, 200) COLLATE "C" >= left($1, 200) AND name COLLATE "C" > $1
    AND ($3::text = '' OR strpos(name, $3) > 0)
ORDER BY left(name, 200) COLLATE "C", name COLLATE "C" LIMIT $2
"""

_encode = msgspec.json.Encoder().encode
_decode_state = msgspec.json.Decoder(HostState).decode


async def limit_host(session: Session, host: str, limits: HostLimits) -> None:
    """Lay limits down for a host, whether it is known or not."""
    digest = digest_of(host)
    state = _encode(HostState(host)).decode()
    number = await session.one(
        _LIMIT,
        digest,
        clean(host),
        state,
        await session.moment(),
        limits.delay,
        limits.slots,
        limits.blocked,
    )
    await session.run("SELECT set_turns($1)", [number])
    if limits == HostLimits():
        await session.run(_FORGET, digest)


async def host_status(session: Session, host: str) -> HostStatus | None:
    """One host over all crawls."""
    now = await session.moment()
    rows = await session.fetch(_ONE, digest_of(host))
    return _status(rows[0], now) if rows else None


async def all_hosts(session: Session, after: str, limit: int, search: str) -> list[HostStatus]:
    """Hosts in the order of their names."""
    now = await session.moment()
    rows = await session.fetch(_PAGE, clean(after), limit, clean(search))
    return [_status(row, now) for row in rows]


def _status(row: asyncpg.Record, now: float) -> HostStatus:
    name, state, delay, slots, blocked, queued, used, done, dead, mean, ready_at, met = row
    return HostStatus(
        host=name,
        state=_decode_state(state),
        limits=HostLimits(delay, slots, blocked),
        queued=queued,
        running=used,
        done=done,
        dead=dead,
        mean_elapsed=mean,
        ready_in=max(0.0, ready_at - now) if met else 0.0,
    )
