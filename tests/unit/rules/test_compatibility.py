from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawlmesh.rules.compatibility import Obstacle, defences_of, obstacles, queue_of
from tests.unit.rules.cluster_builders import node, task


def reasons(offered: dict[str, Any], required: dict[str, Any]) -> list[str]:
    found = obstacles(node(capabilities=offered), task(capabilities=required))
    return [obstacle.reason for obstacle in found]


@pytest.mark.parametrize(
    ("offered", "required"),
    [
        ({}, {}),
        ({"javascript_rendering": 1}, {"javascript_rendering": 1}),
        ({"javascript_rendering": 2}, {"javascript_rendering": 1}),
        ({"javascript_rendering": True}, {"javascript_rendering": 1}),
        ({"javascript_rendering": 1}, {"javascript_rendering": True}),
        ({}, {"javascript_rendering": False}),
        ({}, {"javascript_rendering": 0}),
        ({"technologies": ["react", "vue"]}, {"technologies": "react"}),
        ({"technologies": ["react", "vue"]}, {"technologies": ["vue", "react"]}),
        ({"browser": "firefox"}, {"browser": "firefox"}),
        ({"browser": "firefox"}, {"browser": ["firefox"]}),
        ({"limits": {"tabs": 8}}, {"limits": {"tabs": 4}}),
    ],
)
def test_a_node_with_every_capability_fits(offered: dict[str, Any], required: dict[str, Any]) -> None:
    assert reasons(offered, required) == []


@pytest.mark.parametrize(
    ("offered", "required", "reason"),
    [
        ({}, {"javascript_rendering": 1}, "lacks capability javascript_rendering ≥ 1"),
        ({"proxies": 2}, {"proxies": 2.5}, "lacks capability proxies ≥ 2.5"),
        ({"proxies": False}, {"proxies": True}, "lacks capability proxies"),
        ({"technologies": ["react"]}, {"technologies": "vue"}, "lacks capability technologies vue"),
        (
            {"technologies": ["react"]},
            {"technologies": ["react", "vue"]},
            "lacks capability technologies vue",
        ),
        ({"browser": "firefox"}, {"browser": "chromium"}, "lacks capability browser chromium"),
        ({"proxies": "many"}, {"proxies": 1}, "lacks capability proxies ≥ 1"),
        ({"limits": 3}, {"limits": {"tabs": 4}}, "lacks capability limits.tabs ≥ 4"),
    ],
)
def test_a_missing_capability_is_named(
    offered: dict[str, Any], required: dict[str, Any], reason: str
) -> None:
    assert reasons(offered, required) == [reason]


def test_type_cluster_executor_and_resources_are_looked_at() -> None:
    wanted = task(
        node_type="gpu", cluster_id="east", min_resources={"cpu_cores": 16.0, "memory_mb": 1024.0, "gpu": 1.0}
    )
    found = [obstacle.reason for obstacle in obstacles(node(task_types=("noop",)), wanted)]
    assert found == [
        "is not in cluster east",
        "is not of type gpu",
        "has no executor for web_crawl",
        "has less than 16 cpu_cores",
        "has less than 1 gpu",
    ]


def test_the_cores_of_a_request_are_the_cpu_of_a_node() -> None:
    assert obstacles(node(resources={"cpu": 2.0}), task(min_resources={"cpu_cores": 2.0})) == []


def test_an_obstacle_speaks_of_one_and_of_many() -> None:
    obstacle = Obstacle("is full", "are full")
    assert (obstacle.of(1), obstacle.of(3)) == ("1 node is full", "3 nodes are full")


def test_tasks_with_the_same_needs_are_in_the_same_queue() -> None:
    one = task(capabilities={"a": 1, "b": 2}, priority=1, max_nodes=1)
    other = task(id="task-2", capabilities={"b": 2, "a": 1}, priority=9, max_nodes=8)
    assert queue_of(one) == queue_of(other)


@pytest.mark.parametrize(
    "fields",
    [
        {"task_type": "noop"},
        {"node_type": "gpu"},
        {"cluster_id": "east"},
        {"capabilities": {"a": 1}},
        {"min_resources": {"gpu": 1.0}},
        {"schedule_strategy": "random"},
        {"target_region": "us"},
        {"content_features": {"content_type": "html"}},
        {"parameters": {"anti_crawling": ["captcha"]}},
    ],
)
def test_every_need_makes_another_queue(fields: dict[str, Any]) -> None:
    assert queue_of(task(**fields)) != queue_of(task())


def test_defences_come_from_the_features_or_the_parameters() -> None:
    assert defences_of(task(content_features={"anti_crawling": ["b", "a", "a"]})) == ["a", "b"]
    assert defences_of(task(parameters={"anti_crawling": "captcha"})) == ["captcha"]
    assert defences_of(task(parameters={"anti_crawling": 3})) == []


values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(0, 3), st.floats(0, 3), st.sampled_from(["a", "b"])),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner, max_size=2),
    max_leaves=4,
)
capabilities = st.dictionaries(st.sampled_from("xyz"), values, max_size=3)


@given(offered=capabilities, required=capabilities)
def test_any_capabilities_can_be_compared_and_named(
    offered: dict[str, Any], required: dict[str, Any]
) -> None:
    wanted = task(capabilities=required)
    assert isinstance(obstacles(node(capabilities=offered), wanted), list)
    assert queue_of(wanted)
