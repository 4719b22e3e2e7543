"""The nodes as the scheduler sees them: who is there, who has a free place, who fits which task."""

from collections import Counter, OrderedDict
from collections.abc import Callable, Collection, Iterator, Mapping

import msgspec

from crawlmesh.model.node import Node
from crawlmesh.model.task import Task
from crawlmesh.rules.compatibility import Obstacle, obstacles, queue_of
from crawlmesh.rules.placement import builtin_strategies
from crawlmesh.rules.placement.base import PlacementContext, PoolStrategy, Strategy
from crawlmesh.rules.placement.class_index import ClassIndex
from crawlmesh.rules.placement.history import WorkHistory
from crawlmesh.rules.placement.least_loaded import LeastLoaded
from crawlmesh.rules.placement.member import FULL, INACTIVE_CLUSTER, OVERLOADED
from crawlmesh.rules.placement.node_class import NodeClass
from crawlmesh.rules.placement.own_strategy import as_pool_strategy
from crawlmesh.rules.placement.queue_pool import PoolView, QueuePool

_MOST_POOLS = 512
_ALL_OVERLOADED = "all fitting nodes are overloaded"
_LEAST_LOADED = LeastLoaded()


class Placement(msgspec.Struct, frozen=True):
    """The node for a task."""

    node_id: str
    strategy: str  # that chose it
    choice: str  # why this node, one sentence


class FleetExplanation(msgspec.Struct, frozen=True):
    """What keeps a task from being placed, or that nothing does. A node may stand in several sentences."""

    nodes: int
    fitting: int  # that could do it, whatever they do at the moment
    free: int  # fitting ones that could begin now
    sentences: tuple[str, ...]


