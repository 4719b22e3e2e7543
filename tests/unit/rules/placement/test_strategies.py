"""Each strategy against the plain definition of what it should choose."""

from collections import Counter
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from crawlmesh.model.node import Node
from crawlmesh.model.task import Task
from crawlmesh.rules.placement import builtin_strategies
from crawlmesh.rules.placement.anti_crawling import bypassed
from crawlmesh.rules.placement.content_based import capability_score, features_of
from crawlmesh.rules.placement.geo_location import distance
from tests.unit.rules.cluster_builders import node, task
from tests.unit.rules.placement.fleets import (
    STRATEGIES,
    able,
    fleet_of,
    nodes_with_work,
    place,
    placed_on,
    tasks,
)

Nodes = list[tuple[Node, int]]


def share(one: Node, running: int) -> tuple[float, float]:
    return (running / one.slots, one.load)


@pytest.mark.parametrize("strategy", STRATEGIES)
@given(nodes=nodes_with_work, wanted=tasks, seed=st.integers(0, 9))
def test_a_task_goes_to_a_node_that_may_take_it_whenever_there_is_one(
    strategy: str, nodes: Nodes, wanted: Task, seed: int
) -> None:
    wanted = replace(wanted, schedule_strategy=strategy)
    fleet, possible = fleet_of(nodes), able(nodes, wanted)
    chosen = placed_on(fleet, wanted, seed=seed)
    assert chosen in possible if possible else chosen is None
    if chosen is not None:
        left = possible.keys() - {chosen}
        another = placed_on(fleet, wanted, avoid={chosen}, seed=seed)
        assert another in left if left else another is None


@given(nodes=nodes_with_work, wanted=tasks)
def test_least_loaded_is_a_minimum(nodes: Nodes, wanted: Task) -> None:
    possible = able(nodes, wanted)
    chosen = placed_on(fleet_of(nodes), wanted)
    if chosen is not None:
        assert share(*possible[chosen]) == min(share(*one) for one in possible.values())


@given(nodes=nodes_with_work, wanted=tasks)
def test_weighted_is_the_smallest_share(nodes: Nodes, wanted: Task) -> None:
    possible = able(nodes, wanted)
    chosen = placed_on(fleet_of(nodes), replace(wanted, schedule_strategy="weighted"))
    if chosen is not None:
        shares = {
            name: running / one.weight if one.weight else float("inf")
            for name, (one, running) in possible.items()
        }
        assert shares[chosen] == min(shares.values())


@given(nodes=nodes_with_work, wanted=tasks)
def test_geo_location_prefers_distance_and_then_load(nodes: Nodes, wanted: Task) -> None:
    possible = able(nodes, wanted)
    chosen = placed_on(fleet_of(nodes), replace(wanted, schedule_strategy="geo_location"))
    if chosen is not None:
        keys = {name: (distance(wanted, one[0]), *share(*one)) for name, one in possible.items()}
        assert keys[chosen] == min(keys.values())


@given(nodes=nodes_with_work, wanted=tasks)
def test_anti_crawling_prefers_most_matches_and_then_load(nodes: Nodes, wanted: Task) -> None:
    possible = able(nodes, wanted)
    chosen = placed_on(fleet_of(nodes), replace(wanted, schedule_strategy="anti_crawling"))
    if chosen is not None:
        keys = {name: (-len(bypassed(wanted, one[0])), *share(*one)) for name, one in possible.items()}
        assert keys[chosen] == min(keys.values())


@given(
    nodes=nodes_with_work,
    wanted=tasks,
    past=st.lists(st.tuples(st.integers(0, 11), st.booleans()), max_size=9),
)
def test_content_based_has_the_highest_score(
    nodes: Nodes, wanted: Task, past: list[tuple[int, bool]]
) -> None:
    wanted = replace(wanted, schedule_strategy="content_based")
    fleet, possible = fleet_of(nodes), able(nodes, wanted)
    good, every = Counter[str](), Counter[str]()
    for number, success in past:
        fleet.remember(f"node-{number}", features_of(wanted), success)
        good[f"node-{number}"] += success
        every[f"node-{number}"] += 1
    chosen = placed_on(fleet, wanted)
    if chosen is not None:
        keys = {
            name: (-(capability_score(wanted, one[0]) + 0.3 * (good[name] / (every[name] + 1))), *share(*one))
            for name, one in possible.items()
        }
        assert keys[chosen] == pytest.approx(min(keys.values()))


