"""The nodes that fit the tasks of one queue, best first."""

import heapq
from collections.abc import Callable, Collection, Mapping

from crawlmesh.model.task import Task
from crawlmesh.rules.compatibility import obstacles
from crawlmesh.rules.placement.base import Candidate, Order, PlacementContext, Rank, all_alike
from crawlmesh.rules.placement.class_index import ClassIndex
from crawlmesh.rules.placement.history import WorkHistory
from crawlmesh.rules.placement.member import Key, Member
from crawlmesh.rules.placement.node_class import Entry, NodeClass

_SPARE_ENTRIES = 64
_RANDOM_TRIES = 32


class _Ranking:
    """Classes by the rank of the class, then by the key of its first node.

    An entry whose class has fallen back since is put right when it comes up; one whose class has moved
    forward must be offered again.
    """

    def __init__(self, order: Order, rank: Callable[[NodeClass], float]) -> None:
        self.order = order
        self._rank = rank
        self._ranks: dict[int, float] = {}
        self._heap: list[tuple[float, Key, int, NodeClass]] = []

    def offer(self, one: NodeClass) -> None:
        first = one.first(self.order)
        if first is None:
            return
        if one.number not in self._ranks:
            self._ranks[one.number] = self._rank(one)
        if len(self._heap) > 4 * len(self._ranks) + _SPARE_ENTRIES:
            self._leave_one_each()
        heapq.heappush(self._heap, (self._ranks[one.number], first[0], one.number, one))

    def first(self) -> tuple[NodeClass, Entry] | None:
        while self._heap:
            rank, key, number, one = self._heap[0]
            first = one.first(self.order)
            if first is None:
                heapq.heappop(self._heap)
            elif first[0] != key:
                heapq.heapreplace(self._heap, (rank, first[0], number, one))
            else:
                return one, first
        return None

    def _leave_one_each(self) -> None:
        best: dict[int, tuple[float, Key, int, NodeClass]] = {}
        for entry in self._heap:
            if entry[2] not in best or entry < best[entry[2]]:
                best[entry[2]] = entry
        self._heap = list(best.values())
        heapq.heapify(self._heap)


class QueuePool:
    """The classes that fit the tasks of a queue, with a ranking for every order that was asked for.

    A pool has either the nodes that are well, or those that are overloaded and only the `last_resort`.
    """

    def __init__(self, sample: Task, index: ClassIndex, last_resort: bool = False) -> None:
        self.classes: dict[int, NodeClass] = {}  # that fit, by number
        self._last_resort = last_resort
        self.fitting = 0  # nodes
        self._task = sample
        self._index = index
        self._rankings: dict[tuple[Order, Rank], _Ranking] = {}
        self._generation = index.generation
        self._seen = 0  # classes
        self._version = 0
        self._membership = -1

    def catch_up(self) -> None:
        """Take in what happened to the classes since last time."""
        if self._generation != self._index.generation:
            self._forget_everything()
        self._look_at_new_classes()
        if self._version != self._index.version:
            self._offer_touched()
        if self._membership != self._index.membership:
            self._membership = self._index.membership
            self.fitting = sum(len(one.members) for one in self.classes.values())

    def ranking(self, order: Order, rank: Rank) -> _Ranking:
        """The classes in this order."""
        known = self._rankings.get((order, rank))
        if known is None:
            known = _Ranking(order, lambda one: rank(self._task, one.specimen))
            self._rankings[order, rank] = known
            for one in self.classes.values():
                known.offer(one)
        return known

    def holds(self, member: Member) -> bool:
        """Whether the node fits and has a free place now."""
        home = self._index.class_of(member.node.id)
        return home.number in self.classes and home.active and member.free > 0

    def free_places(self) -> int:
        """How many executions of this queue could begin now."""
        return sum(one.free_places for one in self.classes.values() if one.active)

    def has_ready_nodes(self) -> bool:
        """Whether any node could take such work, now or when it has a free place again."""
        return any(one.ready for one in self.classes.values() if one.active)

    def _offer_touched(self) -> None:
        touched = [one for one in self._index.touched_since(self._version) if one.number in self.classes]
        self._version = self._index.version
        for ranking in self._rankings.values():
            for one in touched:
                ranking.offer(one)

    def _look_at_new_classes(self) -> None:
        if self._seen == len(self._index.classes):
            return
        new = self._index.classes[self._seen :]
        self._seen = len(self._index.classes)
        self.classes |= {
            one.number: one
            for one in new
            if one.last_resort is self._last_resort and not obstacles(one.specimen, self._task)
        }

    def _forget_everything(self) -> None:
        self.classes.clear()
        self._rankings.clear()
        self._generation = self._index.generation
        self._seen = 0
        self._version = 0
        self._membership = -1


class PoolView:
    """The pool of a queue as a strategy sees it for one task: without the nodes to avoid."""

    def __init__(
        self,
        pool: QueuePool,
        index: ClassIndex,
        history: WorkHistory,
        avoid: Collection[str],
        context: PlacementContext,
    ) -> None:
        self._pool = pool
        self._index = index
        self._history = history
        self._avoid = avoid
        self.context = context

    @property
    def fitting(self) -> int:
        """How many nodes fit, busy ones included."""
        return self._pool.fitting

    def best(self, order: Order, rank: Rank = all_alike) -> Candidate | None:
        """The first by rank, then by order."""
        found = self._first(1, order, rank)
        return found[0] if found else None

    def sample(self, count: int) -> list[Candidate]:
        """The least loaded ones."""
        return self._first(count, Order.LOAD, all_alike)

    def any_one(self) -> Candidate | None:
        """One at random: a few tries among all free nodes, else among the fitting ones."""
        everyone = self._index.open
        for _ in range(_RANDOM_TRIES if everyone else 0):
            member = everyone[int(self.context.random() * len(everyone))]
            if self._may_take(member):
                return member.candidate()
        return self._any_fitting()

    def with_history(self, features: Mapping[str, str]) -> list[tuple[Candidate, float]]:
        """Those that did work with such features, each with how well (0 … 1)."""
        known = (
            (self._index.member(node_id), how) for node_id, how in self._history.similar(features).items()
        )
        return [(member.candidate(), how) for member, how in known if member and self._may_take(member)]

    def _may_take(self, member: Member) -> bool:
        return member.node.id not in self._avoid and self._pool.holds(member)

    def _first(self, count: int, order: Order, rank: Rank) -> list[Candidate]:
        """The first ones. What stands before the last of them is hidden meanwhile and shown again after."""
        ranking = self._pool.ranking(order, rank)
        hidden: list[tuple[NodeClass, Entry]] = []
        found: list[Candidate] = []
        while (top := ranking.first()) is not None:
            home, entry = top
            if entry[2].node.id not in self._avoid:
                found.append(entry[2].candidate())
                if len(found) == count:
                    break
            home.hide(order)
            hidden.append(top)
        for home, entry in hidden:
            home.show(order, entry)
        for home in {home.number: home for home, _ in hidden}.values():
            ranking.offer(home)
        return found

    def _any_fitting(self) -> Candidate | None:
        classes = [one for one in self._pool.classes.values() if one.active and one.open]
        wanted = int(self.context.random() * sum(len(one.open) for one in classes))
        for one in classes:
            if wanted < len(one.open):
                member = one.open[wanted]
                return member.candidate() if self._may_take(member) else self.best(Order.LOAD)
            wanted -= len(one.open)
        return None
