"""The traffic between the engine and the store: lease, renew, settle."""

import asyncio
from collections.abc import Coroutine, Mapping
from itertools import count
from typing import Any

from crawlmesh.crawl.active_batch import ActiveBatch
from crawlmesh.crawl.batch_intake import BatchIntake
from crawlmesh.crawl.crawl_watch import CrawlWatch
from crawlmesh.crawl.dispatcher import Dispatcher
from crawlmesh.crawl.engine_options import EngineOptions
from crawlmesh.crawl.host_gate import HostGate
from crawlmesh.crawl.plan import CrawlPlan
from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.model.host import HostReport
from crawlmesh.model.lease import HostBatch, LeaseGrant, LeaseRequest, Renewal
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.ports.fetcher import Fetcher
from crawlmesh.ports.page_archive import PageArchive

_MOST_BATCHES = 4096  # at once in one process
_IDLE_PAUSE = 0.05  # seconds between two questions for work while other processes hold leases
_BUSY_PAUSE = 0.5  # the same while there are requests under way here, whose end is a reason to ask too
_LONGEST_IDLE_PAUSE = 0.5  # the same in a store that many share: the pause doubles up to this


class LeaseKeeper:
    """Knows every lease of this process. Calls to the store run beside the engine, one of each kind."""

    def __init__(
        self,
        store: CrawlStore,
        fetcher: Fetcher,
        clock: Clock,
        plans: Mapping[str, CrawlPlan],
        options: EngineOptions,
        dispatcher: Dispatcher,
        archive: PageArchive | None,
        watch: CrawlWatch,
    ) -> None:
        self._watch = watch
        self._store = store
        self._fetcher = fetcher
        self._clock = clock
        self._plans = plans
        self._options = options
        self._dispatcher = dispatcher
        self._archive = archive
        self._intake = BatchIntake(clock, plans, options)
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
        self._idle_pause = _IDLE_PAUSE
        self._leaving: set[str] = set()  # crawls that are given back
        self._asked_for: frozenset[str] = frozenset()  # crawls of the lease call that is under way
        self._settling: frozenset[str] = frozenset()  # crawls of the settlement that is under way
        self._unanswered: frozenset[int] = frozenset()  # links of the same
        self.alone = True  # nobody else works with the store but for these crawls
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

    def plan_added(self, crawl_id: str) -> None:
        """Ask for work of a crawl at once."""
        self._leaving.discard(crawl_id)
        self._watch.forget(crawl_id)
        self._idle_pause = _IDLE_PAUSE
        self._ask_at = 0.0

    def plan_removed(self, crawl_id: str) -> None:
        """Nothing of a crawl is held any more."""
        self._leaving.discard(crawl_id)
        self._watch.forget(crawl_id)

    def give_back(self, crawl_id: str) -> None:
        """Fetch nothing more of a crawl: what is done is settled, the rest returned."""
        self._leaving.add(crawl_id)
        for batch in list(self._active.values()):
            self._drop(batch, crawl_id)

    def give_up_requests_of(self, crawl_id: str) -> None:
        """Wait no longer for what is under way of a crawl."""
        for batch in list(self._active.values()):
            if batch.holds(crawl_id):
                batch.drop_requests(crawl_id)
                self._drop(batch, crawl_id)

    def is_leaving(self, crawl_id: str) -> bool:
        """Whether a crawl is being given back."""
        return crawl_id in self._leaving

    def holds(self, crawl_id: str) -> bool:
        """Whether anything of a crawl is leased here, or may be."""
        if crawl_id in self._asked_for or crawl_id in self._settling:
            return True
        batches = (*self._active.values(), *self._ended)
        return any(crawl_id in batch.crawl_ids for batch in batches)

    def _drop(self, batch: ActiveBatch, crawl_id: str) -> None:
        if crawl_id not in batch.crawl_ids:
            return
        batch.drop_links(crawl_id)
        if batch.ended:
            self.end(batch)
        elif not batch.lost and batch not in self._due:
            self._due.append(batch)

    def host_learnt(self, gate: HostGate) -> None:
        """A robots.txt was read: find its sitemaps, and see that a delay outlives this process."""
        held = [batch for batch in self._active.values() if batch.gate is gate]
        for batch in held:
            self._intake.discover_sitemaps(batch)
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

    def _has_room(self, running: int) -> bool:
        if self._closing or "lease" in self._calls or len(self._active) >= _MOST_BATCHES:
            return False
        if not self.alone and not self._wanted():
            return False
        return running < self._options.concurrency or self._buffered() < 2 * self._options.concurrency

    def _wanted(self) -> tuple[str, ...]:
        """The crawls that there may be work of."""
        ended = self._watch.ended
        if not ended and not self._leaving:
            return tuple(self._plans)
        return tuple(name for name in self._plans if name not in ended and name not in self._leaving)

    def _buffered(self) -> int:
        return sum(len(batch.links) for batch in self._active.values() if not batch.gate.delay)

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
        self._settling = frozenset().union(*(batch.crawl_ids for batch in batches))
        now = self._clock.monotonic()
        if self._archive is not None:
            self._archive.flush()
        settlements = [batch.settlement(now) for batch in batches]
        self._unanswered = frozenset(outcome.link_id for each in settlements for outcome in each.outcomes)
        taken = await self._store.settle(settlements)
        self._settling, self._unanswered = frozenset(), frozenset()
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

    def _lose_what_comes_again(self, grant: LeaseGrant) -> None:
        """Links that are granted while we hold them: the lease that they were held under is over.

        What their pages led to was sent in vain, or will be: it must be found again on this visit, and not
        only once the settlement was refused.
        """
        again = {link.id for batch in grant.batches for link in batch.links}
        if not self._unanswered.isdisjoint(again) or any(batch.has_any_of(again) for batch in self._ended):
            self._forget_links()
        for batch in list(self._active.values()):
            if batch.has_any_of(again):
                self._lose(batch)

    def _forget_links(self) -> None:
        """Links that a refused settlement carried must be sent again when they are found again."""
        for plan in self._plans.values():
            plan.discovery.forget()

    async def _lease(self) -> None:
        options = self._options
        crawl_ids = self._wanted()
        self._asked_for = frozenset(crawl_ids)
        request = LeaseRequest(
            node_id=options.node_id,
            crawl_ids=crawl_ids,
            max_links=max(64, 4 * options.concurrency),
            max_batches=max(8, options.concurrency),
            batch_slots=options.batch_slots,
            duration=options.lease_duration,
        )
        grant = await self._store.lease(request)
        now = self._clock.monotonic()
        self._asked_for = frozenset()
        self._lose_what_comes_again(grant)
        for batch in grant.batches:
            self._take(batch, now)
        if not self.alone:
            await self._look_around(crawl_ids, grant, now)
        elif not grant.batches:
            await self._nothing_to_lease(grant, now)

    def _take(self, batch: HostBatch, now: float) -> None:
        active, news = self._intake.admit(batch, now)
        self._active[batch.fence] = active
        if news is not None:
            # The user gave another pace this time: other processes must know it too.
            report = HostReport(None, news)
            self._call(
                f"learn {next(self._learnt)}",
                self._renew([Renewal(batch.fence, self._options.lease_duration, report)]),
            )
        for crawl_id in active.crawl_ids & self._leaving:
            self._drop(active, crawl_id)
        self._dispatcher.offer(active)
        if self._closing:
            self.close(active)

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

    async def _look_around(self, crawl_ids: tuple[str, ...], grant: LeaseGrant, now: float) -> None:
        """See which crawls have ended, and when to ask again: others change the store at any time."""
        if grant.batches:
            self._idle_pause = _IDLE_PAUSE
        else:
            pause = self._idle_pause if grant.retry_in is None else min(self._idle_pause, grant.retry_in)
            self._ask_at = now + max(pause, 0.001)
            self._idle_pause = min(2 * self._idle_pause, _LONGEST_IDLE_PAUSE)
        held = [batch.crawl_ids for batch in (*self._active.values(), *self._ended)]
        await self._watch.look(crawl_ids, self._settling.union(*held))
