"""The cluster and its crawls in numbers, every five seconds, for charts (M1)."""

from crawlmesh.control.context import ControlContext
from crawlmesh.control.crawl_looks import CrawlLooks
from crawlmesh.control.fleet_view import FleetView
from crawlmesh.control.lead import Lead
from crawlmesh.control.loops.leader_loop import LeaderLoop
from crawlmesh.control.roll_up import RollUp
from crawlmesh.model.sample import CLUSTER_SERIES, STEPS, Sample
from crawlmesh.model.task import TaskStatus
from crawlmesh.rules.cluster_means import cluster_means
from crawlmesh.rules.series import step_before

_STEP = STEPS[0]
_LATE = 3 * _STEP  # seconds; after more than that nobody knows what was meanwhile
_A_LITTLE = 0.05  # seconds after the end of a step


class TakeSamples(LeaderLoop):
    """Samples what ended just now, at the end of each step of the clock, so that each step gets one.

    What nodes told last is summed up; crawls are looked at in turn, so that many cost no more than some.
    """

    hurries = False

    def __init__(self, context: ControlContext, lead: Lead, fleet_view: FleetView) -> None:
        super().__init__(context, lead)
        self._fleet_view = fleet_view
        self._crawls = CrawlLooks(context)
        self._roll_up = RollUp(context.store)
        self._last = float("-inf")

    def interval(self) -> float:
        """Seconds until the step that runs is over."""
        return _STEP - self.context.clock.now() % _STEP + _A_LITTLE

    async def run_once(self, now: float) -> int:
        """Returns how many samples of five seconds were taken; none where the step has one."""
        if self._last >= step_before(now, _STEP) + _STEP:
            return 0
        store = self.context.store
        tasks = (await store.count_tasks()).by_status
        running = bool(tasks.get(TaskStatus.PROCESSING.value))
        samples = await self._crawls.samples(now, running=running)
        samples.append(await self._cluster(tasks, now))
        self._last = now
        kept = await self._roll_up.with_coarser(samples)
        self._roll_up.forget(now)
        await store.keep_samples(kept, leader_fence=self.lead.fence(), now=self.context.clock.now())
        return len(samples)

    async def _cluster(self, tasks: dict[str, int], now: float) -> Sample:
        await self._fleet_view.refresh_nodes()
        loads = await self.context.store.node_loads()
        heard_since = now - self.context.options.heartbeat_timeout
        elapsed = now - self._last
        return Sample(
            series=CLUSTER_SERIES,
            step=_STEP,
            at=step_before(now, _STEP),
            seconds=elapsed if elapsed <= _LATE else float(_STEP),
            means=cluster_means(
                self._fleet_view.nodes.values(), loads, tasks, self._crawls.queued, heard_since
            ),
        )
