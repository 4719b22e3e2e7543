"""From a granted lease to a batch that can be worked on."""

from collections.abc import Mapping

from crawlmesh.crawl.active_batch import ActiveBatch
from crawlmesh.crawl.engine_options import EngineOptions
from crawlmesh.crawl.host_gates import HostGates
from crawlmesh.crawl.pace import HostPace, crawls_of, host_pace
from crawlmesh.crawl.plan import CrawlPlan
from crawlmesh.model.host import HostState, RobotsFile
from crawlmesh.model.lease import HostBatch
from crawlmesh.ports.clock import Clock
from crawlmesh.rules.politeness import paced, with_robots


class BatchIntake:
    """Finds the gate of a batch's host, and sets the pace that its crawls want."""

    def __init__(self, clock: Clock, plans: Mapping[str, CrawlPlan], options: EngineOptions) -> None:
        self._clock = clock
        self._plans = plans
        self._options = options
        self._gates = HostGates(clock, options.robots_agent)

    def admit(self, batch: HostBatch, now: float) -> tuple[ActiveBatch, HostState | None]:
        """The batch, at its gate, and the state of its host where others must know of it."""
        options = self._options
        crawl_ids = crawls_of(batch)
        pace = host_pace(self._plans, options, crawl_ids)
        state = paced(batch.host, pace.delay, pace.per_host, options.politeness)
        if not state.robots and self._ignore_robots(crawl_ids):
            state = self._without_robots(state, batch, pace)
        gate = self._gates.of(state)
        gate.limits = batch.limits  # they hold for the batches that are at work here, too
        gate.want(pace, options.politeness)
        active = ActiveBatch(
            batch,
            gate,
            flush_at=now + options.settle_after,
            closes_at=now + options.lease_duration / 2,
            renew_at=now + options.lease_duration / 3,
        )
        gate.batches += 1
        self.discover_sitemaps(active)
        if state == batch.host:
            return active, None
        active.reported = state
        return active, state

    def discover_sitemaps(self, batch: ActiveBatch) -> None:
        """Those that robots.txt names; known again in each process, because a kill may have come between."""
        link = next(iter(batch.links), None)
        plan = self._plans.get(link.crawl_id) if link else None
        if link and plan and plan.definition.sitemaps:
            locations = (url for rules in batch.gate.robots.values() for url in rules.sitemaps())
            found = (plan.discovery.sitemap(link, url) for url in locations)
            batch.discovered.extend(sitemap for sitemap in found if sitemap is not None)

    def _ignore_robots(self, crawl_ids: frozenset[str]) -> bool:
        plans = [self._plans.get(crawl_id) for crawl_id in crawl_ids]
        return all(plan is not None and plan.definition.ignore_robots for plan in plans)

    def _without_robots(self, state: HostState, batch: HostBatch, pace: HostPace) -> HostState:
        """The state of a host whose robots.txt will not be asked for, so that it need not be exclusive.

        The file is kept as one that could not be had: other crawls ask for it all the same.
        """
        scheme = batch.links[0].url.partition(":")[0]
        file = RobotsFile(self._clock.now(), None, None)
        return with_robots(state, scheme, file, None, pace.delay, pace.per_host, self._options.politeness)
