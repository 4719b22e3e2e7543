"""What a transaction changes of the queue, of hosts, of their shares and of counters: gathered, then written.

Everybody changes these rows, so they are written last, in one order, and in one round trip.
"""

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any

import msgspec

from crawlmesh.adapters.postgres.crawl_store.session import Session, clean
from crawlmesh.errors import StoreCorruptError
from crawlmesh.model.host import HostReport, HostState
from crawlmesh.model.outcome import LinkOutcome, OutcomeKind

_SHARDS = 8

_QUEUE = """
INSERT INTO queue{ending} (crawl, host, rank, link, attempt)
SELECT * FROM unnest($1::integer[], $2::bigint[], $3::smallint[], $4::bigint[], $5::integer[])
"""

_CHANGE = f"SELECT change({', '.join(f'${number}' for number in range(1, 25))})"

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
        self._ended: list[int] = []  # fences
        self._shares: defaultdict[tuple[int, int], ShareChange] = defaultdict(
            ShareChange
        )  # by host and crawl
        self._hosts: defaultdict[int, HostChange] = defaultdict(HostChange)
        self._counters: defaultdict[int, Counter[str]] = defaultdict(Counter)  # by crawl

    def queue(self, crawl: int, host: int, rank: int, link: int, attempt: int) -> None:
        """Let a link be leased, and count it in its share."""
        self._queue.append((crawl, host, rank, link, attempt))
        self._shares[host, crawl].ready += 1

    def end_lease(self, fence: int) -> None:
        """Forget a lease, which is locked."""
        self._ended.append(fence)

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
        await session.write_crawl_rows(_QUEUE, self._queue)
        touched = sorted({host for host, _ in self._shares} | self._hosts.keys())
        counters = [
            (crawl, clean(name), value)
            for crawl, counts in sorted(self._counters.items())
            for name, value in sorted(counts.items())
            if value
        ]
        if not (touched or counters or self._ended):
            return
        hosts = [_host_row(host, change) for host, change in sorted(self._hosts.items())]
        shares = [(*key, *msgspec.structs.astuple(change)) for key, change in sorted(self._shares.items())]
        found = await session.one(
            _CHANGE,
            await session.moment(),
            self._ended,
            touched,
            *_columns(hosts, 9),
            *_columns(shares, 8),
            _SHARDS,
            *_columns(counters, 3),
        )
        if found != len(touched):
            raise StoreCorruptError("Hosts are missing from the crawl store; restore it from a backup.")


def _columns(rows: list[tuple[Any, ...]], width: int) -> list[Sequence[Any]]:
    return list(zip(*rows, strict=True)) if rows else [()] * width


def _host_row(host: int, change: HostChange) -> tuple[Any, ...]:
    row = (host, change.used, change.leases, change.rest, change.delayed)
    state = change.state
    if state is None:
        return (*row, None, None, None, None)
    return (*row, _encode_state(state).decode(), state.delay, state.slots, state.exclusive)