@given(slots=st.lists(st.integers(1, 6), min_size=1, max_size=6))
def test_round_robin_spreads_evenly_over_those_with_free_places(slots: list[int]) -> None:
    nodes = {f"node-{number}": count for number, count in enumerate(slots)}
    fleet = fleet_of([(node(name, slots=count), 0) for name, count in nodes.items()])
    got = Counter[str]()
    for _ in range(sum(slots)):
        chosen = placed_on(fleet, task(schedule_strategy="round_robin"))
        assert chosen is not None
        fleet.take(chosen)
        got[chosen] += 1
        free = [got[name] for name, count in nodes.items() if got[name] < count]
        assert not free or max(got.values()) - min(free) <= 1
    assert got == nodes


def test_a_node_that_comes_later_gets_its_turn_once_not_a_backlog() -> None:
    fleet = fleet_of([(node(f"node-{number}", slots=100), 0) for number in range(2)])
    wanted, got = task(schedule_strategy="round_robin"), Counter[str]()
    for number in range(40):
        if number == 10:
            fleet.update(node("node-late", slots=100), 0)
        chosen = placed_on(fleet, wanted)
        assert chosen is not None
        fleet.take(chosen)
        got[chosen] += 1
    assert got == {"node-0": 15, "node-1": 15, "node-late": 10}


def test_weights_divide_the_work() -> None:
    fleet = fleet_of([(node("small", weight=1.0, slots=90), 0), (node("large", weight=2.0, slots=90), 0)])
    got = Counter[str]()
    for _ in range(90):
        chosen = placed_on(fleet, task(schedule_strategy="weighted"))
        assert chosen is not None
        fleet.take(chosen)
        got[chosen] += 1
    assert got == {"small": 30, "large": 60}


def test_random_reaches_every_node_about_equally_often() -> None:
    nodes = [(node(f"node-{number}", region=str(number % 3)), 0) for number in range(5)]
    others = [(node(f"gpu-{number}", node_type="gpu"), 0) for number in range(200)]
    fleet, source = fleet_of(nodes + others), Random(3)
    wanted = task(schedule_strategy="random", node_type="standard")
    got = Counter[str]()
    for _ in range(1000):
        placement = fleet.place(wanted, 0.0, source.random)
        assert placement is not None
        got[placement.node_id] += 1
    assert set(got) == {one.id for one, _ in nodes}
    assert min(got.values()) > 140


def test_a_bad_past_weighs_less_than_a_good_one() -> None:
    fleet = fleet_of([(node("good", load=0.9), 0), (node("bad"), 0), (node("new"), 0)])
    wanted = task(schedule_strategy="content_based", content_features={"content_type": "html"})
    for _ in range(5):
        fleet.remember("good", features_of(wanted), True)
        fleet.remember("bad", features_of(wanted), False)
    assert placed_on(fleet, wanted) == "good"


def test_work_is_recognised_by_its_host_too() -> None:
    assert features_of(task(parameters={"url": "https://Shop.example:8443/a"}, target_region="us")) == {
        "host": "shop.example",
        "region": "us",
    }
    assert features_of(task(parameters={"url": "https://[broken"})) == {}


def test_the_names_are_those_of_the_requirements() -> None:
    names = "least_loaded least_tasks round_robin weighted random geo_location content_based anti_crawling"
    assert set(builtin_strategies()) == set(names.split())


@pytest.mark.parametrize(
    ("strategy", "sentence"),
    [
        ("least_loaded", "least loaded of 2 fitting nodes: 1 of 4 places taken, load 0.20"),
        ("least_tasks", "least loaded of 2 fitting nodes: 1 of 4 places taken, load 0.20"),
        ("round_robin", "next in turn of 2 fitting nodes: 1 of 4 places taken, load 0.20"),
        (
            "weighted",
            "furthest below its share of 2 fitting nodes: weight 1, 1 of 4 places taken, load 0.20",
        ),
        ("random", "chosen at random from 2 fitting nodes: 1 of 4 places taken, load 0.20"),
        (
            "geo_location",
            "nearest of 2 fitting nodes: in the same country as us-west; 1 of 4 places taken, load 0.20",
        ),
        (
            "content_based",
            (
                "best content match of 2 fitting nodes: score 0.40 of which 0.00 from similar work; "
                "1 of 4 places taken, load 0.20"
            ),
        ),
        (
            "anti_crawling",
            "gets past 1 of 2 defences (proxy), most of 2 fitting nodes; 1 of 4 places taken, load 0.20",
        ),
    ],
)
def test_every_strategy_says_why(strategy: str, sentence: str) -> None:
    able_to = {"content_types": ["html"], "anti_crawling_bypass": ["proxy"]}
    best = node("best", load=0.2, region="us-east", capabilities=able_to)
    fleet = fleet_of([(best, 1), (node("full"), 4)])
    wanted = task(
        schedule_strategy=strategy,
        target_region="us-west",
        content_features={"content_type": "html", "anti_crawling": ["proxy", "captcha"]},
    )
    placement = place(fleet, wanted)
    assert placement is not None
    assert (placement.node_id, placement.choice) == ("best", sentence)
