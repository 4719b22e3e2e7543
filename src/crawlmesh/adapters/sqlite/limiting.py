"""Hosts over all crawls: the limits that users lay down, and what people are shown of them."""

from typing import Any

import msgspec

from crawlmesh.adapters.sqlite.session import Session
from crawlmesh.model.host import HostLimits, HostState, HostStatus
from crawlmesh.rules.host_limits import limited

_KEEP = """
INSERT INTO host_limits (name, limits) VALUES (:host, :limits)
ON CONFLICT (name) DO UPDATE SET limits = excluded.limits
"""

_APPLY = """
UPDATE hosts SET delay = :delay, slots = :slots, exclusive = :exclusive, blocked = :blocked
WHERE number = :number
"""

_STATUSES = """
SELECT chosen.name, hosts.state, host_limits.limits, total(progress.queued), coalesce(hosts.used, 0),
       total(progress.done), total(progress.dead), total(progress.elapsed), total(progress.requests),
       coalesce(hosts.ready_at, 0.0)
FROM ({chosen}) AS chosen
LEFT JOIN hosts ON hosts.name = chosen.name
LEFT JOIN host_limits ON host_limits.name = chosen.name
LEFT JOIN host_progress AS progress ON progress.host = hosts.number
GROUP BY chosen.name ORDER BY chosen.name
"""

_ONE = "SELECT name FROM hosts WHERE name = :host UNION SELECT name FROM host_limits WHERE name = :host"

_NEXT_ONES = """
SELECT name FROM hosts WHERE name > :after AND instr(name, :search)
UNION SELECT name FROM host_limits WHERE name > :after AND instr(name, :search)
ORDER BY name LIMIT :limit
"""

_decode_state = msgspec.json.Decoder(HostState).decode
_decode_limits = msgspec.json.Decoder(HostLimits).decode


def limit_host(session: Session, host: str, limits: HostLimits) -> None:
    """Lay limits down for a host, whether it is known or not."""
    if limits == HostLimits():
        session.run("DELETE FROM host_limits WHERE name = :host", host=host)
    else:
        session.run(_KEEP, host=host, limits=msgspec.json.encode(limits))
    row = session.connection.execute("SELECT number, state FROM hosts WHERE name = ?", (host,)).fetchone()
    session.remember_limits(host, row[0] if row else None, limits)
    if row:
        leased_as = limited(_decode_state(row[1]), limits)
        session.run(
            _APPLY,
            number=row[0],
            delay=leased_as.delay,
            slots=leased_as.slots,
            exclusive=int(leased_as.exclusive),
            blocked=int(limits.blocked),
        )


def host_status(session: Session, host: str) -> HostStatus | None:
    """One host over all crawls."""
    found = _statuses(session, _ONE, host=host)
    return found[0] if found else None


def all_hosts(session: Session, after: str, limit: int, search: str) -> list[HostStatus]:
    """The hosts with names above `after`, in the order of their names."""
    return _statuses(session, _NEXT_ONES, after=after, limit=limit, search=search)


def _statuses(session: Session, chosen: str, **parameters: Any) -> list[HostStatus]:
    now = session.clock.now()
    rows = session.connection.execute(_STATUSES.format(chosen=chosen), parameters)
    return [
        HostStatus(
            host=name,
            state=_decode_state(state) if state else HostState(name),
            limits=_decode_limits(limits) if limits else HostLimits(),
            queued=int(queued),
            running=running,
            done=int(done),
            dead=int(dead),
            mean_elapsed=elapsed / requests if requests else 0.0,
            ready_in=max(0.0, ready_at - now),
        )
        for name, state, limits, queued, running, done, dead, elapsed, requests, ready_at in rows
    ]
