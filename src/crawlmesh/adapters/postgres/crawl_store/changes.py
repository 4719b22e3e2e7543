"""What a transaction changes of the queue, of hosts, of their shares and of counters: gathered, then written.

Everybody changes these rows, so they are written last, in one order, and with one statement for each table.
"""

from collections import Counter, defaultdict
from typing import Any

import msgspec

from crawlmesh.adapters.postgres.crawl_store.session import Session, clean
from crawlmesh.errors import StoreCorruptError
from crawlmesh.model.host import HostReport, HostState
from crawlmesh.model.outcome import LinkOutcome, OutcomeKind

_SHARDS = 8

LEASABLE = "hosts.used < hosts.slots AND (hosts.leases = 0 OR NOT hosts.exclusive)"

_QUEUE = """
INSERT INTO queue (crawl, host, rank, link, attempt)
SELECT * FROM unnest($1::integer[], $2::bigint[], $3::smallint[], $4::bigint[], $5::integer[])
"""

_LOCK_HOSTS = "SELECT number FROM hosts WHERE number = ANY($1::bigint[]) ORDER BY number FOR NO KEY UPDATE"

# A host rests for what was reported, or for its delay, as it is after this very update.
_CHANGE_HOSTS = """
UPDATE hosts SET
    used = hosts.used - given.used, leases = hosts.leases - given.leases,
    ready_at = greatest(hosts.ready_at, $10 + given.rest,
                        CASE WHEN given.delayed THEN $10 + coalesce(given.delay, hosts.delay) END),
    state = coalesce(given.state, hosts.state), delay = coalesce(given.delay, hosts.delay),
    slots = coalesce(given.slots, hosts.slots), exclusive = coalesce(given.exclusive, hosts.exclusive)
FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::double precision[], $5::boolean[], $6::text[],
            $7::double precision[], $8::integer[], $9::boolean[])
    AS given (host, used, leases, rest, delayed, state, delay, slots, exclusive)
WHERE hosts.number = given.host
"""

_CHANGE_SHARES = """
INSERT INTO shares (host, crawl, ready, waiting, done, dead, requests, elapsed, since, turn_at)
SELECT *, $9, $9 FROM unnest($1::bigint[], $2::integer[], $3::integer[], $4::integer[], $5::bigint[],
                             $6::bigint[], $7::bigint[], $8::double precision[])
ON CONFLICT (crawl, host) DO UPDATE SET
    ready = shares.ready + excluded.ready, waiting = shares.waiting + excluded.waiting,
    done = shares.done + excluded.done, dead = shares.dead + excluded.dead,
    requests = shares.requests + excluded.requests, elapsed = shares.elapsed + excluded.elapsed,
    since = CASE WHEN shares.ready = 0 THEN excluded.since ELSE shares.since END
"""

_SET_TURNS = f"""
UPDATE shares SET turn_at = turn.at
FROM hosts CROSS JOIN LATERAL (
    SELECT others.crawl,
           CASE WHEN {LEASABLE} THEN greatest(hosts.ready_at, others.since) ELSE 'infinity' END AS at
    FROM shares AS others WHERE others.host = hosts.number AND others.ready > 0
) AS turn
WHERE hosts.number = ANY($1::bigint[])
    AND shares.host = hosts.number AND shares.crawl = turn.crawl AND shares.turn_at <> turn.at
"""  # noqa: S608

_COUNT = """
INSERT INTO counters (crawl, shard, name, value)
SELECT crawl, pg_backend_pid() % $4, name, value
FROM unnest($1::integer[], $2::text[], $3::bigint[]) AS given (crawl, name, value)
ON CONFLICT (crawl, shard, name) DO UPDATE SET value = counters.value + excluded.value
"""

_PAGES = {OutcomeKind.FETCHED, OutcomeKind.NOT_MODIFIED}

_encode_state = msgspec.json.Encoder().encode


class ShareChange(msgspec.Struct):
    """What to add to a share."""

    ready: int = 0
    waiting: int = 0
    done: int = 0
    dead: int = 0
    requests: int = 0
    elapsed: float = 0.0


