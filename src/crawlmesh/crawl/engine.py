"""The engine of one process: keeps requests under way and turns answers into settlements."""

import asyncio
import random
from collections.abc import Mapping

import msgspec

from crawlmesh.crawl.active_batch import ActiveBatch
from crawlmesh.crawl.crawl_watch import CrawlEnd, CrawlWatch
from crawlmesh.crawl.dispatcher import BatchOver, Dispatcher, LinkRefused, PageStart, RobotsStart
from crawlmesh.crawl.engine_options import EngineOptions
from crawlmesh.crawl.lease_keeper import LeaseKeeper
from crawlmesh.crawl.page_visit import PageVisit, Repeat
from crawlmesh.crawl.plan import CrawlPlan
from crawlmesh.crawl.robots_visit import RobotsVisit
from crawlmesh.crawl.tally import CrawlTally
from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.model.link import LeasedLink
from crawlmesh.model.outcome import LinkOutcome, OutcomeKind
from crawlmesh.model.page import FetchRequest, FetchResponse
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.ports.fetcher import Fetcher
from crawlmesh.ports.page_archive import PageArchive
from crawlmesh.rules.politeness import after_response
from crawlmesh.rules.retry_delay import retry_after

__all__ = ["Engine", "EngineOptions"]

_LONGEST_WAIT = 0.5  # seconds between two looks at leases that may have to be renewed or closed
_MOST_REPEATS = 3  # requests for a URL that redirects to itself


class _Leaving(msgspec.Struct):
    """A crawl that is given back: until when its requests are waited for, and who waits for that."""

    give_up_at: float  # on the monotonic clock
    gone: asyncio.Future[None]


def _nobody_waits(_crawl_id: str, _progress: CrawlProgress | None) -> None:
    pass


