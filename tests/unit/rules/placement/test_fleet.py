from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, invariant, rule
from msgspec.structs import replace

from crawlmesh.errors import SettingError
from crawlmesh.model.node import HealthStatus, Node, NodeHealth, NodeStatus
from crawlmesh.model.task import Task
from crawlmesh.rules.node_health import HIGH_USAGE
from crawlmesh.rules.placement import builtin_strategies
from crawlmesh.rules.placement.base import Candidate, PlacementContext, Strategy
from crawlmesh.rules.placement.fleet import Fleet
from crawlmesh.rules.placement.own_strategy import SAMPLE_SIZE
from tests.unit.rules.cluster_builders import node, task
from tests.unit.rules.placement.fleets import (
    INACTIVE,
    STRATEGIES,
    able,
    fleet_of,
    heartbeats,
    nodes_with_work,
    place,
    placed_on,
    tasks,
)


class FleetWalk(RuleBasedStateMachine):
    """Nodes come, change and go; an index built up over time must answer like one built now."""

    wanted = Bundle("wanted")

    @initialize(nodes=nodes_with_work)
    def begin(self, nodes: list[tuple[Node, int]]) -> None:
        self.nodes = {one.id: (one, running) for one, running in nodes}
        self.fleet = fleet_of(nodes)

    @rule(nodes=nodes_with_work)
    def update(self, nodes: list[tuple[Node, int]]) -> None:
        for one, running in nodes[-3:]:
            self.nodes[one.id] = (one, running)
            self.fleet.update(one, running)

    @rule(number=st.integers(0, 11), fields=heartbeats, running=st.integers(0, 3))
    def hear_of(self, number: int, fields: dict[str, Any], running: int) -> None:
        name = f"node-{number}"
        if name in self.nodes:
            one = replace(self.nodes[name][0], **fields)
            self.nodes[name] = (one, running)
            self.fleet.update(one, running)

    @rule(number=st.integers(0, 11))
    def remove(self, number: int) -> None:
        self.nodes.pop(f"node-{number}", None)
        self.fleet.remove(f"node-{number}")

    @rule(number=st.integers(0, 11), change=st.sampled_from([1, -1]))
    def count(self, number: int, change: int) -> None:
        name = f"node-{number}"
        (self.fleet.take if change > 0 else self.fleet.give_back)(name)
        if name in self.nodes:
            one, running = self.nodes[name]
            self.nodes[name] = (one, max(0, running + change))

    @rule(target=wanted, made=tasks, strategy=st.sampled_from(STRATEGIES))
    def want(self, made: Task, strategy: str) -> Task:
        return replace(made, schedule_strategy=strategy)

    @rule(
        one=wanted, avoided=st.sets(st.sampled_from([f"node-{number}" for number in range(12)]), max_size=4)
    )
    def place(self, one: Task, avoided: set[str]) -> None:
        everyone = list(self.nodes.values())
        possible = able(everyone, one).keys() - avoided
        chosen = placed_on(self.fleet, one, avoid=avoided)
        assert chosen in possible if possible else chosen is None
        if one.schedule_strategy not in {"random", "round_robin"}:
            assert chosen == placed_on(fleet_of(everyone), one, avoid=avoided)

    @rule(one=wanted)
    def count_places(self, one: Task) -> None:
        possible = able(list(self.nodes.values()), one)
        free = sum(found.slots - running for found, running in possible.values())
        assert self.fleet.free_places(one) == free
        explained = self.fleet.explain(one)
        assert explained.free == len(possible)
        assert explained.nodes == len(self.nodes)

    @invariant()
    def the_index_has_exactly_the_nodes(self) -> None:
        if hasattr(self, "nodes"):
            assert {name: self.fleet.running(name) for name in self.fleet} == {
                name: running for name, (_, running) in self.nodes.items()
            }


TestFleetWalk = FleetWalk.TestCase
TestFleetWalk.settings = settings(max_examples=60, stateful_step_count=30, deadline=None)


class TakesTheLast:
    name = "takes_the_last"
    seen: Sequence[Candidate] = ()

    def choose(
        self, task: Task, candidates: Sequence[Candidate], context: PlacementContext
    ) -> Candidate | None:
        self.seen = candidates
        return candidates[-1]


class AnswersNonsense:
    name = "answers_nonsense"

    def choose(
        self, task: Task, candidates: Sequence[Candidate], context: PlacementContext
    ) -> Candidate | None:
        return Candidate(node("unknown"), 0)


class HasOnlyAName:
    name = "has_only_a_name"


def with_own(strategy: Strategy) -> dict[str, Strategy]:
    return builtin_strategies() | {strategy.name: strategy}


