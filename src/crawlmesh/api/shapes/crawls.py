"""What a crawl found, and how far it is, in answers."""

from collections.abc import Sequence
from enum import StrEnum
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from crawlmesh.api.shapes.moments import if_any, moment
from crawlmesh.model.crawl import CrawlProgress, FilterStatus, HostProgress
from crawlmesh.model.host import HostState, RobotsFile
from crawlmesh.model.record import Attempt, DeadLink, LedgerEntry, Record
from crawlmesh.rules.url_identity import canonicalize


class RecordShape(msgspec.Struct, frozen=True, kw_only=True):
    """What was extracted from one page."""

    url: str
    final_url: str
    status: int
    depth: int
    fetched_at: str
    data: msgspec.Raw
    archive: str | UnsetType = UNSET


class FailureShape(msgspec.Struct, frozen=True, kw_only=True):
    """A URL of a crawl that was given up."""

    url: str
    host: str
    reason: str
    http_status: int | None
    attempts: int
    at: str
    link_id: int


class FilterShape(msgspec.Struct, frozen=True, kw_only=True):
    """The Bloom filter of a crawl. `error_rate` is expected now; `nearly_full`: from 0.9 on, it will grow."""

    capacity: int
    count: int
    layers: int
    bytes: int
    error_rate: float
    fill: float
    nearly_full: bool


class ProgressShape(msgspec.Struct, frozen=True, kw_only=True):
    """The counters of a crawl. added = pending + leased + done + dead."""

    task_id: str
    finished: bool
    added: int
    pending: int
    leased: int
    done: int
    dead: int
    records: int
    bytes: int
    skipped: int
    retries: int
    pages: int
    by_outcome: dict[str, int]
    by_status: dict[str, int]
    by_rule: dict[str, int]
    by_reason: dict[str, int]
    filter: FilterShape | None


class RobotsStatus(StrEnum):
    """What is known of the robots.txt of a host: nothing yet, that it has rules, or that there is none."""

    UNKNOWN = "unknown"
    RULES = "rules"
    NONE = "none"


class HostStateShape(msgspec.Struct, frozen=True, kw_only=True):
    """How a host is treated. `delay` is in seconds; `slots` are requests at once in the whole cluster.

    `robots_at`: when its robots.txt was read; null: not yet.
    """

    host: str
    delay: float
    slots: int
    exclusive: bool
    pressure: float
    failures: int
    crawl_delay: float
    robots_status: RobotsStatus
    robots_at: str | None


class HostShape(msgspec.Struct, frozen=True, kw_only=True):
    """One host's part in a crawl. `mean_elapsed` is in seconds per request.

    `ready_in`: seconds until the host may be asked again; 0: now.
    """

    host: str
    queued: int
    done: int
    dead: int
    mean_elapsed: float
    state: HostStateShape
    ready_in: float


class HostsAnswer(msgspec.Struct, frozen=True):
    """The hosts of a crawl, those with most dead links first, then the slowest."""

    items: Sequence[HostShape]


class AttemptShape(msgspec.Struct, frozen=True, kw_only=True):
    """One try at a URL."""

    number: int
    at: str
    kind: str
    http_status: int | None
    reason: str | None
    elapsed: float


class WhyAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that is known about one URL of a crawl. `state` is null where a rule kept it out."""

    url: str
    depth: int
    found_by: str | None
    parent_url: str | None
    state: str | None
    rule: str | None
    outcome: str | None
    http_status: int | None
    reason: str | None
    final_url: str | None
    fetched_at: str | None
    elapsed: float | None
    size: int | None
    attempts: Sequence[AttemptShape]
    has_record: bool
    redirected_from: Sequence[str]


def record_shape(record: Record) -> RecordShape:
    """A record; its data goes out as it was written."""
    return RecordShape(
        url=record.url,
        final_url=record.final_url,
        status=record.status,
        depth=record.depth,
        fetched_at=moment(record.fetched_at),
        data=msgspec.Raw(record.data),
        archive=if_any(record.archive),
    )


def failure_shape(link: DeadLink) -> FailureShape:
    """A URL that was given up, with its host."""
    identity = canonicalize(link.url)
    return FailureShape(
        url=link.url,
        host="" if identity is None else identity.host,
        reason=link.reason,
        http_status=link.http_status,
        attempts=link.attempts,
        at=moment(link.at),
        link_id=link.link_id,
    )


def progress_shape(task_id: str, progress: CrawlProgress) -> ProgressShape:
    """The counters of a crawl."""
    values: dict[str, Any] = msgspec.structs.asdict(progress)
    counters = {name: value for name, value in values.items() if name in ProgressShape.__struct_fields__}
    counters["filter"] = None if progress.filter is None else filter_shape(progress.filter)
    return ProgressShape(task_id=task_id, finished=progress.finished, added=progress.added, **counters)


def filter_shape(status: FilterStatus) -> FilterShape:
    """A filter, with how full it is."""
    return FilterShape(
        **msgspec.structs.asdict(status), fill=round(status.fill, 4), nearly_full=status.nearly_full
    )


def host_shape(host: HostProgress) -> HostShape:
    """A host, without the text of its robots.txt."""
    return HostShape(
        host=host.host,
        queued=host.queued,
        done=host.done,
        dead=host.dead,
        mean_elapsed=host.mean_elapsed,
        state=host_state_shape(host.state),
        ready_in=round(host.ready_in, 3),
    )


def host_state_shape(state: HostState) -> HostStateShape:
    """How a host is treated. Of the files that it has for several schemes, the newest counts."""
    robots = max(state.robots.values(), key=lambda file: file.fetched_at, default=None)
    return HostStateShape(
        host=state.host,
        delay=state.delay,
        slots=state.slots,
        exclusive=state.exclusive,
        pressure=state.pressure,
        failures=state.failures,
        crawl_delay=state.crawl_delay,
        robots_status=_robots_status(robots),
        robots_at=None if robots is None else moment(robots.fetched_at),
    )


def _robots_status(file: RobotsFile | None) -> RobotsStatus:
    if file is None:
        return RobotsStatus.UNKNOWN
    return RobotsStatus.NONE if file.text is None else RobotsStatus.RULES


def why_answer(entry: LedgerEntry) -> WhyAnswer:
    """The ledger's entry of a URL."""
    return WhyAnswer(
        url=entry.url,
        depth=entry.depth,
        found_by=entry.found_by,
        parent_url=entry.parent_url,
        state=entry.state,
        rule=entry.rule,
        outcome=entry.outcome,
        http_status=entry.http_status,
        reason=entry.reason,
        final_url=entry.final_url,
        fetched_at=None if entry.fetched_at is None else moment(entry.fetched_at),
        elapsed=entry.elapsed,
        size=entry.size,
        attempts=[_attempt(attempt) for attempt in entry.attempts],
        has_record=entry.has_record,
        redirected_from=entry.redirected_from,
    )


def _attempt(attempt: Attempt) -> AttemptShape:
    return AttemptShape(
        number=attempt.number,
        at=moment(attempt.at),
        kind=attempt.kind,
        http_status=attempt.http_status,
        reason=attempt.reason,
        elapsed=attempt.elapsed,
    )
