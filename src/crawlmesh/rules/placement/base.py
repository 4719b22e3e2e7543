"""What a strategy of placement is, and what it gets to work with.

There are two kinds. A strategy of one's own is a class with a `name` and `choose`: it sees the least loaded
fitting nodes, at most 64, and returns one of them. The ones that come with Crawlmesh have `pick` instead:
they ask the pool of fitting nodes for the best by an order, which costs the same for 10 and 10,000 nodes.
"""

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Protocol, runtime_checkable

import msgspec

from crawlmesh.model.node import Node
from crawlmesh.model.task import Task

Rank = Callable[[Task, Node], float]
"""How far from ideal a node is for a task, by what the node is, not by what it does. Lower comes first.

It is asked once for a whole group of nodes with the same capabilities and region, so it must not look at
anything else of the node.
"""


def all_alike(_task: Task, _node: Node) -> float:
    """The rank of strategies to which all fitting nodes are the same."""
    return 0.0


class Order(Enum):
    """By what nodes of the same rank are put in order."""

    LOAD = "load"  # share of places taken, then load
    SHARE = "share"  # running tasks for each unit of weight
    TURN = "turn"  # whose turn is longest ago


class Candidate(msgspec.Struct, frozen=True):
    """A node that fits, with how many executions it has."""

    node: Node
    running: int

    def describe(self) -> str:
        """How busy it is, as a part of a sentence."""
        return f"{self.running} of {self.node.slots} places taken, load {self.node.load:.2f}"


class Pick(msgspec.Struct, frozen=True):
    """The node that a strategy decided on, and why, as one sentence without a full stop."""

    candidate: Candidate
    why: str


class PlacementContext(msgspec.Struct, frozen=True):
    """What a strategy may need from outside."""

    now: float
    random: Callable[[], float]  # 0 … 1, without 1


class Pool(Protocol):
    """The nodes that fit a task and have a free place."""

    @property
    def context(self) -> PlacementContext:
        """What comes from outside."""
        ...

    @property
    def fitting(self) -> int:
        """How many nodes fit, busy ones included."""
        ...

    def best(self, order: Order, rank: Rank = all_alike) -> Candidate | None:
        """The first by rank, then by order."""
        ...

    def any_one(self) -> Candidate | None:
        """One at random, each as likely as the others."""
        ...

    def with_history(self, features: Mapping[str, str]) -> list[tuple[Candidate, float]]:
        """Those that did work with such features, at most some dozens, each with how well (0 … 1)."""
        ...

    def sample(self, count: int) -> list[Candidate]:
        """The least loaded ones."""
        ...


class Strategy(Protocol):
    """What both kinds have. The name is what tasks ask for with `schedule_strategy`."""

    @property
    def name(self) -> str:
        """The name."""
        ...


@runtime_checkable
class OwnStrategy(Strategy, Protocol):
    """A strategy of the user's own, found by the entry point group `crawlmesh.strategies`."""

    def choose(
        self, task: Task, candidates: Sequence[Candidate], context: PlacementContext
    ) -> Candidate | None:
        """One of the candidates, least loaded first, or None to let the task wait."""
        ...


@runtime_checkable
class PoolStrategy(Strategy, Protocol):
    """A strategy that asks the pool."""

    def pick(self, task: Task, pool: Pool, /) -> Pick | None:
        """The node to take, or None where none is free."""
        ...