def test_a_strategy_of_ones_own_sees_the_least_loaded_nodes() -> None:
    own = TakesTheLast()
    nodes = [
        (node(f"node-{number:03}", load=number / 200, region=str(number % 7)), 0) for number in range(200)
    ]
    fleet = fleet_of(nodes, strategies=with_own(own))
    for _ in range(2):
        placement = place(fleet, task(schedule_strategy=own.name))
        assert [one.node.id for one in own.seen] == [one.id for one, _ in nodes[:SAMPLE_SIZE]]
        assert placement is not None
        assert (placement.node_id, placement.strategy) == ("node-063", own.name)
        assert placement.choice == "chosen by takes_the_last from 64 nodes: 0 of 4 places taken, load 0.32"


def test_a_strategy_of_ones_own_is_not_asked_without_candidates_and_not_believed_everything() -> None:
    assert (
        place(fleet_of([], strategies=with_own(TakesTheLast())), task(schedule_strategy="takes_the_last"))
        is None
    )
    nonsense = fleet_of([(node(), 0)], strategies=with_own(AnswersNonsense()))
    assert place(nonsense, task(schedule_strategy="answers_nonsense")) is None
    with pytest.raises(SettingError, match="has_only_a_name has no method `choose`"):
        Fleet(with_own(HasOnlyAName()))


def test_an_unknown_strategy_is_the_default_one() -> None:
    fleet = Fleet(default_strategy="round_robin")
    fleet.update(node(), 0)
    for name in (None, "unheard_of"):
        placement = place(fleet, task(schedule_strategy=name))
        assert placement is not None
        assert placement.strategy == "round_robin"
    bare = fleet_of([(node(), 0)], strategies={}, default_strategy="unheard_of")
    assert placed_on(bare, task()) == "node-1"


def test_nodes_that_differ_only_in_load_and_weight_are_one_class() -> None:
    fleet = Fleet()
    for number in range(1000):
        fleet.update(node(f"node-{number}", load=number / 1000, weight=float(number), slots=number % 4), 0)
    assert len(fleet._index.classes) == 1


def test_classes_without_nodes_are_dropped() -> None:
    fleet = Fleet()
    for number in range(2000):
        fleet.update(node("changing", capabilities={"version": number}), 0)
        assert placed_on(fleet, task()) == "changing"
    assert len(fleet._index.classes) < 300


def test_heaps_and_pools_stay_small() -> None:
    fleet = fleet_of([(node(f"node-{number}"), 0) for number in range(3)])
    for number in range(3000):
        wanted = task(capabilities={f"unknown-{number}": 0})
        chosen = placed_on(fleet, wanted, avoid={"node-1"})
        assert chosen is not None
        fleet.take(chosen)
        fleet.give_back(chosen)
        assert placed_on(fleet, task(), avoid={"node-1"}) == chosen
    heaps = [heap for one in fleet._index.classes for heap in one._heaps.values()]
    assert max(len(heap) for heap in heaps) < 100
    assert len(fleet._pools) <= 512
    rankings = [ranking for pool in fleet._pools.values() for ranking in pool._rankings.values()]
    assert max(len(ranking._heap) for ranking in rankings) < 100


def test_a_node_that_got_work_falls_back_and_one_that_ended_work_comes_forward() -> None:
    for regions in (("us", "us"), ("us", "de")):
        first, second = (node(f"node-{number}", region=region) for number, region in enumerate(regions))
        for works_on in (2, 4):  # of four places
            fleet = fleet_of([(first, 0), (second, 1)])
            assert placed_on(fleet, task()) == "node-0"
            for _ in range(works_on):
                fleet.take("node-0")
            assert placed_on(fleet, task()) == "node-1"
            for _ in range(works_on):
                fleet.give_back("node-0")
            assert placed_on(fleet, task()) == "node-0"


def test_a_cluster_that_becomes_active_gets_work() -> None:
    fleet = fleet_of([(node(cluster_id=INACTIVE), 0)])
    assert placed_on(fleet, task()) is None
    assert fleet.free_places() == 0
    fleet.set_cluster(INACTIVE, True)
    assert placed_on(fleet, task()) == "node-1"
    assert fleet.free_places() == 4


