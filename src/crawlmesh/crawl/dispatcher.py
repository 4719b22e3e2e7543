"""Which request goes out next: round robin over hosts, none of them too soon.

Decides only; the engine sends. Moments are on the monotonic clock.
"""

import heapq
from collections import deque
from collections.abc import Mapping
from itertools import count
from types import MappingProxyType

import msgspec

from crawlmesh.crawl.active_batch import ActiveBatch
from crawlmesh.crawl.host_gate import HostGate
from crawlmesh.crawl.plan import CrawlPlan
from crawlmesh.model.link import LeasedLink
from crawlmesh.rules.robots import RobotsRules

_NO_PLANS: Mapping[str, CrawlPlan] = MappingProxyType({})
_EVERYTHING_ALLOWED = RobotsRules(404, None, "")


class PageStart(msgspec.Struct, frozen=True):
    """Request a page."""

    batch: ActiveBatch
    link: LeasedLink


class RobotsStart(msgspec.Struct, frozen=True):
    """Request the robots.txt of a host first."""

    gate: HostGate
    scheme: str


class LinkRefused(msgspec.Struct, frozen=True):
    """Do not request this page: robots.txt forbids it, or cannot be had (`rules.unavailable`).

    Without rules: the host is down.
    """

    batch: ActiveBatch
    link: LeasedLink
    rules: RobotsRules | None


class BatchOver(msgspec.Struct, frozen=True):
    """Take no more requests under this lease: its host rests for longer than the batch may last."""

    batch: ActiveBatch


Decision = PageStart | RobotsStart | LinkRefused | BatchOver


class Dispatcher:
    """The batches of this process, by when they may send their next request."""

    def __init__(
        self, requests_per_second: float | None = None, plans: Mapping[str, CrawlPlan] = _NO_PLANS
    ) -> None:
        self._plans = plans
        self._ready: deque[ActiveBatch] = deque()
        self._delayed: list[tuple[float, int, ActiveBatch]] = []
        self._waiting_for_robots: dict[int, list[ActiveBatch]] = {}
        self._order = count()
        self._interval = 1.0 / requests_per_second if requests_per_second else 0.0
        self._next_request = 0.0

    def offer(self, batch: ActiveBatch) -> None:
        """A batch is new, or one of its requests came back."""
        if not batch.queued and batch.links and not batch.closing:
            batch.queued = True
            self._ready.append(batch)

    def robots_known(self, gate: HostGate) -> None:
        """The robots.txt that some batches waited for has come."""
        for batch in self._waiting_for_robots.pop(id(gate), ()):
            batch.queued = False
            self.offer(batch)

    @property
    def has_ready(self) -> bool:
        """Whether a batch waits for nothing but a free connection."""
        return bool(self._ready)

    def next_moment(self) -> float | None:
        """When something that waits for time may go on."""
        moments = [self._delayed[0][0]] if self._delayed else []
        if self._ready and self._interval:
            moments.append(self._next_request)
        return min(moments, default=None)

    def next(self, now: float) -> Decision | None:
        """What to do now, or None where all wait."""
        while self._delayed and self._delayed[0][0] <= now:
            self._ready.append(heapq.heappop(self._delayed)[2])
        if self._interval and now < self._next_request:
            return None
        while self._ready:
            batch = self._ready.popleft()
            batch.queued = False
            if batch.closing or not batch.links or batch.running >= batch.slots:
                continue
            decision = self._decide(batch, now)
            if decision is not None:
                return decision
        return None

    def _decide(self, batch: ActiveBatch, now: float) -> Decision | None:
        gate = batch.gate
        link = batch.links[0]
        scheme = "https" if link.url.startswith("https:") else "http"
        plan = self._plans.get(link.crawl_id)
        rules = _EVERYTHING_ALLOWED if _ignores_robots(plan) else gate.robots.get(scheme)
        if gate.down_until > now or (rules is not None and not _allows(rules, link, plan)):
            batch.links.popleft()  # needs no request, so no patience
            self.offer(batch)
            return LinkRefused(batch, link, None if gate.down_until > now else rules)
        if gate.next_start > now:
            return self._delay(batch, gate.next_start)
        if rules is None:
            return self._ask_for_robots(batch, scheme, now)
        batch.links.popleft()
        self.offer(batch)
        batch.under_way.add(link.id)
        gate.started(now)
        self._count_request(now)
        return PageStart(batch, link)

    def _delay(self, batch: ActiveBatch, moment: float) -> Decision | None:
        if moment >= batch.closes_at and batch.links[0].id not in batch.repeats:
            return BatchOver(batch)  # it would only wait for its end, and keep what it has from being stored
        batch.queued = True
        heapq.heappush(self._delayed, (moment, next(self._order), batch))
        return None

    def _ask_for_robots(self, batch: ActiveBatch, scheme: str, now: float) -> Decision | None:
        gate = batch.gate
        batch.queued = True
        self._waiting_for_robots.setdefault(id(gate), []).append(batch)
        if scheme in gate.robots_under_way:
            return None
        gate.robots_under_way.add(scheme)
        gate.started(now)
        self._count_request(now)
        return RobotsStart(gate, scheme)

    def _count_request(self, now: float) -> None:
        if self._interval:
            self._next_request = max(self._next_request, now) + self._interval


def _ignores_robots(plan: CrawlPlan | None) -> bool:
    return plan is not None and plan.definition.ignore_robots


def _allows(rules: RobotsRules, link: LeasedLink, plan: CrawlPlan | None) -> bool:
    """Both spellings count: what the server is asked for, and what the URL is known by."""
    agent = None if plan is None else plan.pace.robots_agent
    return rules.allows(link.url, agent) and (
        link.request_url is None or rules.allows(link.request_url, agent)
    )
