"""A random walk over the port beside a model of it: the invariants hold after every step."""

import random
from collections import Counter
from dataclasses import dataclass, field

import msgspec
import pytest

from crawlmesh.model.host import HostLimits, HostReport
from crawlmesh.model.lease import HostBatch, Renewal, Settlement
from crawlmesh.model.link import LeasedLink, LinkState, NewLink
from crawlmesh.model.outcome import LinkOutcome
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.rules.host_limits import limited
from crawlmesh.testing.builders import (
    crawl,
    dead,
    fetched,
    fingerprint,
    lease_request,
    new_link,
    not_modified,
    retry,
    returned,
    settlement,
    skipped,
)
from crawlmesh.testing.conformance.crawl_store.case import CrawlStoreCase, snapshot
from crawlmesh.testing.invariants import assert_crawl_invariants
from crawlmesh.testing.manual_clock import ManualClock

CRAWLS = ("crawl", "other")
URLS = [f"https://h{number % 4}.example/{number}" for number in range(40)]
MAX_PAGES = 25  # of the crawl "other"


@dataclass
class Model:
    """What the store must know, as far as the walk follows it."""

    states: dict[tuple[str, str], LinkState] = field(default_factory=dict)  # by crawl and URL
    live: dict[int, HostBatch] = field(default_factory=dict)  # by fence
    expires_at: dict[int, float] = field(default_factory=dict)  # by fence
    rest_until: dict[str, float] = field(default_factory=dict)  # by host
    limits: dict[str, HostLimits] = field(default_factory=dict)  # by host
    ended: list[Settlement] = field(default_factory=list)
    last_fence: int = 0
    pages: Counter[str] = field(default_factory=Counter)

    def add(self, links: list[NewLink]) -> int:
        """Add links as the store must, and count the new ones."""
        new = {(link.crawl_id, link.url) for link in links} - set(self.states)
        self.states.update(dict.fromkeys(new, LinkState.PENDING))
        return len(new)

    def dead_of(self, crawl_id: str) -> list[str]:
        """The URLs of a crawl that were given up."""
        found = [
            url
            for (owner, url), state in self.states.items()
            if owner == crawl_id and state is LinkState.DEAD
        ]
        return sorted(found)

    def move(self, link: LeasedLink, state: LinkState) -> None:
        """Change a link's state."""
        self.states[link.crawl_id, link.url] = state

    def end(self, batch: HostBatch, now: float, rest: float | None, delay: float) -> None:
        """End a lease."""
        del self.live[batch.fence], self.expires_at[batch.fence]
        self.rest_until[batch.host.host] = max(
            self.rest_until.get(batch.host.host, 0.0), now + (delay if rest is None else rest)
        )