class Engine:
    """Runs crawls until nothing is left of them, or until it is told to stop.

    One coroutine does everything; only calls to the store run beside it. Crawls may come and go while
    it runs; `on_crawl_end` is called once a crawl has nothing left for this process.
    """

    def __init__(
        self,
        store: CrawlStore,
        fetcher: Fetcher,
        clock: Clock,
        plans: Mapping[str, CrawlPlan],
        options: EngineOptions,
        archive: PageArchive | None = None,
        on_crawl_end: CrawlEnd = _nobody_waits,
    ) -> None:
        self._fetcher = fetcher
        self._clock = clock
        self._plans = dict(plans)
        self._tallies = {crawl_id: CrawlTally() for crawl_id in plans}
        self._options = options
        self._archive = archive
        self._dispatcher = Dispatcher(options.requests_per_second, self._plans)
        watch = CrawlWatch(store, clock, self._plans, on_crawl_end)
        self._keeper = LeaseKeeper(
            store, fetcher, clock, self._plans, options, self._dispatcher, archive, watch
        )
        self._visit = PageVisit(options.visit)
        self._robots = RobotsVisit(fetcher, clock, options, self._dispatcher, self._keeper)
        self._pages: dict[int, tuple[ActiveBatch, LeasedLink]] = {}  # requests under way, by token
        self._leaving: dict[str, _Leaving] = {}
        self._last_token = 0
        self._stopping = False
        self._working = False
        self._give_up_at = 0.0  # when requests under way are waited for no longer, once stopping

    @property
    def running(self) -> int:
        """Requests under way."""
        return len(self._pages) + self._robots.running

    def tally(self, crawl_id: str) -> CrawlTally:
        """What was done here for a crawl."""
        return self._tallies.get(crawl_id) or CrawlTally()

    def add_plan(self, plan: CrawlPlan) -> None:
        """Work on a crawl, too. One that is known already goes on as it is."""
        if plan.crawl_id in self._plans:
            return
        self._plans[plan.crawl_id] = plan
        self._tallies[plan.crawl_id] = CrawlTally()
        self._keeper.plan_added(plan.crawl_id)
        if self._working:
            self._fetcher.wake()

    async def remove_plan(self, crawl_id: str, patience: float = 1.0) -> CrawlTally:
        """Give a crawl back: settle what is done, wait `patience` seconds for requests, return the rest."""
        if crawl_id in self._plans and self._working:
            leaving = self._leaving.get(crawl_id)
            if leaving is None:
                gone = asyncio.get_running_loop().create_future()
                leaving = self._leaving[crawl_id] = _Leaving(self._clock.monotonic() + patience, gone)
                self._keeper.give_back(crawl_id)
            self._fetcher.wake()
            await asyncio.shield(leaving.gone)
        else:
            self._plans.pop(crawl_id, None)
        return self._tallies.pop(crawl_id, CrawlTally())

    def stop(self) -> None:
        """Start nothing new, settle what comes back, and return from `run`."""
        self._stopping = True
        self._give_up_at = self._clock.monotonic() + self._options.stop_patience
        self._keeper.close_all()
        if self._working:
            self._fetcher.wake()

    async def run(self, *, until_finished: bool = True) -> None:
        """Work until `stop` is called; with `until_finished`, until the crawls it has are finished."""
        self._keeper.alone = until_finished
        await self._fetcher.open()
        self._working = True
        try:
            while not self._over():
                if self._stopping and self._clock.monotonic() >= self._give_up_at:
                    self._keeper.give_up_requests()
                if self._leaving:
                    self._let_go()
                self._start_requests()
                self._keeper.raise_failures()
                self._keeper.exchange(self._clock.monotonic(), self.running, stopping=self._stopping)
                for response in await self._fetcher.completed(self._patience()):
                    self._receive(response)
        finally:
            self._working = False
            try:
                await self._keeper.aclose()
                await self._fetcher.aclose()
            finally:
                self._let_all_go()

    def _over(self) -> bool:
        if not self._keeper.idle:
            return False
        return self._stopping or self._keeper.finished

    def _let_go(self) -> None:
        """Forget crawls of which nothing is held any more."""
        now = self._clock.monotonic()
        for crawl_id, leaving in list(self._leaving.items()):
            if now >= leaving.give_up_at:
                self._keeper.give_up_requests_of(crawl_id)
            if not self._keeper.holds(crawl_id):
                del self._leaving[crawl_id]
                self._plans.pop(crawl_id, None)
                self._keeper.plan_removed(crawl_id)
                leaving.gone.set_result(None)

    def _let_all_go(self) -> None:
        for leaving in self._leaving.values():
            leaving.gone.set_result(None)
        self._leaving.clear()

    def _patience(self) -> float | None:
        if not self._plans and not self._stopping and not self.running and self._keeper.idle:
            return None  # a new plan wakes
        now = self._clock.monotonic()
        moments = [self._keeper.next_moment(self.running), self._robots.next_moment()]
        moments += [leaving.give_up_at for leaving in self._leaving.values() if leaving.give_up_at > now]
        if self.running < self._options.concurrency:
            moments.append(self._dispatcher.next_moment())
        known = [moment - now for moment in moments if moment is not None]
        return max(0.0, min([_LONGEST_WAIT, *known]))

    def _start_requests(self) -> None:
        now = self._clock.monotonic()
        self._robots.start_due(now)
        while self.running < self._options.concurrency:
            decision = self._dispatcher.next(now)
            if decision is None:
                return
            if isinstance(decision, PageStart):
                self._request_page(decision.batch, decision.link)
            elif isinstance(decision, RobotsStart):
                self._robots.request(decision.gate, decision.scheme, self._token())
            elif isinstance(decision, BatchOver):
                self._keeper.close(decision.batch)
            else:
                self._refuse(decision)

    def _token(self) -> int:
        self._last_token += 1
        return self._last_token

    def _request_page(self, batch: ActiveBatch, link: LeasedLink) -> None:
        token = self._token()
        self._pages[token] = (batch, link)
        any_type = link.is_sitemap  # they come compressed, too
        headers = self._plans[link.crawl_id].pace.headers + _validators(link)
        self._fetcher.start(FetchRequest(token, link.address, link.crawl_id, headers, not any_type))

    def _refuse(self, decision: LinkRefused) -> None:
        """A link whose robots.txt forbids it or cannot be had now, or whose host is down."""
        batch, link, rules = decision.batch, decision.link, decision.rules
        now = self._clock.now()
        if rules is None:
            outcome = _unasked(link, OutcomeKind.DEAD, "host_down", now)
        elif rules.unavailable:
            response = self._robots.failure(batch.gate, link)
            outcome = self._visit.without_robots(link, response, now, random.random())  # noqa: S311
        else:
            outcome = _unasked(link, OutcomeKind.SKIPPED, "robots", now)
        self._keep(batch, link, outcome)
        if batch.ended:
            self._keeper.end(batch)

    def _receive(self, response: FetchResponse) -> None:
        under_way = self._pages.pop(response.token, None)
        if under_way is None:
            self._robots.receive(response, self._token)
            return
        batch, link = under_way
        if link.id in batch.under_way:  # else it was given up, and is no longer ours
            batch.under_way.discard(link.id)
            if not batch.lost:
                self._finish(batch, link, response)
        if batch.ended:
            self._keeper.end(batch)
        else:
            self._dispatcher.offer(batch)

    def _finish(self, batch: ActiveBatch, link: LeasedLink, response: FetchResponse) -> None:
        self._be_polite(batch, response)
        plan = self._plans[link.crawl_id]
        now = self._clock.now()
        outcome = self._outcome(batch, plan, link, response, now)
        if isinstance(outcome, Repeat):
            self._repeat(batch, link, outcome, response)
            return
        if self._archive is not None and outcome.record is not None and plan.definition.archive:
            outcome = msgspec.structs.replace(outcome, archive=self._archive.append(response, now))
        self._keep(batch, link, outcome)

    def _keep(self, batch: ActiveBatch, link: LeasedLink, outcome: LinkOutcome) -> None:
        batch.outcomes.append(outcome)
        tally = self._tallies[link.crawl_id]
        tally.count(outcome)
        if plan := self._plans.get(link.crawl_id):
            tally.known = plan.discovery.known

    def _outcome(
        self, batch: ActiveBatch, plan: CrawlPlan, link: LeasedLink, response: FetchResponse, now: float
    ) -> LinkOutcome | Repeat:
        """What comes of an answer. No page may end the crawl, whatever is on it."""
        jitter = random.random()  # noqa: S311
        try:
            return self._visit.outcome(plan, link, response, now, jitter, batch.discovered, batch.skipped)
        except Exception as error:
            return _unasked(link, OutcomeKind.DEAD, f"fault_{type(error).__name__}", now)

    def _repeat(self, batch: ActiveBatch, link: LeasedLink, repeat: Repeat, response: FetchResponse) -> None:
        """A page that redirects to itself sets a cookie, or wants to be asked by another spelling."""
        if self._keeper.is_leaving(link.crawl_id):
            return
        repeats = batch.repeats.get(link.id, 0) + 1
        batch.repeats[link.id] = repeats
        if repeats <= _MOST_REPEATS:
            batch.links.appendleft(msgspec.structs.replace(link, request_url=repeat.address))
            return
        dead = LinkOutcome(
            link.id,
            OutcomeKind.DEAD,
            link.attempt,
            response.status,
            "redirect_limit",
            fetched_at=self._clock.now(),
            elapsed=response.elapsed,
        )
        self._keep(batch, link, dead)

    def _be_polite(self, batch: ActiveBatch, response: FetchResponse) -> None:
        gate = batch.gate
        if gate.delay:
            gate.sent(self._clock.monotonic() - response.elapsed + response.sent_after)
        state = gate.state
        status = response.status
        if 200 <= status < 400 and not state.pressure and not state.failures:
            return
        limits = self._options.politeness
        wish = retry_after(response, self._clock.now())
        gate.state, rest = after_response(state, status, response.failure, wish, gate.pace.delay, limits)
        if gate.state.failures >= limits.failures_of_a_dead_host:
            gate.down_until = self._clock.monotonic() + limits.max_rest
        elif rest > 0:
            gate.rest(self._clock.monotonic(), rest)
            batch.closing = True


def _unasked(link: LeasedLink, kind: OutcomeKind, reason: str, now: float) -> LinkOutcome:
    return LinkOutcome(link.id, kind, link.attempt, reason=reason, fetched_at=now)


def _validators(link: LeasedLink) -> tuple[tuple[str, str], ...]:
    headers = []
    if link.etag:
        headers.append(("If-None-Match", link.etag))
    if link.last_modified:
        headers.append(("If-Modified-Since", link.last_modified))
    return tuple(headers)
