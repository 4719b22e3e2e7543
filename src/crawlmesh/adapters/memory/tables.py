"""The mutable rows behind the memory store: crawls, hosts, a host's share of a crawl, links, leases."""

import heapq
from collections import Counter
from dataclasses import dataclass, field

from crawlmesh.adapters.bloom_filter import ScalableBloomFilter
from crawlmesh.model.crawl import Crawl
from crawlmesh.model.host import HostLimits, HostState
from crawlmesh.model.link import LinkState, NewLink, SkippedLink
from crawlmesh.model.outcome import LinkOutcome
from crawlmesh.model.record import Attempt, Record
from crawlmesh.rules.host_limits import limited


@dataclass(slots=True)
class SettledCounters:
    """Counters that a recrawl starts afresh."""

    bytes: int = 0
    retries: int = 0
    pages: int = 0
    by_outcome: Counter[str] = field(default_factory=Counter)
    by_status: Counter[str] = field(default_factory=Counter)
    by_rule: Counter[str] = field(default_factory=Counter)
    by_reason: Counter[str] = field(default_factory=Counter)


@dataclass(slots=True, eq=False)
class CrawlRow:
    """A crawl with everything that is forgotten together with it."""

    crawl: Crawl
    filter: ScalableBloomFilter | None = None  # where the crawl wants one
    links: dict[bytes, "LinkRow"] = field(default_factory=dict)  # by fingerprint
    links_by_id: dict[int, "LinkRow"] = field(default_factory=dict)
    dead: dict[int, "LinkRow"] = field(default_factory=dict)  # by link id
    skips: dict[bytes, SkippedLink] = field(default_factory=dict)
    shares: dict[str, "Share"] = field(default_factory=dict)  # by host
    turns: list[tuple[float, str]] = field(default_factory=list)  # heap: (ready since, host)
    templates: Counter[int] = field(default_factory=Counter)
    states: Counter[LinkState] = field(default_factory=Counter)
    settled: SettledCounters = field(default_factory=SettledCounters)
    records: dict[int, Record] = field(default_factory=dict)  # by link id
    record_ids: list[int] = field(default_factory=list)  # ids of removed records may linger
    record_ids_sorted: bool = True  # they are sorted for the reader, not for each settlement

    def knows(self, fingerprint: bytes) -> bool:
        """Whether there is such a link, or a filter takes it for one that there is."""
        return fingerprint in (self.links if self.filter is None else self.filter)

    def put_link(self, link: "LinkRow") -> None:
        """Keep a new link."""
        self.links[link.new.fingerprint] = self.links_by_id[link.id] = link
        if self.filter is not None:
            self.filter.add(link.new.fingerprint)

    def allowance(self) -> float:
        """How many more links may be leased under `max_pages`."""
        if self.crawl.max_pages is None:
            return float("inf")
        return self.crawl.max_pages - self.settled.pages - self.states[LinkState.LEASED]

    def put_record(self, record: Record) -> None:
        """Write or replace the record of a link."""
        link = self.links_by_id[record.link_id]
        if not link.had_record:
            self.record_ids.append(link.id)
            self.record_ids_sorted = False
            link.had_record = True
        self.records[link.id] = record


@dataclass(slots=True, eq=False)
class HostRow:
    """A host over all crawls."""

    state: HostState  # as it was reported, without the limits
    open_since: float  # nobody may be granted the host before; in the future while it rests
    limits: HostLimits
    leases: int = 0
    used_slots: int = 0
    served: bool = False  # has its batch of the lease call that is under way
    waiting: dict[str, "Share"] = field(default_factory=dict)  # by crawl id; those with pending links

    def free_slots(self) -> int:
        """How many slots another lease could have."""
        if self.served or self.limits.blocked:
            return 0
        state = self.leased_as()
        return 0 if state.exclusive and self.leases else max(0, state.slots - self.used_slots)

    def leased_as(self) -> HostState:
        """The state under the user's limits."""
        return limited(self.state, self.limits)

    def rest(self, now: float, seconds: float) -> None:
        """Keep the host closed for a while. A rest never cuts a longer one short."""
        self.open_since = max(self.open_since, now + seconds)


@dataclass(slots=True, eq=False)
class Share:
    """The links of one host in one crawl."""

    crawl: CrawlRow
    host: HostRow
    ready: list[tuple[int, int]] = field(default_factory=list)  # heap: (-priority, link id)
    deferred: list[tuple[float, int]] = field(default_factory=list)  # heap: (not before, link id)
    ready_since: float = 0.0  # of the first link in `ready`
    turn: float | None = None  # key of this share's valid entry in the crawl's `turns`
    done: int = 0
    dead: int = 0
    requests: int = 0
    elapsed: float = 0.0  # seconds, over `requests`

    def queued(self) -> int:
        """How many links are pending."""
        return len(self.ready) + len(self.deferred)

    def push(self, link: "LinkRow", now: float, not_before: float) -> None:
        """Queue a pending link."""
        if not_before > now:
            heapq.heappush(self.deferred, (not_before, link.id))
        else:
            self._push_ready(link, now)

    def promote(self, now: float) -> None:
        """Make deferred links ready whose time has come."""
        while self.deferred and self.deferred[0][0] <= now:
            not_before, link_id = heapq.heappop(self.deferred)
            self._push_ready(self.crawl.links_by_id[link_id], not_before)

    def since(self) -> float | None:
        """From when on a link can be leased, were the host open; None where nothing is pending."""
        moments = [self.ready_since] if self.ready else []
        if self.deferred:
            moments.append(self.deferred[0][0])
        return min(moments, default=None)

    def _push_ready(self, link: "LinkRow", since: float) -> None:
        if not self.ready:
            self.ready_since = since
        heapq.heappush(self.ready, (-link.new.priority, link.id))


@dataclass(slots=True, eq=False)
class LinkRow:
    """A link and what became of it."""

    id: int
    new: NewLink
    share: Share
    state: LinkState = LinkState.PENDING
    attempts: int = 0  # settled ones that count
    last: LinkOutcome | None = None
    history: list[Attempt] = field(default_factory=list)
    etag: str | None = None
    last_modified: str | None = None
    had_record: bool = False  # so its id is in the crawl's `record_ids`

    @property
    def reason(self) -> str:
        """Why it was given up."""
        return (self.last and self.last.reason) or "unknown"

    def move(self, state: LinkState) -> None:
        """Change the state and the counters that follow from it."""
        self._count(-1)
        self.state = state
        self._count(1)

    def _count(self, step: int) -> None:
        self.share.crawl.states[self.state] += step
        if self.state is LinkState.DONE:
            self.share.done += step
        elif self.state is LinkState.DEAD:
            self.share.dead += step
            if step > 0:
                self.share.crawl.dead[self.id] = self
            else:
                del self.share.crawl.dead[self.id]


@dataclass(slots=True, eq=False)
class LeaseRow:
    """A live lease."""

    fence: int
    node_id: str
    host: HostRow
    slots: int
    expires_at: float
    links: dict[int, LinkRow]
