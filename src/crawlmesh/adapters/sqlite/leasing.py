"""Leasing: which hosts are ready, and which of their links go out."""

from collections import Counter
from typing import Any

import msgspec

from crawlmesh.adapters.sqlite.adding import count_host_progress, count_queued
from crawlmesh.adapters.sqlite.session import CrawlEntry, LeaseEntry, Session
from crawlmesh.model.host import HostState
from crawlmesh.model.lease import HostBatch, LeaseGrant, LeaseRequest
from crawlmesh.model.link import FoundBy, LeasedLink
from crawlmesh.rules.host_limits import limited

_LEASABLE = (  # as in the index hosts_ready
    "queued > 0 AND used < slots AND (leases = 0 OR exclusive = 0) AND blocked = 0"
)

_OF_ELIGIBLE_CRAWLS = """
AND EXISTS (SELECT 1 FROM queue WHERE queue.host = hosts.number
            AND queue.crawl IN (SELECT value FROM json_each(:crawls)))
"""

_READY_HOSTS = """
SELECT json_group_array(json_array(number, json(state), used)) FROM (
    SELECT number, state, used FROM hosts
    WHERE {leasable} AND ready_at <= :now {eligible} ORDER BY ready_at LIMIT :limit
)
"""

_NEXT_READY = "SELECT min(ready_at) FROM hosts WHERE {leasable} {eligible}"

_LINKS = """
SELECT json_group_array(json_array(
    taken.link, taken.rank, taken.crawl, taken.attempt,
    links.url, links.depth, links.priority, links.request_url, links.redirects,
    links.found_by {validators}
)) FROM (
    SELECT link, rank, crawl, attempt FROM queue
    WHERE host = :host {eligible} ORDER BY rank, link LIMIT :limit
) AS taken CROSS JOIN links ON links.number = taken.link {join}
"""

_DUE = "SELECT json_group_array(json_array(link, rank, crawl, attempt, host)) FROM deferred WHERE due <= :now"

# A deferred link waits for its moment and for its host; the first hundred are near enough to all.
_NEXT_DUE = """
SELECT min(max(due, ready_at)) FROM (SELECT due, host FROM deferred ORDER BY due LIMIT 100) AS first
JOIN hosts ON hosts.number = first.host WHERE blocked = 0
"""

_QUEUE_DUE = """
INSERT INTO queue (host, rank, link, crawl, attempt)
SELECT value->>4, value->>1, value->>0, value->>2, value->>3 FROM json_each(:rows)
"""

_UNQUEUE = """
DELETE FROM queue WHERE (host, rank, link) IN (SELECT value->>0, value->>1, value->>2 FROM json_each(:rows))
"""

_OCCUPY_HOSTS = """
UPDATE hosts SET used = used + (taken.value->>1), leases = leases + 1,
    queued = queued - (taken.value->>2), ready_at = max(ready_at, :now)
FROM json_each(:rows) AS taken WHERE number = (taken.value->>0)
"""

_INSERT_LEASES = """
INSERT INTO leases (fence, node, host, slots, expires_at, links)
SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5 FROM json_each(:rows)
"""


class _ReadyHost(msgspec.Struct, array_like=True, frozen=True):
    number: int
    state: HostState
    used: int


_FOUND_BY = {found_by.value: found_by for found_by in FoundBy}

_decode_hosts = msgspec.json.Decoder(list[_ReadyHost]).decode
_decode_links = msgspec.json.Decoder(list[tuple[Any, ...]]).decode


def lease(session: Session, request: LeaseRequest) -> LeaseGrant:
    """Hand out host batches."""
    now = session.clock.now()
    _queue_due(session, now)
    budgets = _budgets(session, request)
    if not budgets or request.max_links <= 0:
        return LeaseGrant(())
    taking = _Taking(session, request, budgets, now)
    hosts = _decode_hosts(taking.ready_hosts()) if request.max_batches > 0 else []
    for host in hosts:
        if taking.room <= 0:
            break
        taking.take(host)
    taking.write()
    session.flush()
    return LeaseGrant(tuple(taking.batches), _retry_in(session, taking, now))


def _queue_due(session: Session, now: float) -> None:
    due = _decode_links(session.one(_DUE, now=now))
    if due:
        session.run("DELETE FROM deferred WHERE due <= :now", now=now)
        session.write_rows(_QUEUE_DUE, due)
        hosts = Counter((row[2], row[4]) for row in due)
        count_queued(session, hosts)
        count_host_progress(session, Counter({key: -number for key, number in hosts.items()}))


def _budgets(session: Session, request: LeaseRequest) -> dict[int, int | None]:
    """The crawls that may be worked on, and how many links of each may go out."""
    budgets: dict[int, int | None] = {}
    for crawl_id in request.crawl_ids:
        entry = session.crawls.get(crawl_id)
        if entry is None or entry.counters.pending == 0:
            continue
        budget = _budget(entry)
        if budget is None or budget > 0:
            budgets[entry.number] = budget
    return budgets