class Fleet:
    """An index of nodes in memory. It chooses, and counts what it is told; it does no input or output.

    A placement costs about the logarithm of the number of nodes. The first one of a new queue costs as
    much as there are classes of nodes: nodes with the same cluster, type, region, capabilities,
    resources and task types are one class.
    """

    def __init__(
        self, strategies: Mapping[str, Strategy] | None = None, default_strategy: str = LeastLoaded.name
    ) -> None:
        known = builtin_strategies() if strategies is None else strategies
        self._strategies = {name: as_pool_strategy(strategy) for name, strategy in known.items()}
        self._default = default_strategy
        self._index = ClassIndex()
        self._history = WorkHistory()
        self._pools: OrderedDict[tuple[str, bool], QueuePool] = OrderedDict()
        self._turns = 0
        self.failures: dict[str, Exception] = {}  # of strategies that failed when they last chose, by name

    def __len__(self) -> int:
        return len(self._index)

    def __iter__(self) -> Iterator[str]:
        """The ids of all nodes."""
        return iter(self._index)

    def node(self, node_id: str) -> Node | None:
        """A node as it was last told."""
        member = self._index.member(node_id)
        return None if member is None else member.node

    def running(self, node_id: str) -> int:
        """How many executions a node has; 0 for an unknown one."""
        member = self._index.member(node_id)
        return 0 if member is None else member.running

    # -- what happens to nodes ---------------------------------------------------------------------

    def update(self, node: Node, running: int) -> None:
        """A node is new, or changed; `running` executions are on it."""
        self._index.put(node, running)

    def remove(self, node_id: str) -> None:
        """A node is gone; an unknown one is fine."""
        self._index.remove(node_id)

    def set_cluster(self, cluster_id: str, active: bool) -> None:
        """Nodes of a cluster get work only while it is active, which it is unless told otherwise."""
        self._index.set_cluster(cluster_id, active)

    def take(self, node_id: str) -> None:
        """An execution was put on a node; `place` only chooses. An unknown node is fine."""
        member = self._index.member(node_id)
        if member is not None:
            self._turns += 1
            member.turn = self._turns
            self._index.count(member, member.running + 1)

    def give_back(self, node_id: str) -> None:
        """An execution of a node ended; an unknown node is fine."""
        member = self._index.member(node_id)
        if member is not None:
            self._index.count(member, max(0, member.running - 1))

    def remember(self, node_id: str, features: Mapping[str, str], success: bool) -> None:
        """An execution with these features (`content_based.features_of`) ended on a node."""
        self._history.remember(node_id, features, success)

    # -- where a task goes -------------------------------------------------------------------------

    def free_places(self, task: Task | None = None) -> int:
        """How many executions could begin now: of tasks like this one, or of any."""
        if task is not None:
            return self._pool(task, self._is_last_resort(task)).free_places()
        return sum(one.free_places for one in self._index.classes if one.active)

    def has_nobody_for(self, task: Task) -> bool:
        """Whether no node could take such a task, now or when what it has to do is done."""
        return not any(self._pool(task, last).has_ready_nodes() for last in (False, True))

    def place(
        self, task: Task, now: float, random: Callable[[], float], avoid: Collection[str] = ()
    ) -> Placement | None:
        """The node for a task, none of those to `avoid`; None where no fitting node has a free place.

        None too where a strategy of one's own fails: its task waits, and the others are placed. The
        place counts as taken only once `take` is called.
        """
        last_resort = self._is_last_resort(task)
        strategy = _LEAST_LOADED if last_resort else self._strategy(task)
        pool = self._pool(task, last_resort)
        context = PlacementContext(now, random)
        try:
            pick = strategy.pick(task, PoolView(pool, self._index, self._history, avoid, context))
        except Exception as error:
            self.failures[strategy.name] = error
            return None
        self.failures.pop(strategy.name, None)
        if pick is None:
            return None
        why = pick.why
        if last_resort:
            why = f"{_ALL_OVERLOADED}; took the least loaded one: {pick.candidate.describe()}"
        return Placement(pick.candidate.node.id, strategy.name, why)

    def explain(self, task: Task) -> FleetExplanation:
        """Why a task can or cannot be placed now."""
        counts: Counter[Obstacle] = Counter()
        fitting = free = 0
        last_resort = self._is_last_resort(task)
        for one in self._index.classes:
            found = obstacles(one.specimen, task)
            for obstacle in found:
                counts[obstacle] += len(one.members)
            if not found:
                fitting += len(one.members)
                free += len(one.open) if one.active and one.last_resort is last_resort else 0
                counts.update(_busy(one))
        sentences = [obstacle.of(count) for obstacle, count in counts.most_common() if count]
        if last_resort:
            sentences.insert(0, f"{_ALL_OVERLOADED}; the least loaded one is taken")
        sentences = [*self._failed_strategy(task), *sentences]
        return FleetExplanation(len(self), fitting, free, (_summary(len(self), fitting, free), *sentences))

    def _failed_strategy(self, task: Task) -> Iterator[str]:
        name = self._strategy(task).name
        error = self.failures.get(name)
        if error is not None:
            yield f"the strategy {name} failed: {type(error).__name__}: {error}"

    def _strategy(self, task: Task) -> PoolStrategy:
        for name in (task.schedule_strategy, self._default):
            if name is not None and name in self._strategies:
                return self._strategies[name]
        return _LEAST_LOADED

    def _is_last_resort(self, task: Task) -> bool:
        """Whether every node that could take such work is overloaded: then there is none to wait for."""
        if not self._index.overloaded or self._pool(task).has_ready_nodes():
            return False
        return self._pool(task, last_resort=True).has_ready_nodes()

    def _pool(self, task: Task, last_resort: bool = False) -> QueuePool:
        key = (task.queue or queue_of(task), last_resort)
        pool = self._pools.get(key)
        if pool is None:
            pool = self._pools[key] = QueuePool(task, self._index, last_resort)
            if len(self._pools) > _MOST_POOLS:
                self._pools.popitem(last=False)
        self._pools.move_to_end(key)
        pool.catch_up()
        return pool


def _busy(one: NodeClass) -> Counter[Obstacle]:
    if not one.active:
        return Counter({INACTIVE_CLUSTER: len(one.members)})
    if one.last_resort:
        return Counter({OVERLOADED: len(one.members), FULL: one.full})
    return one.unready + Counter({FULL: one.full})


def _summary(nodes: int, fitting: int, free: int) -> str:
    if not nodes:
        return "no node is registered"
    if not fitting:
        return f"none of the {nodes} nodes fits" if nodes > 1 else "the only node does not fit"
    return f"{free} of {fitting} fitting nodes {'has' if free == 1 else 'have'} a free place"
