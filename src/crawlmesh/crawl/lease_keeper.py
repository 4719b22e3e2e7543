"""The traffic between the engine and the store: lease, renew, settle."""

import asyncio
from collections.abc import Coroutine, Mapping
from itertools import count
from typing import TYPE_CHECKING, Any

from crawlmesh.crawl.active_batch import ActiveBatch
from crawlmesh.crawl.dispatcher import Dispatcher
from crawlmesh.crawl.host_gate import HostGate
from crawlmesh.crawl.plan import CrawlPlan
from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.model.host import HostReport, HostState
from crawlmesh.model.lease import HostBatch, LeaseGrant, LeaseRequest, Renewal
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.ports.fetcher import Fetcher
from crawlmesh.ports.page_archive import PageArchive
from crawlmesh.rules.politeness import paced

if TYPE_CHECKING:
    from crawlmesh.crawl.engine import EngineOptions

_MOST_BATCHES = 4096  # at once in one process
_IDLE_PAUSE = 0.05  # seconds between two questions for work while other processes hold leases
_BUSY_PAUSE = 0.5  # the same while there are requests under way here, whose end is a reason to ask too
_REMEMBERED_GATES = 20_000
_ROBOTS_LIFE = 86_400.0  # seconds after which a robots.txt is read again


class LeaseKeeper:
    """Knows every lease of this process. Calls to the store run beside the engine, one of each kind."""

    def __init__(
        self,
        store: CrawlStore,
        fetcher: Fetcher,
        clock: Clock,
        plans: Mapping[str, CrawlPlan],
        options: "EngineOptions",
        dispatcher: Dispatcher,
        archive: PageArchive | None,
    ) -> None:
        self._store = store
        self._fetcher = fetcher
        self._clock = clock
        self._plans = plans
        self._options = options
        self._dispatcher = dispatcher
        self._archive = archive
        self._gates: dict[str, HostGate] = {}
        self._active: dict[int, ActiveBatch] = {}  # by fence
        self._ended: list[ActiveBatch] = []
        self._due: list[ActiveBatch] = []  # to be settled in part
        self._calls: dict[str, asyncio.Task[None]] = {}
        self._failure: BaseException | None = None
        self._learnt = count()
        self._closing = False
        self._ask_at = 0.0
        self._next_care = 0.0
        self._last_look: list[CrawlProgress] = []
        self.finished = False  # nothing is left of the crawls, or their limit is reached

    @property
    def idle(self) -> bool:
        """Whether no lease is held and no call is under way."""
        return not self._active and not self._ended and not self._calls

    def exchange(self, now: float, running: int, *, stopping: bool) -> None:
        """Start the calls that are due."""
        if now >= self._next_care:
            self._care(now)
        if (self._ended or self._due) and "settle" not in self._calls:
            self._call("settle", self._settle())
        if not stopping and now >= self._ask_at and self._has_room(running):
            self._call("lease", self._lease())

    def next_moment(self, running: int) -> float | None:
        """When to ask for work again, where only time stands between."""
        return self._ask_at if self._has_room(running) else None

    def end(self, batch: ActiveBatch) -> None:
        """A batch is through: settle it with the next call."""
        if self._active.pop(batch.fence, None) is None:
            return
        batch.gate.batches -= 1
        if not batch.lost:
            self._ended.append(batch)

    def close(self, batch: ActiveBatch) -> None:
        """Take no new request under a lease."""
        batch.closing = True
        if batch.ended:
            self.end(batch)

    def close_all(self) -> None:
        """Take no new request under any lease, nor under one that is still on its way."""
        self._closing = True
        for batch in list(self._active.values()):
            self.close(batch)

    def give_up_requests(self) -> None:
        """Wait no longer for what is under way: its links go back."""
        for batch in list(self._active.values()):
            batch.under_way.clear()
            self.close(batch)

    def host_learnt(self, gate: HostGate) -> None:
        """A robots.txt was read: find its sitemaps, and see that a delay outlives this process."""
        held = [batch for batch in self._active.values() if batch.gate is gate]
        for batch in held:
            self._discover_sitemaps(batch)
        if gate.state.delay > 0 and held:
            # Known to the store before the next request: a kill must not make us forget the delay.
            report = HostReport(None, gate.state)
            renewals = [Renewal(batch.fence, self._options.lease_duration, report) for batch in held]
            self._call(f"learn {next(self._learnt)}", self._renew(renewals))

    def raise_failures(self) -> None:
        """Raise what the store raised."""
        if self._failure is not None:
            raise self._failure

    async def aclose(self) -> None:
        """Wait for the calls under way."""
        while self._calls:
            await asyncio.wait(list(self._calls.values()))

    def _discover_sitemaps(self, batch: ActiveBatch) -> None:
        """Those that robots.txt names; known again in each process, because a kill may have come between."""
        link = next(iter(batch.links), None)
        plan = self._plans[link.crawl_id] if link else None
        if link and plan and plan.definition.sitemaps:
            locations = (url for rules in batch.gate.robots.values() for url in rules.sitemaps())
            found = (plan.discovery.sitemap(link, url) for url in locations)
            batch.discovered.extend(sitemap for sitemap in found if sitemap is not None)

    def _has_room(self, running: int) -> bool:
        if self._closing or "lease" in self._calls or len(self._active) >= _MOST_BATCHES:
            return False
        return running < self._options.concurrency or self._buffered() < 2 * self._options.concurrency

    def _buffered(self) -> int:
        return sum(len(batch.links) for batch in self._active.values() if not batch.gate.state.delay)

    def _care(self, now: float) -> None:
        """Settle what batches have finished so far, and renew those that take long."""
        self._next_care = now + min(1.0, self._options.settle_after / 4)
        renewals = []
        for batch in list(self._active.values()):
            if now >= batch.flush_at and batch.outcomes and not batch.lost:
                batch.flush_at = now + self._options.settle_after
                self._due.append(batch)
            if now >= batch.renew_at:
                batch.renew_at = now + self._options.lease_duration / 3
                renewals.append(Renewal(batch.fence, self._options.lease_duration))
        if renewals and "renew" not in self._calls:
            self._call("renew", self._renew(renewals))

    def _call(self, kind: str, call: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(call)
        self._calls[kind] = task
        task.add_done_callback(lambda done: self._called(kind, done))

    def _called(self, kind: str, task: asyncio.Task[None]) -> None:
        if self._calls.get(kind) is task:
            del self._calls[kind]
        if not task.cancelled() and task.exception() is not None:
            self._failure = task.exception()
        self._fetcher.wake()

    async def _settle(self) -> None:
        due = [batch for batch in self._due if batch.fence in self._active]
        batches = self._ended + due
        self._ended, self._due = [], []
        now = self._clock.monotonic()
        if self._archive is not None:
            self._archive.flush()
        taken = await self._store.settle([batch.settlement(now) for batch in batches])
        self._ask_at = 0.0
        for batch, accepted in zip(batches, taken, strict=True):
            if not accepted:
                self._lose(batch)

    async def _renew(self, renewals: list[Renewal]) -> None:
        kept = await self._store.renew(renewals)
        for renewal, held in zip(renewals, kept, strict=True):
            batch = None if held else self._active.get(renewal.fence)
            if batch is not None:
                self._lose(batch)

    def _lose(self, batch: ActiveBatch) -> None:
        """The lease ran out and is somebody else's now."""
        batch.lost = batch.closing = True
        self._forget_links()
        if batch.ended:
            self.end(batch)

    def _forget_links(self) -> None:
        """Links that a refused settlement carried must be sent again when they are found again."""
        for plan in self._plans.values():
            plan.discovery.forget()

    async def _lease(self) -> None:
        options = self._options
        request = LeaseRequest(
            node_id=options.node_id,
            crawl_ids=tuple(self._plans),
            max_links=max(64, 4 * options.concurrency),
            max_batches=max(8, options.concurrency),
            batch_slots=options.batch_slots,
            duration=options.lease_duration,
        )
        grant = await self._store.lease(request)
        now = self._clock.monotonic()
        for batch in grant.batches:
            self._take(batch, now)
        if not grant.batches:
            await self._nothing_to_lease(grant, now)

    def _take(self, batch: HostBatch, now: float) -> None:
        options = self._options
        state = paced(batch.host, options.delay, options.per_host, options.politeness)
        gate = self._gate(state)
        active = ActiveBatch(
            batch,
            gate,
            flush_at=now + options.settle_after,
            closes_at=now + options.lease_duration / 2,
            renew_at=now + options.lease_duration / 3,
        )
        gate.batches += 1
        self._active[batch.fence] = active
        if state != batch.host:
            # The user gave another pace this time: other processes must know it too.
            active.reported = state
            report = HostReport(None, state)
            self._call(
                f"learn {next(self._learnt)}",
                self._renew([Renewal(batch.fence, options.lease_duration, report)]),
            )
        self._discover_sitemaps(active)
        self._dispatcher.offer(active)
        if self._closing:
            self.close(active)

    def _gate(self, state: HostState) -> HostGate:
        gate = self._gates.get(state.host)
        if gate is None:
            if len(self._gates) >= _REMEMBERED_GATES:
                self._gates = {name: gate for name, gate in self._gates.items() if gate.batches}
            gate = self._gates[state.host] = HostGate(state, self._options.robots_agent, self._robots_since())
        else:
            gate.adopt(state, self._robots_since())
        return gate

    def _robots_since(self) -> float:
        return self._clock.now() - _ROBOTS_LIFE

    async def _nothing_to_lease(self, grant: LeaseGrant, now: float) -> None:
        """Find out whether there will be work later, or never again."""
        pause = grant.retry_in
        if pause is None:
            pause = _BUSY_PAUSE if self._active else _IDLE_PAUSE
        self._ask_at = now + max(pause, 0.001)
        if grant.retry_in is not None or self._active or self._ended or "settle" in self._calls:
            return
        progress = [await self._store.progress(crawl_id) for crawl_id in self._plans]
        through = all(counters.finished for counters in progress)
        # Links that nobody holds and nobody gets, twice in a row: a limit keeps them.
        stuck = progress == self._last_look and not any(counters.leased for counters in progress)
        self.finished = through or stuck
        self._last_look = progress