class HostChange(msgspec.Struct):
    """What becomes of a host. `used` and `leases` are given back, so they are taken where negative."""

    used: int = 0
    leases: int = 0
    rest: float | None = None
    delayed: bool = False
    state: HostState | None = None

    def rest_for(self, seconds: float | None) -> None:
        """Rest that long, or for the delay; a rest never cuts a longer one short."""
        if seconds is None:
            self.delayed = True
        else:
            self.rest = seconds if self.rest is None else max(self.rest, seconds)

    def take(self, report: HostReport) -> None:
        """Take over what was learnt about the host, but for the rest."""
        if report.state is not None:
            self.state = report.state


class Changes:
    """Everything that is written at the end of a transaction."""

    def __init__(self) -> None:
        self._queue: list[tuple[int, int, int, int, int]] = []
        self._shares: defaultdict[tuple[int, int], ShareChange] = defaultdict(
            ShareChange
        )  # by host and crawl
        self._hosts: defaultdict[int, HostChange] = defaultdict(HostChange)
        self._counters: defaultdict[int, Counter[str]] = defaultdict(Counter)  # by crawl

    def queue(self, crawl: int, host: int, rank: int, link: int, attempt: int) -> None:
        """Let a link be leased, and count it in its share."""
        self._queue.append((crawl, host, rank, link, attempt))
        self._shares[host, crawl].ready += 1

    def share(self, crawl: int, host: int) -> ShareChange:
        """The share of a host in a crawl, to be changed."""
        return self._shares[host, crawl]

    def host(self, number: int) -> HostChange:
        """A host, to be changed."""
        return self._hosts[number]

    def count(self, crawl: int, name: str, value: int = 1) -> None:
        """Add to a counter of a crawl."""
        self._counters[crawl][name] += value

    def count_skips(self, crawl: int, rule: str, number: int = 1) -> None:
        """Count what a rule kept out."""
        self.count(crawl, f"by_rule/{rule}", number)
        self.count(crawl, "skipped", number)

    def count_attempt(self, crawl: int, outcome: LinkOutcome) -> None:
        """Count one settled attempt (not one that was returned)."""
        self.count(crawl, f"by_outcome/{outcome.kind.value}")
        self.count(crawl, "bytes", outcome.size)
        if outcome.http_status is not None:
            self.count(crawl, f"by_status/{outcome.http_status}")
        if outcome.kind in _PAGES:
            self.count(crawl, "pages")
        elif outcome.kind is OutcomeKind.RETRY:
            self.count(crawl, "retries")
        elif outcome.kind is OutcomeKind.DEAD:
            self.count(crawl, f"by_reason/{outcome.reason or 'unknown'}")
        elif outcome.kind is OutcomeKind.SKIPPED:
            self.count_skips(crawl, outcome.reason or "unknown")

    async def write(self, session: Session) -> None:
        """Write it all; nothing may be locked after this."""
        await session.write_rows(_QUEUE, self._queue)
        await self._write_hosts(session)
        rows = [
            (crawl, clean(name), value)
            for crawl, counts in sorted(self._counters.items())
            for name, value in sorted(counts.items())
            if value
        ]
        await session.write_rows(_COUNT, rows, _SHARDS)

    async def _write_hosts(self, session: Session) -> None:
        touched = sorted({host for host, _ in self._shares} | self._hosts.keys())
        if not touched:
            return
        locked = await session.fetch(_LOCK_HOSTS, touched)
        if len(locked) != len(touched):
            raise StoreCorruptError("Hosts are missing from the crawl store; restore it from a backup.")
        now = await session.moment()
        rows = [_host_row(host, change) for host, change in sorted(self._hosts.items())]
        await session.write_rows(_CHANGE_HOSTS, rows, now)
        shares = [(*key, *msgspec.structs.astuple(change)) for key, change in sorted(self._shares.items())]
        await session.write_rows(_CHANGE_SHARES, shares, now)
        await session.run(_SET_TURNS, touched)


def _host_row(host: int, change: HostChange) -> tuple[Any, ...]:
    row = (host, change.used, change.leases, change.rest, change.delayed)
    state = change.state
    if state is None:
        return (*row, None, None, None, None)
    return (*row, _encode_state(state).decode(), state.delay, state.slots, state.exclusive)