def test_what_keeps_a_task_waiting_is_said_in_groups() -> None:
    renders = {"javascript_rendering": 1}
    nodes = [(node(f"plain-{number}"), 0) for number in range(3)]
    nodes += [(node(f"full-{number}", capabilities=renders), 4) for number in range(2)]
    nodes += [(node("draining", capabilities=renders, status=NodeStatus.DRAINING), 0)]
    nodes += [(node("sick", capabilities=renders, health=NodeHealth(HealthStatus.UNHEALTHY)), 0)]
    nodes += [(node("asleep", capabilities=renders, cluster_id=INACTIVE), 0)]
    found = fleet_of(nodes).explain(task(capabilities=renders))
    assert (found.nodes, found.fitting, found.free) == (8, 5, 0)
    assert found.sentences[0] == "0 of 5 fitting nodes have a free place"
    assert set(found.sentences[1:]) == {
        "3 nodes lack capability javascript_rendering ≥ 1",
        "2 nodes are full",
        "1 node is draining",
        "1 node is unhealthy",
        "1 node is in a cluster that is not active",
    }


class Broken:
    """A strategy of one's own with a fault in it."""

    name = "broken"

    def __init__(self) -> None:
        self.error: Exception | None = ZeroDivisionError("division by zero")

    def choose(
        self, task: Task, candidates: Sequence[Candidate], context: PlacementContext
    ) -> Candidate | None:
        if self.error is not None:
            raise self.error
        return candidates[0]


def test_a_strategy_that_fails_lets_its_tasks_wait_and_is_named() -> None:
    broken = Broken()
    fleet = fleet_of([(node(), 0)], strategies={**builtin_strategies(), "broken": broken})
    wanted = task(schedule_strategy="broken")
    assert placed_on(fleet, wanted) is None
    assert fleet.failures == {"broken": broken.error}
    assert (
        "the strategy broken failed: ZeroDivisionError: division by zero" in fleet.explain(wanted).sentences
    )
    assert placed_on(fleet, task()) == node().id
    assert not any("failed" in sentence for sentence in fleet.explain(task()).sentences)
    broken.error = None
    assert placed_on(fleet, wanted) == node().id
    assert fleet.failures == {}


OVERLOADED = NodeHealth(HealthStatus.UNHEALTHY, {"reason": HIGH_USAGE, "cpu": 0.97})


@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_least_loaded_is_taken_where_all_fitting_nodes_are_overloaded(strategy: str) -> None:
    busy = [(node("a", health=OVERLOADED), 3), (node("b", health=OVERLOADED), 1)]
    fleet = fleet_of(
        [*busy, (node("other", node_type="gpu"), 0), (node("away", status=NodeStatus.OFFLINE), 0)]
    )
    wanted = task(node_type="standard", schedule_strategy=strategy)
    placement = place(fleet, wanted)
    assert placement is not None
    assert placement.node_id == "b"
    assert placement.choice.startswith("all fitting nodes are overloaded; took the least loaded one")
    assert fleet.free_places(wanted) == 4
    found = fleet.explain(wanted)
    assert (found.fitting, found.free) == (3, 2)
    assert "all fitting nodes are overloaded; the least loaded one is taken" in found.sentences


def test_an_overloaded_node_gets_nothing_while_another_could_do_it() -> None:
    wanted = task()
    fleet = fleet_of([(node("hot", health=OVERLOADED), 0), (node("well"), 4)])
    assert placed_on(fleet, wanted) is None  # it waits for a place on the one that is well
    assert fleet.free_places(wanted) == 0
    assert "1 node is overloaded" in fleet.explain(wanted).sentences
    fleet.give_back("well")
    assert placed_on(fleet, wanted) == "well"
    fleet.update(node("well", status=NodeStatus.OFFLINE), 0)
    assert placed_on(fleet, wanted) == "hot"
    fleet.update(node("well"), 0)
    assert placed_on(fleet, wanted) == "well"
    fleet.remove("well")
    fleet.update(node("hot"), 0)
    placement = place(fleet, wanted)
    assert placement is not None
    assert "overloaded" not in placement.choice


def test_an_explanation_begins_with_how_it_stands() -> None:
    assert fleet_of([]).explain(task()).sentences == ("no node is registered",)
    assert fleet_of([(node(), 0)]).explain(task()).sentences == ("1 of 1 fitting nodes has a free place",)
    alone = fleet_of([(node(), 0)]).explain(task(node_type="gpu"))
    assert alone.sentences == ("the only node does not fit", "1 node is not of type gpu")


def test_a_node_is_known_as_it_was_last_told() -> None:
    fleet = fleet_of([(node(load=0.1), 2)])
    assert fleet.node("node-1") == node(load=0.1)
    assert (fleet.running("node-1"), len(fleet)) == (2, 1)
    assert (fleet.node("other"), fleet.running("other")) == (None, 0)
    for forget in (fleet.take, fleet.give_back, fleet.remove):
        forget("other")
