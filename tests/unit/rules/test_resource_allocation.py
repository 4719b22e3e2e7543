from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawlmesh.model.execution import Allocation
from crawlmesh.rules.resource_allocation import allocate
from tests.unit.rules.cluster_builders import node, task

ASKED = {"cpu_cores": 2.0, "memory_mb": 4096.0}


def given_to(load: float = 0.5, resources: dict[str, float] | None = None, **fields: Any) -> Allocation:
    on = node(load=load) if resources is None else node(load=load, resources=resources)
    return allocate(task(**fields), on)


@pytest.mark.parametrize(
    ("load", "expected"),
    [
        (0.5, Allocation(2.0, 4096.0)),
        (0.7, Allocation(2.0, 4096.0)),
        (0.3, Allocation(2.0, 4096.0)),
        (0.71, Allocation(2.0 * 0.8, 4096.0 * 0.9)),
        (0.29, Allocation(2.0 * 1.2, 4096.0 * 1.1)),
    ],
)
def test_load_moves_what_a_task_gets(load: float, expected: Allocation) -> None:
    assert given_to(load, min_resources=ASKED) == expected


def test_a_task_that_asks_for_nothing_gets_the_usual() -> None:
    assert given_to() == Allocation(1.0, 1024.0, 0.0)


def test_an_idle_node_gives_no_more_than_it_has() -> None:
    assert given_to(0.1, {"cpu": 2.0, "memory_mb": 4096.0}, min_resources=ASKED) == Allocation(2.0, 4096.0)


def test_rendering_gets_memory_and_proxies_get_cores_up_to_their_bounds() -> None:
    both = {"javascript_rendering": 1, "proxy_rotation": True}
    assert given_to(min_resources=ASKED, capabilities=both) == Allocation(2.0 * 1.3, 6144.0)
    large = {"cpu_cores": 3.5, "memory_mb": 6000.0}
    assert given_to(min_resources=large, capabilities=both) == Allocation(4.0, 8192.0)
    none = {"javascript_rendering": 0, "proxy_rotation": False}
    assert given_to(min_resources=ASKED, capabilities=none) == Allocation(2.0, 4096.0)


def test_a_bound_takes_nothing_from_a_task_that_asked_for_more() -> None:
    large = {"cpu_cores": 8.0, "memory_mb": 12000.0}
    both = {"javascript_rendering": 1, "proxy_rotation": 1}
    assert given_to(min_resources=large, capabilities=both) == Allocation(8.0, 12000.0)


def test_there_is_a_least() -> None:
    assert given_to(0.9, min_resources={"cpu_cores": 0.1, "memory_mb": 10.0}) == Allocation(0.5, 512.0)


def test_a_graphics_card_is_given_where_there_is_one() -> None:
    wants = {"gpu": 2.0}
    assert given_to(min_resources=wants).gpu == 0.0
    assert given_to(resources={"gpu": 1.0}, min_resources=wants).gpu == 1.0


@given(
    load=st.floats(0, 1),
    cpu=st.floats(0.5, 64),
    memory=st.floats(512, 65536),
    asked=st.fixed_dictionaries({"cpu_cores": st.floats(0, 64), "memory_mb": st.floats(0, 65536)}),
    wants=st.sets(st.sampled_from(["javascript_rendering", "proxy_rotation"])),
)
def test_no_task_gets_more_than_the_node_has_or_less_than_the_least(
    load: float, cpu: float, memory: float, asked: dict[str, float], wants: set[str]
) -> None:
    got = given_to(
        load, {"cpu": cpu, "memory_mb": memory}, min_resources=asked, capabilities=dict.fromkeys(wants, 1)
    )
    assert 0.5 <= got.cpu_cores <= cpu
    assert 512.0 <= got.memory_mb <= memory
