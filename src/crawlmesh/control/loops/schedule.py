"""Put pending tasks on nodes: many in one round, the most urgent first (S3)."""

import heapq

from crawlmesh.control.context import ControlContext
from crawlmesh.control.fleet_view import FleetView
from crawlmesh.control.lead import Lead
from crawlmesh.control.loops.leader_loop import LeaderLoop
from crawlmesh.control.loops.placement_log import PlacementLog
from crawlmesh.control.loops.queue_reader import QueueReader
from crawlmesh.model.change import TaskChange
from crawlmesh.model.execution import Allocation, Execution
from crawlmesh.model.query import QueueHead
from crawlmesh.model.task import WEB_CRAWL, Task
from crawlmesh.observability.metrics import PLACED, ROUND_SECONDS, ROUNDS
from crawlmesh.rules import task_lifecycle
from crawlmesh.rules.placement.content_based import ContentBased
from crawlmesh.rules.placement.fleet import Placement
from crawlmesh.rules.resource_allocation import allocate


class Schedule(LeaderLoop):
    """Woken by tasks that get open places and by places that become free.

    A round asks which queues have tasks, leaves out those whose nodes are full or that no node fits
    without reading their tasks, and takes of the others the highest priority first, then the oldest.
    What it costs depends on how many tasks it places, not on how many wait or how many nodes there are.
    """

    def __init__(self, context: ControlContext, lead: Lead, fleet_view: FleetView) -> None:
        super().__init__(context, lead)
        self._view = fleet_view
        self._allocations: dict[tuple[str, str], Allocation] = {}  # by queue and node, for one round
        self._log = PlacementLog()
        self._seen = 0  # of the topic `tasks`
        self._waiting = False  # whether there are tasks that found no place

    def interval(self) -> float:
        """Seconds until a round that nothing asked for: sooner while tasks wait for nodes to come."""
        options = self.context.options
        return (
            min(options.schedule_interval, options.fleet_refresh)
            if self._waiting
            else options.schedule_interval
        )

    async def pause(self, done: int) -> None:
        """Go on at once while there is something to place, else wait to be woken."""
        if done:
            await super().pause(done)
        else:
            await self.context.store.wait("tasks", self._seen, self.interval())

    async def run_once(self, now: float) -> int:
        """One round. Returns how many executions began."""
        clock, measurements = self.context.clock, self.context.measurements
        begun = clock.monotonic()
        placed = await self._place_all(now)
        self._log.round_ended(self._view.fleet, now)
        measurements.add(ROUNDS)
        measurements.observe(ROUND_SECONDS, clock.monotonic() - begun)
        measurements.add(PLACED, placed)
        return placed

    async def _place_all(self, now: float) -> int:
        store = self.context.store
        self._seen = store.mark("tasks")
        heads = await store.queue_heads()
        self._waiting = bool(heads)
        if not heads:
            return 0
        await self._view.load()
        await self._view.refresh_nodes()
        await self._view.refresh_old_loads()
        if any(self._uses_history(head.sample) for head in heads):
            await self._view.refresh_history()
        placed = await self._round(heads, now)
        if not placed and await self._view.refresh_loads():
            placed = await self._round(heads, now)
        return placed

    def _uses_history(self, task: Task) -> bool:
        return (task.schedule_strategy or self.context.options.default_strategy) == ContentBased.name

    async def _round(self, heads: list[QueueHead], now: float) -> int:
        self._view.take_freed()
        self._allocations.clear()
        fleet = self._view.fleet
        limit = min(self.context.options.max_tasks_per_schedule, fleet.free_places())
        free = {head.queue: fleet.free_places(head.sample) for head in heads} if limit else {}
        open_heads = [head for head in heads if free.get(head.queue)]
        if not open_heads:
            return 0
        share = max(limit // len(open_heads), 1) if len(open_heads) > 1 else limit
        readers = [
            QueueReader(self.context.store, head.queue, min(share, free[head.queue])) for head in open_heads
        ]
        changes = await self._choose(readers, limit, now)
        return await self._write(changes)

    async def _choose(self, readers: list[QueueReader], limit: int, now: float) -> list[TaskChange]:
        """Decide on up to `limit` tasks, the most urgent of all queues first. Their places are taken."""
        urgent = [
            (task.urgency, number) for number, reader in enumerate(readers) if (task := await reader.next())
        ]
        heapq.heapify(urgent)
        changes: list[TaskChange] = []
        while urgent:
            _, number = urgent[0]
            reader = readers[number]
            change = self._placed(reader, now)
            if change is not None:
                changes.append(change)
            if len(changes) == limit:
                break
            following = await reader.next() if reader.worth_reading else None
            if following is None:
                heapq.heappop(urgent)
            else:
                heapq.heapreplace(urgent, (following.urgency, number))
        return changes

    def _placed(self, reader: QueueReader, now: float) -> TaskChange | None:
        task, avoid = reader.current
        context = self.context
        placement = self._view.fleet.place(task, now, context.random.random, avoid)
        if placement is None:
            reader.found_no_place()
            return None
        self._view.fleet.take(placement.node_id)
        self._log.chose(task, placement)
        return task_lifecycle.placed(task, self._execution(task, placement, now), now)

    def _execution(self, task: Task, placement: Placement, now: float) -> Execution:
        return Execution(
            id=self.context.ids.make("exec"),
            task_id=task.id,
            node_id=placement.node_id,
            fence=task.fence + 1,
            start_time=now,
            deadline=self._deadline(task, now),
            retry_count=task.retry_count,
            allocation=self._allocated(task, placement.node_id),
            strategy=placement.strategy,
            choice=placement.choice,
        )

    def _allocated(self, task: Task, node_id: str) -> Allocation:
        """What the node gives, the same for all tasks of a queue in one round."""
        found = self._allocations.get((task.queue, node_id))
        if found is None:
            found = self._allocations[task.queue, node_id] = allocate(task, self._view.nodes[node_id])
        return found

    def _deadline(self, task: Task, now: float) -> float | None:
        """A crawl may take as long as the site is large: each of its requests has a time-out."""
        if task.timeout is not None:
            return now + task.timeout
        return None if task.task_type == WEB_CRAWL else now + self.context.options.task_timeout

    async def _write(self, changes: list[TaskChange]) -> int:
        if not changes:
            return 0
        taken: list[bool] = [False] * len(changes)
        try:
            taken = await self.context.store.change_tasks(
                changes, leader_fence=self.lead.fence(), now=self.context.clock.now()
            )
        finally:
            for change, done in zip(changes, taken, strict=True):
                if not done:
                    self._view.fleet.give_back(change.executions[0].node_id)
                elif node := self._view.nodes.get(change.executions[0].node_id):
                    self.context.outbox.placed(change, node)
        self._log.wrote(changes, taken)
        return sum(taken)
