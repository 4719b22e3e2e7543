"""Settling, renewing and expiring leases."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

import msgspec

from crawlmesh.adapters.sqlite.adding import add_links, add_skips, count_host_progress, count_queued
from crawlmesh.adapters.sqlite.session import LeaseEntry, Session
from crawlmesh.model.host import HostReport, HostState
from crawlmesh.model.lease import Renewal, Settlement
from crawlmesh.model.link import NewLink, SkippedLink
from crawlmesh.model.outcome import LinkOutcome, OutcomeKind
from crawlmesh.rules.host_limits import limited

_OUTCOMES = """INTO outcomes (link, kind, attempt, http_status, reason, final_url, fetched_at, elapsed,
                                 size, etag, last_modified, archive, dead_in)
SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6, value->>7,
       value->>8, value->>9, value->>10, value->>11, value->>12
FROM json_each(:rows)
"""
_INSERT_OUTCOMES = f"INSERT OR REPLACE {_OUTCOMES}"

# A page that has not changed keeps its record, its validators and its place in the archive.
_REVISIT_OUTCOMES = f"INSERT {_OUTCOMES} WHERE true ON CONFLICT (link) DO UPDATE SET kind = excluded.kind"

_DELETE_RECORDS = "DELETE FROM records WHERE link IN (SELECT value->>0 FROM json_each(:rows))"

_INSERT_ATTEMPTS = """
INSERT INTO attempts (link, number, at, kind, http_status, reason, elapsed)
SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5, value->>6 FROM json_each(:rows)
"""

_WITH_RECORD = """
SELECT json_group_array(value->>1) FROM json_each(:rows)
WHERE EXISTS (SELECT 1 FROM records WHERE link = (value->>0))
"""

# All records come as one blob, because a blob is cut at no cost and a JSON string is not.
_INSERT_RECORDS = """
INSERT OR REPLACE INTO records (link, crawl, data)
SELECT value->>0, value->>1, substr(:data, value->>2, value->>3) FROM json_each(:rows)
"""

_REQUEUE = """
INSERT INTO queue (link, rank, crawl, attempt, host)
SELECT value->>0, value->>1, value->>2, value->>3, value->>4 FROM json_each(:rows)
"""

_DEFER = """
INSERT INTO deferred (link, rank, crawl, attempt, host, due)
SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5 FROM json_each(:rows)
"""

_COUNT_HOST_RESULTS = """
INSERT INTO host_progress (crawl, host, done, dead, requests, elapsed)
SELECT value->>0, value->>1, value->>2, value->>3, value->>4, value->>5 FROM json_each(:rows) WHERE true
ON CONFLICT (crawl, host) DO UPDATE SET done = done + excluded.done, dead = dead + excluded.dead,
    requests = requests + excluded.requests, elapsed = elapsed + excluded.elapsed
"""

_UPDATE_STATES = """
UPDATE hosts SET state = value->>1, delay = value->>2, slots = value->>3, exclusive = value->>4
FROM json_each(:rows) WHERE number = (value->>0)
"""

# A host rests for what was reported, or for its delay, as it is after the update above.
_RELEASE_HOSTS = """
UPDATE hosts SET used = used - (value->>1), leases = leases - 1,
    ready_at = max(ready_at, :now + coalesce(value->>2, delay))