class Walk:
    """One walk. Every method named `step_…` is one kind of step."""

    def __init__(self, store: CrawlStore, clock: ManualClock, seed: int) -> None:
        self._store = store
        self._clock = clock
        self._random = random.Random(seed)
        self._model = Model()

    async def run(self, steps: int) -> None:
        """Take that many steps, checking after each."""
        choices = (self.step_add, self.step_lease, self.step_settle, self.step_renew, self.step_wait)
        rarely = (self.step_stale, self.step_limit, self.step_retry_dead)
        for _ in range(steps):
            step = self._random.choices((*choices, *rarely), (3, 6, 6, 1, 2, 1, 1, 1))[0]
            await step()
            await self.check()

    async def check(self) -> None:
        """Invariants 1 and 3, and that the counters are those of the model."""
        for crawl_id in CRAWLS:
            mine = [state for (owner, _), state in self._model.states.items() if owner == crawl_id]
            await assert_crawl_invariants(self._store, crawl_id, added=len(mine))
            progress = await self._store.progress(crawl_id)
            counted = {state: getattr(progress, state.value) for state in LinkState}
            assert counted == {state: mine.count(state) for state in LinkState}
            assert progress.pages == self._model.pages[crawl_id]
            found = [link.url for link in await self._store.dead_links(crawl_id)]
            assert sorted(found) == self._model.dead_of(crawl_id)
        assert (await self._store.progress("other")).pages <= MAX_PAGES

    async def step_add(self) -> None:
        """Add some links, old and new ones."""
        links = self._some_links(8)
        assert await self._store.add(links) == self._model.add(links)

    async def step_lease(self) -> None:
        """Ask for work and check all that is granted."""
        request = lease_request(
            *self._random.sample(CRAWLS, self._random.randint(1, 2)),
            max_links=self._random.randint(1, 12),
            max_batches=self._random.randint(1, 4),
            batch_links=self._random.randint(1, 5),
            duration=self._random.uniform(10.0, 90.0),
        )
        for batch in sorted((await self._store.lease(request)).batches, key=lambda batch: batch.fence):
            self._check_batch(batch, request.crawl_ids)

    async def step_settle(self) -> None:
        """End a lease with random outcomes."""
        if not self._model.live:
            return
        batch = self._random.choice(list(self._model.live.values()))
        outcomes = [self._outcome(link) for link in batch.links if self._random.random() < 0.9]
        found = self._some_links(4)
        report = self._report(batch)
        settled = settlement(batch, *outcomes, discovered=found, report=report)
        assert await self._store.settle([settled]) == [True]
        self._follow(batch, outcomes)
        self._model.add(found)
        delay = await self._delay(batch)
        self._model.end(batch, self._clock.now(), report.rest, delay)
        self._model.ended.append(settled)

    async def step_retry_dead(self) -> None:
        """Try some dead links again."""
        crawl_id = self._random.choice(CRAWLS)
        named = self._random.sample(URLS, 20)
        revived = [url for url in self._model.dead_of(crawl_id) if url in named]
        fingerprints = [fingerprint(url) for url in named]
        assert await self._store.retry_dead(crawl_id, fingerprints=fingerprints) == len(revived)
        self._model.states.update({(crawl_id, url): LinkState.PENDING for url in revived})

    async def step_renew(self) -> None:
        """Give a lease more time."""
        if self._model.live:
            fence = self._random.choice(list(self._model.live))
            duration = self._random.uniform(60.0, 90.0)
            assert await self._store.renew([Renewal(fence, duration)]) == [True]
            self._model.expires_at[fence] = self._clock.now() + duration

    async def step_wait(self) -> None:
        """Let time pass and expire what ran out."""
        self._clock.advance(self._random.uniform(0.1, 30.0))
        everything = self._random.random() < 0.1
        now = self._clock.now()
        over = [
            self._model.live[fence]
            for fence, moment in self._model.expires_at.items()
            if everything or moment <= now
        ]
        delays = [await self._delay(batch) for batch in over]
        assert await self._store.expire(everything=everything) == len(over)
        for batch, delay in zip(over, delays, strict=True):
            for link in batch.links:
                self._model.move(link, LinkState.PENDING)
            self._model.end(batch, now, 0.0, delay)
            self._model.ended.append(settlement(batch, *(fetched(link) for link in batch.links)))

    async def step_stale(self) -> None:
        """Settle and renew a lease that ended: refused, without a trace."""
        if not self._model.ended:
            return
        stale = self._random.choice(self._model.ended)
        before = [await snapshot(self._store, URLS, crawl_id) for crawl_id in CRAWLS]
        assert await self._store.settle([stale]) == [False]
        assert await self._store.renew([Renewal(stale.fence, 60.0, stale.report)]) == [False]
        assert [await snapshot(self._store, URLS, crawl_id) for crawl_id in CRAWLS] == before

    async def step_limit(self) -> None:
        """Lay limits down for a host, or take them away."""
        host = f"h{self._random.randrange(4)}.example"
        limits = HostLimits(
            self._random.choice((None, None, 1.0, 5.0)),
            self._random.choice((None, 1, 8)),
            self._random.random() < 0.2,
        )
        if self._random.random() < 0.3:
            limits = HostLimits()
        await self._store.limit_host(host, limits)
        self._model.limits[host] = limits

    def _check_batch(self, batch: HostBatch, crawl_ids: tuple[str, ...]) -> None:
        model, host = self._model, batch.host.host
        assert batch.fence > model.last_fence
        model.last_fence = batch.fence
        assert model.rest_until.get(host, 0.0) <= self._clock.now() + 1e-6, (
            f"{host} was leased while it rested"
        )
        beside = [other.slots for other in model.live.values() if other.host.host == host]
        assert batch.limits == model.limits.get(host, HostLimits())
        assert not batch.limits.blocked
        leased_as = limited(batch.host, batch.limits)
        assert batch.slots > 0
        assert sum(beside) + batch.slots <= leased_as.slots
        assert not (leased_as.exclusive and beside)
        for link in batch.links:
            assert link.crawl_id in crawl_ids
            assert model.states[link.crawl_id, link.url] is LinkState.PENDING
            model.move(link, LinkState.LEASED)
        model.live[batch.fence] = batch
        model.expires_at[batch.fence] = batch.expires_at

    def _follow(self, batch: HostBatch, outcomes: list[LinkOutcome]) -> None:
        kinds = {outcome.link_id: outcome.kind.value for outcome in outcomes}
        for link in batch.links:
            kind = kinds.get(link.id, "returned")
            if kind in ("retry", "returned"):
                self._model.move(link, LinkState.PENDING)
            else:
                self._model.move(link, LinkState.DEAD if kind == "dead" else LinkState.DONE)
            self._model.pages[link.crawl_id] += kind in ("fetched", "not_modified")

    def _outcome(self, link: LeasedLink) -> LinkOutcome:
        if self._random.random() < 0.3:
            return retry(link, self._random.choice((0.0, 5.0, 40.0)))
        return self._random.choice((fetched, fetched, not_modified, skipped, dead, returned))(link)

    def _report(self, batch: HostBatch) -> HostReport:
        rest = self._random.choice((None, 0.0, 15.0))
        if self._random.random() < 0.5:
            return HostReport(rest)
        delay = self._random.choice((0.0, 0.0, 2.0))
        slots = self._random.randint(1, 6)
        state = msgspec.structs.replace(batch.host, delay=delay, exclusive=delay > 0, slots=slots)
        return HostReport(rest, state)

    def _some_links(self, most: int) -> list[NewLink]:
        urls = self._random.sample(URLS, self._random.randint(0, most))
        return [
            new_link(url, self._random.choice(CRAWLS), priority=self._random.randint(1, 10)) for url in urls
        ]

    async def _delay(self, batch: HostBatch) -> float:
        host = batch.host.host
        hosts = await self._store.hosts(batch.links[0].crawl_id)
        state = next(each.state for each in hosts if each.host == host)
        return limited(state, self._model.limits.get(host, HostLimits())).delay


class RandomWalk(CrawlStoreCase):
    """Invariants 1, 3 and 5 of the architecture, and the host's own, after every step."""

    @pytest.mark.parametrize("seed", range(8))
    async def test_random_walk(self, store: CrawlStore, clock: ManualClock, seed: int) -> None:
        """A seed that fails is worth a test of its own."""
        await store.create_crawl(crawl("other", max_pages=MAX_PAGES))
        await Walk(store, clock, seed).run(120)
