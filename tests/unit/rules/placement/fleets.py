"""Fleets of any shape, and the plain way to say which of their nodes may take a task."""

from random import Random
from typing import Any

from hypothesis import strategies as st

from crawlmesh.model.node import HealthStatus, Node, NodeHealth, NodeStatus
from crawlmesh.model.task import Task
from crawlmesh.rules.compatibility import obstacles
from crawlmesh.rules.placement import builtin_strategies
from crawlmesh.rules.placement.fleet import Fleet, Placement
from tests.unit.rules.cluster_builders import node, task

INACTIVE = "asleep"
STRATEGIES = sorted(builtin_strategies())
REGIONS = ["us-east", "us-west", "de-berlin", ""]

_capabilities = st.fixed_dictionaries(
    {},
    optional={
        "javascript_rendering": st.integers(0, 1),
        "content_types": st.lists(st.sampled_from(["html", "json"]), max_size=2),
        "technologies": st.lists(st.sampled_from(["react", "vue"]), max_size=2),
        "anti_crawling_bypass": st.lists(st.sampled_from(["proxy", "captcha"]), max_size=2),
    },
)
_changing: dict[str, st.SearchStrategy[Any]] = {
    "slots": st.integers(0, 3),
    "load": st.sampled_from([0.0, 0.2, 0.9]),
    "weight": st.sampled_from([0.0, 1.0, 3.0]),
    "status": st.sampled_from([NodeStatus.ONLINE] * 4 + list(NodeStatus)),
    "health": st.sampled_from([NodeHealth()] * 4 + [NodeHealth(status) for status in HealthStatus]),
}
heartbeats = st.fixed_dictionaries(_changing)  # what changes of a node that stays in its class
_nodes = st.builds(
    lambda **fields: fields,
    **_changing,
    region=st.sampled_from(REGIONS),
    node_type=st.sampled_from(["standard", "gpu"]),
    cluster_id=st.sampled_from(["default", "default", INACTIVE]),
    capabilities=_capabilities,
)
nodes_with_work = st.lists(st.tuples(_nodes, st.integers(0, 3)), max_size=12).map(
    lambda made: [
        (node(f"node-{number}", **fields), running) for number, (fields, running) in enumerate(made)
    ]
)
tasks = st.builds(
    task,
    node_type=st.sampled_from([None, None, "gpu"]),
    capabilities=st.sampled_from([{}, {}, {"javascript_rendering": 1}]),
    target_region=st.sampled_from([None, "us-east", "de"]),
    content_features=st.sampled_from(
        [{}, {"content_type": "html", "technology": "react", "anti_crawling": ["proxy", "captcha"]}]
    ),
)


def fleet_of(nodes: list[tuple[Node, int]], **options: Any) -> Fleet:
    fleet = Fleet(**options)
    fleet.set_cluster(INACTIVE, False)
    for one, running in nodes:
        fleet.update(one, running)
    return fleet


def able(nodes: list[tuple[Node, int]], wanted: Task) -> dict[str, tuple[Node, int]]:
    """The nodes that may take the task, said without any index."""
    return {
        one.id: (one, running)
        for one, running in nodes
        if not obstacles(one, wanted)
        and one.status is NodeStatus.ONLINE
        and one.health.status not in {HealthStatus.UNHEALTHY, HealthStatus.UNREACHABLE}
        and one.cluster_id != INACTIVE
        and running < one.slots
    }


def place(fleet: Fleet, wanted: Task, avoid: set[str] | None = None, seed: int = 1) -> Placement | None:
    return fleet.place(wanted, 0.0, Random(seed).random, avoid or set())


def placed_on(fleet: Fleet, wanted: Task, **options: Any) -> str | None:
    placement = place(fleet, wanted, **options)
    return None if placement is None else placement.node_id