FROM json_each(:rows) WHERE number = (value->>0)
"""

_REST_HOSTS = """
UPDATE hosts SET ready_at = max(ready_at, :now + (value->>1)) FROM json_each(:rows) WHERE number = (value->>0)
"""

_DELETE_LEASES = "DELETE FROM leases WHERE fence IN (SELECT value FROM json_each(:rows))"

_KEEP_LINKS = """
UPDATE leases SET links = value->>1 FROM json_each(:rows) WHERE fence = (value->>0)
"""

_RENEW_LEASES = """
UPDATE leases SET expires_at = value->>1 FROM json_each(:rows) WHERE fence = (value->>0)
"""

_DONE = {OutcomeKind.FETCHED, OutcomeKind.NOT_MODIFIED, OutcomeKind.REDIRECTED, OutcomeKind.SKIPPED}


def settle(session: Session, settlements: Sequence[Settlement]) -> list[bool]:
    """End host batches."""
    ending = _Ending(session)
    taken = [ending.settle(settlement) for settlement in settlements]
    ending.write()
    return taken


def expire(session: Session, node_id: str | None, *, everything: bool) -> int:
    """End leases that ran out, those of a dead node, or all of them."""
    now = session.clock.now()
    fences = [
        entry.fence
        for entry in session.leases.values()
        if everything or entry.expires_at <= now or entry.node_id == node_id
    ]
    ending = _Ending(session)
    for fence in fences:
        ending.settle(Settlement(fence, ()))
    ending.write()
    return len(fences)


def renew(session: Session, renewals: Sequence[Renewal]) -> list[bool]:
    """Give leases more time."""
    now = session.clock.now()
    answers, moments, states, rests = [], [], [], []
    for renewal in renewals:
        entry = session.leases.get(renewal.fence)
        answers.append(entry is not None)
        if entry is None:
            continue
        entry.expires_at = now + renewal.duration
        moments.append((entry.fence, entry.expires_at))
        if renewal.report is not None:
            rests.append((entry.host, renewal.report.rest or 0.0))
            if renewal.report.state is not None:
                states.append(_state_row(session, entry.host, renewal.report.state))
    session.write_rows(_RENEW_LEASES, moments)
    session.write_rows(_UPDATE_STATES, states)
    session.write_rows(_REST_HOSTS, rests, now=now)
    return answers


class _Ending:
    """One settle or expire call under way: gathers rows over all batches, then writes them."""

    def __init__(self, session: Session) -> None:
        self._session = session
        self._now = session.clock.now()
        self._fences: list[int] = []
        self._rests: list[tuple[int, float]] = []
        self._kept: list[tuple[int, str]] = []  # leases that live on, with the links that are left
        self._releases: list[tuple[int, int, float | None]] = []
        self._states: list[tuple[Any, ...]] = []
        self._outcomes: list[tuple[Any, ...]] = []
        self._revisits: list[tuple[Any, ...]] = []
        self._recordless: list[tuple[int, int]] = []  # link and crawl of those that may have had a record
        self._attempts: list[tuple[Any, ...]] = []
        self._records: list[tuple[int, int, int, int]] = []
        self._record_data = bytearray()
        self._requeued: list[tuple[int, ...]] = []
        self._deferred: list[tuple[float, ...]] = []
        self._host_results: dict[tuple[int, int], list[float]] = {}
        self._discovered: list[NewLink] = []
        self._skipped: list[SkippedLink] = []

    def settle(self, settlement: Settlement) -> bool:
        """End one batch; False where its fence is not that of a live lease."""
        entry = self._session.leases.get(settlement.fence)
        if entry is None:
            return False
        outcomes = {outcome.link_id: outcome for outcome in settlement.outcomes}
        unfinished = set(settlement.unfinished) - outcomes.keys()
        for link in entry.links:
            outcome = outcomes.get(link[0])
            if outcome is None or outcome.kind is OutcomeKind.RETURNED:
                if link[0] not in unfinished:
                    self._return(entry, link)
            else:
                self._end(entry, link, outcome)
        entry.links = [link for link in entry.links if link[0] in unfinished]
        self._end_lease(entry, settlement.report)
        crawls = self._session.crawls  # a crawl may have been deleted since its links were leased
        self._discovered.extend(link for link in settlement.discovered if link.crawl_id in crawls)
        self._skipped.extend(skip for skip in settlement.skipped if skip.crawl_id in crawls)
        return True

    def _end_lease(self, entry: LeaseEntry, report: HostReport) -> None:
        if report.state is not None:
            self._states.append(_state_row(self._session, entry.host, report.state))
        if entry.links:
            self._kept.append((entry.fence, msgspec.json.encode(entry.links).decode()))
            self._rests.append((entry.host, report.rest or 0.0))
            return
        del self._session.leases[entry.fence]
        self._fences.append(entry.fence)
        self._releases.append((entry.host, entry.slots, report.rest))

    def _return(self, entry: LeaseEntry, link: tuple[int, int, int, int]) -> None:
        number, rank, crawl, attempt = link
        self._requeued.append((number, rank, crawl, attempt, entry.host))
        counters = self._session.touch(self._session.entry_of(crawl))
        counters.leased -= 1
        counters.pending += 1

    def _end(self, entry: LeaseEntry, link: tuple[int, int, int, int], outcome: LinkOutcome) -> None:
        number, rank, crawl, attempt = link
        counters = self._session.touch(self._session.entry_of(crawl))
        counters.count_attempt(outcome)
        counters.leased -= 1
        results = self._host_results.setdefault((crawl, entry.host), [0, 0, 0, 0.0])
        results[2] += 1
        results[3] += outcome.elapsed
        if outcome.kind in _DONE:
            counters.done += 1
            results[0] += 1
            self._finish(crawl, outcome, attempt + 1)
            return
        self._attempts.append(_attempt_row(outcome, attempt + 1))
        if outcome.kind is OutcomeKind.DEAD:
            counters.dead += 1
            results[1] += 1
            self._end_visit(crawl, outcome, attempt + 1)
            return
        counters.pending += 1
        due = self._now + outcome.retry_in
        self._deferred.append((number, rank, crawl, attempt + 1, entry.host, due))

    def _finish(self, crawl: int, outcome: LinkOutcome, attempt: int) -> None:
        if outcome.kind is OutcomeKind.NOT_MODIFIED:
            self._revisits.append(_outcome_row(crawl, outcome, attempt))
            self._attempts.append(_attempt_row(outcome, attempt))
            return
        self._end_visit(crawl, outcome, attempt)
        if outcome.record is not None:
            self._records.append((outcome.link_id, crawl, len(self._record_data) + 1, len(outcome.record)))
            self._record_data += outcome.record

    def _end_visit(self, crawl: int, outcome: LinkOutcome, attempt: int) -> None:
        self._outcomes.append(_outcome_row(crawl, outcome, attempt))
        if outcome.record is None and self._session.entry_of(crawl).revisits:
            self._recordless.append((outcome.link_id, crawl))

    def write(self) -> None:
        """Write all that was gathered, in this order: hosts take their new state before they rest."""
        session = self._session
        self._write_links()
        session.write_rows(_UPDATE_STATES, self._states)
        self._write_releases()
        session.write_rows(_DELETE_LEASES, self._fences)
        session.write_rows(_KEEP_LINKS, self._kept)
        session.write_rows(_REST_HOSTS, self._rests, now=self._now)
        session.write_rows(_COUNT_HOST_RESULTS, [(*key, *row) for key, row in self._host_results.items()])
        _, trapped = add_links(session, self._discovered)
        add_skips(session, [*self._skipped, *trapped])
        session.flush()

    def _write_links(self) -> None:
        session = self._session
        session.write_rows(_INSERT_OUTCOMES, self._outcomes)
        session.write_rows(_REVISIT_OUTCOMES, self._revisits)
        session.write_rows(_INSERT_ATTEMPTS, self._attempts)
        self._write_records()
        session.write_rows(_REQUEUE, self._requeued)
        session.write_rows(_DEFER, self._deferred)
        count_queued(session, Counter((row[2], row[4]) for row in self._requeued))
        count_host_progress(session, Counter((int(row[2]), int(row[4])) for row in self._deferred))

    def _write_records(self) -> None:
        session = self._session
        revisited = [row[:2] for row in self._records if session.entry_of(row[1]).revisits]
        counts = Counter(row[1] for row in self._records)
        counts.subtract(self._crawls_with_record(revisited + self._recordless))
        session.write_rows(_DELETE_RECORDS, self._recordless)
        session.write_rows(_INSERT_RECORDS, self._records, data=self._record_data)
        for crawl, number in counts.items():
            session.touch(session.entry_of(crawl)).records += number

    def _crawls_with_record(self, links: list[tuple[int, int]]) -> list[int]:
        """The crawls of those links that have a record from an earlier visit, each as often."""
        if not links:
            return []
        found = self._session.one(_WITH_RECORD, rows=msgspec.json.encode(links).decode())
        return msgspec.json.decode(found, type=list[int])

    def _write_releases(self) -> None:
        """Release hosts in rounds, because one UPDATE … FROM changes a host only once."""
        waiting = self._releases
        while waiting:
            seen: set[int] = set()
            now: list[tuple[int, int, float | None]] = []
            later: list[tuple[int, int, float | None]] = []
            for row in waiting:
                (later if row[0] in seen else now).append(row)
                seen.add(row[0])
            self._session.write_rows(_RELEASE_HOSTS, now, now=self._now)
            waiting = later


def _state_row(session: Session, host: int, state: HostState) -> tuple[Any, ...]:
    leased_as = limited(state, session.limits_of(host))
    kept = msgspec.json.encode(state).decode()
    return (host, kept, leased_as.delay, leased_as.slots, int(leased_as.exclusive))


def _outcome_row(crawl: int, outcome: LinkOutcome, attempt: int) -> tuple[Any, ...]:
    return (
        outcome.link_id,
        outcome.kind,
        attempt,
        outcome.http_status,
        outcome.reason,
        outcome.final_url,
        outcome.fetched_at,
        outcome.elapsed,
        outcome.size,
        outcome.etag,
        outcome.last_modified,
        outcome.archive,
        crawl if outcome.kind is OutcomeKind.DEAD else None,
    )


def _attempt_row(outcome: LinkOutcome, attempt: int) -> tuple[Any, ...]:
    return (
        outcome.link_id,
        attempt,
        outcome.fetched_at,
        outcome.kind,
        outcome.http_status,
        outcome.reason,
        outcome.elapsed,
    )