def _budget(entry: CrawlEntry) -> int | None:
    if entry.crawl.max_pages is None:
        return None
    return entry.crawl.max_pages - entry.counters.pages - entry.counters.leased


def _retry_in(session: Session, taking: "_Taking", now: float) -> float | None:
    moments = [
        session.one(taking.sql(_NEXT_READY), crawls=taking.crawls),
        session.one(_NEXT_DUE),
    ]
    known = [moment for moment in moments if moment is not None]
    return max(0.0, min(known) - now) if known else None


class _Taking:
    """One lease call under way: takes links host by host, then writes all of it at once."""

    def __init__(
        self, session: Session, request: LeaseRequest, budgets: dict[int, int | None], now: float
    ) -> None:
        self.batches: list[HostBatch] = []
        self.room = request.max_links
        self.crawls = msgspec.json.encode(list(budgets)).decode()
        self._session = session
        self._request = request
        self._budgets = budgets
        self._now = now
        with_links = [entry for entry in session.crawls.values() if entry.counters.pending]
        self._filtered = len(with_links) != len(budgets)
        self._revisits = any(entry.revisits for entry in with_links)
        self._entries: list[LeaseEntry] = []

    def sql(self, statement: str) -> str:
        """A statement, narrowed to the eligible crawls where others have links too."""
        return statement.format(leasable=_LEASABLE, eligible=_OF_ELIGIBLE_CRAWLS if self._filtered else "")

    def ready_hosts(self) -> Any:
        """The hosts that may be leased now, those ready the longest first, as JSON."""
        return self._session.one(
            self.sql(_READY_HOSTS), now=self._now, limit=self._request.max_batches, crawls=self.crawls
        )

    def take(self, host: _ReadyHost) -> None:
        """Take a batch of one host."""
        session = self._session
        limits = session.limits_of(host.number)
        leased_as = limited(host.state, limits)
        rows = self._affordable(_decode_links(self._links_of(host.number, leased_as.delay)))
        if not rows:
            return
        session.last_fence += 1
        slots = leased_as.slots - host.used
        if not leased_as.exclusive:
            slots = min(slots, self._request.batch_slots)
        expires_at = self._now + self._request.duration
        entry = LeaseEntry(
            session.last_fence,
            self._request.node_id,
            host.number,
            slots,
            expires_at,
            [(row[0], row[1], row[2], row[3]) for row in rows],
        )
        session.leases[entry.fence] = entry
        self._entries.append(entry)
        self.room -= len(rows)
        links = tuple(_leased_link(session, row) for row in rows)
        self.batches.append(HostBatch(entry.fence, host.state, slots, expires_at, links, limits))

    def _links_of(self, host: int, delay: float) -> Any:
        statement = _LINKS.format(
            eligible="AND crawl IN (SELECT value FROM json_each(:crawls))" if self._filtered else "",
            validators=", outcomes.etag, outcomes.last_modified" if self._revisits else "",
            join="LEFT JOIN outcomes ON outcomes.link = taken.link" if self._revisits else "",
        )
        limit = min(self._request.batch_links, self.room)
        if delay > 0:
            limit = min(limit, max(1, int(self._request.duration / 2 / delay)))
        return self._session.one(statement, host=host, limit=limit, crawls=self.crawls)

    def _affordable(self, rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
        affordable = []
        for row in rows:
            budget = self._budgets[row[2]]
            if budget is not None:
                if budget <= 0:
                    continue
                self._budgets[row[2]] = budget - 1
            affordable.append(row)
        return affordable

    def write(self) -> None:
        """Write all that was taken."""
        session, entries = self._session, self._entries
        taken = [(entry.host, link[1], link[0]) for entry in entries for link in entry.links]
        session.write_rows(_UNQUEUE, taken)
        occupied = [(entry.host, entry.slots, len(entry.links)) for entry in entries]
        session.write_rows(_OCCUPY_HOSTS, occupied, now=self._now)
        session.write_rows(_INSERT_LEASES, [_lease_row(entry) for entry in entries])
        counts = Counter((link[2], entry.host) for entry in entries for link in entry.links)
        count_host_progress(session, Counter({key: -number for key, number in counts.items()}))
        for (crawl, _), number in counts.items():
            counters = session.touch(session.entry_of(crawl))
            counters.pending -= number
            counters.leased += number


def _lease_row(entry: LeaseEntry) -> tuple[Any, ...]:
    links = msgspec.json.encode(entry.links).decode()
    return (entry.fence, entry.node_id, entry.host, entry.slots, entry.expires_at, links)


def _leased_link(session: Session, row: tuple[Any, ...]) -> LeasedLink:
    number, _, crawl, attempt, url, depth, priority, request_url, redirects, found_by, *validators = row
    etag, last_modified = validators or (None, None)
    crawl_id = session.crawl_ids[crawl]
    return LeasedLink(
        number,
        crawl_id,
        url,
        depth,
        priority,
        attempt + 1,
        request_url,
        redirects,
        etag,
        last_modified,
        _FOUND_BY[found_by],
    )
