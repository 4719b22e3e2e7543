"""Keeps the fleet of the placement rules in step with the store."""

import asyncio

from crawlmesh.control.context import ControlContext
from crawlmesh.model.cluster import ClusterStatus
from crawlmesh.model.event import Event, EventType
from crawlmesh.model.node import Node
from crawlmesh.model.query import EventQuery, TaskQuery
from crawlmesh.model.task import Task, TaskStatus
from crawlmesh.rules.placement.content_based import features_of
from crawlmesh.rules.placement.fleet import Fleet

_OVERLAP = 2.0  # seconds that are read twice, for masters whose clocks differ and writes that overlap
_SHARE_OF_TIME = 10.0  # reading all loads takes at most one part in so many of the scheduler's time
_MOST_EVENTS = 1000
_AT_ONCE = 500  # nodes
_ENDS = (EventType.TASK_COMPLETED, EventType.TASK_FAILED)


class FleetView:
    """The fleet as the leader sees it.

    Nodes are read whole when the lead begins, then what changed, about once in a second. Loads are
    counted by whoever places (`fleet.take`), and by what use cases of this process tell of places that
    became free (`context.signals`). What other masters free wakes the scheduler by the topic `tasks`;
    it then has all loads read again, which also puts right whatever was told in an unlucky moment.
    Only the scheduler may call what touches loads: a placement that is under way must not be overlooked.
    """

    def __init__(self, context: ControlContext) -> None:
        self._context = context
        self.fleet = Fleet(context.strategies, context.options.default_strategy)
        self.nodes: dict[str, Node] = {}
        self._loaded = False
        self._reading = asyncio.Lock()
        self._has_new_nodes = False  # whose loads have not been read
        self._changed_since = 0.0
        self._next_nodes = float("-inf")  # monotonic seconds, as the next ones
        self._next_reload = float("-inf")
        self._next_loads = float("-inf")
        self._loads_read_at = float("-inf")
        self._last_event = 0
        self._history_after: int | None = None

    # -- nodes -------------------------------------------------------------------------------------

    async def load(self) -> None:
        """Read everything; done once by itself, when it is first needed."""
        if not self._loaded:
            self._loaded = True
            self._context.signals.listening = True
            self._context.remembered.fleet = self.fleet
            self._context.remembered.fleet_until = float("inf")
            await self.refresh_nodes()
            await self.refresh_loads()

    async def refresh_nodes(self) -> None:
        """Read which nodes and clusters changed, unless that was done just now.

        Loops that ask at the same time wait for one answer, so that none goes on with half of the nodes.
        """
        async with self._reading:
            await self._refresh_nodes()

    async def _refresh_nodes(self) -> None:
        options = self._context.options
        moment = self._context.clock.monotonic()
        if moment < self._next_nodes:
            return
        self._next_nodes = moment + options.fleet_refresh
        if moment >= self._next_reload:
            self._next_reload = moment + options.fleet_reload
            await self._reload()
        else:
            await self._read_changes()
        for cluster in await self._context.store.clusters():
            self.fleet.set_cluster(cluster.id, cluster.status is ClusterStatus.ACTIVE)

    async def _reload(self) -> None:
        since = self._context.clock.now() - _OVERLAP
        self._last_event = await self._context.store.last_event_id()
        nodes = await self._context.store.nodes_changed_since(0.0)
        self._changed_since = since
        for node_id in self.nodes.keys() - {node.id for node in nodes}:
            self._forget(node_id)
        for number, node in enumerate(nodes):
            self.saw(node)
            if number % _AT_ONCE == 0:
                await asyncio.sleep(0)  # others have their turn where there are thousands

    async def _read_changes(self) -> None:
        since = self._context.clock.now() - _OVERLAP
        for node in await self._context.store.nodes_changed_since(self._changed_since):
            self.saw(node)
        self._changed_since = since
        await self._forget_removed()

    async def _forget_removed(self) -> None:
        """Rows that are gone are not among those that changed; their events tell."""
        store = self._context.store
        last = await store.last_event_id()
        if last == self._last_event:
            return
        query = EventQuery(after=self._last_event, types=(EventType.NODE_UNREGISTERED,), limit=_MOST_EVENTS)
        for event in await store.events(query):
            if event.node_id is not None and await store.node(event.node_id) is None:
                self._forget(event.node_id)
        self._last_event = last

    def saw(self, node: Node) -> None:
        """Take in how a node is now. Older news than what is known is left alone."""
        known = self.nodes.get(node.id)
        if known is not None and known.fence > node.fence and known.created_at == node.created_at:
            return
        self.nodes[node.id] = node
        self._has_new_nodes |= known is None
        if known is None or _matters(known, node):
            self.fleet.update(node, self.fleet.running(node.id))

    def _forget(self, node_id: str) -> None:
        self.nodes.pop(node_id, None)
        self.fleet.remove(node_id)

    # -- loads -------------------------------------------------------------------------------------

    def take_freed(self) -> None:
        """Count the places that became free in this process since last time."""
        for node_id, number in self._context.signals.take().items():
            for _ in range(number):
                self.fleet.give_back(node_id)

    async def refresh_loads(self) -> bool:
        """Read all loads, unless that was done just now. Whether it was done."""
        clock = self._context.clock
        begun = clock.monotonic()
        if begun < self._next_loads and not self._has_new_nodes:
            return False
        self._has_new_nodes = False
        signals = self._context.signals
        signals.take()  # what was told before is in what is read now
        loads = await self._context.store.node_loads()
        # What was told meanwhile may be in it or not. Counting it again could put too much on a node;
        # leaving it out keeps a place empty until the next look, which then must be soon.
        unsure = bool(signals.take())
        for node_id, node in self.nodes.items():
            running = loads.get(node_id, 0)
            if running != self.fleet.running(node_id):
                self.fleet.update(node, running)
        ended = clock.monotonic()
        self._loads_read_at = float("-inf") if unsure else ended
        self._next_loads = ended + (ended - begun) * _SHARE_OF_TIME
        return True

    async def refresh_old_loads(self) -> None:
        """Read all loads where that is long ago, so that no mistake stays."""
        due = self._loads_read_at + self._context.options.fleet_refresh
        if self._has_new_nodes or self._context.clock.monotonic() >= due:
            await self.refresh_loads()

    # -- what nodes did before ---------------------------------------------------------------------

    async def refresh_history(self) -> None:
        """Learn from executions that ended. Called only while tasks ask for a strategy that looks at it."""
        store = self._context.store
        last = await store.last_event_id()
        if self._history_after is None:
            page = await store.list_tasks(
                TaskQuery(
                    statuses=(TaskStatus.COMPLETED, TaskStatus.FAILED),
                    order="-updated_at",
                    limit=_MOST_EVENTS,
                )
            )
            for task in reversed(page.tasks):
                self._learn(task, task.assigned_node)
        elif last > self._history_after:
            await self._learn_from(
                await store.events(EventQuery(after=self._history_after, types=_ENDS, limit=_MOST_EVENTS))
            )
        self._history_after = last

    async def _learn_from(self, events: list[Event]) -> None:
        nodes = {event.task_id: event.node_id for event in events if event.task_id is not None}
        for task in await self._context.store.tasks_by_id(list(nodes)) if nodes else ():
            self._learn(task, nodes[task.id])

    def _learn(self, task: Task, node_id: str | None) -> None:
        features = features_of(task)
        if features and node_id is not None:
            self.fleet.remember(node_id, features, task.status is TaskStatus.COMPLETED)


async def current_fleet(context: ControlContext) -> Fleet:
    """The leader's fleet, or one that was read from the store at most two seconds ago; only to look at."""
    remembered = context.remembered
    moment = context.clock.monotonic()
    if remembered.fleet is not None and moment < remembered.fleet_until:
        return remembered.fleet
    fleet = Fleet(context.strategies, context.options.default_strategy)
    loads = await context.store.node_loads()
    for node in await context.store.nodes_changed_since(0.0):
        fleet.update(node, loads.get(node.id, 0))
    for cluster in await context.store.clusters():
        fleet.set_cluster(cluster.id, cluster.status is ClusterStatus.ACTIVE)
    if remembered.fleet is None or moment >= remembered.fleet_until:
        remembered.fleet, remembered.fleet_until = fleet, moment + _OVERLAP
    return fleet


def _matters(known: Node, node: Node) -> bool:
    """Whether anything changed that placement looks at; most heartbeats change nothing."""
    return (
        known.fence != node.fence
        or known.health.status is not node.health.status
        or abs(known.load - node.load) >= 0.01
    )
