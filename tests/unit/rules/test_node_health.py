import pytest
from hypothesis import given
from hypothesis import strategies as st

from crawlmesh.model.event import EventType
from crawlmesh.model.node import HealthStatus, Heartbeat, NodeHealth
from crawlmesh.rules.node_health import HealthThresholds, HeartbeatSummary, health_events, judge, summarize
from tests.unit.rules.cluster_builders import node

LIMITS = HealthThresholds()
NODE = node()
shares = st.floats(0, 1)


def found(**readings: float) -> NodeHealth:
    return judge(True, NODE, HeartbeatSummary(heard=True, **readings), LIMITS, 9.0)  # type: ignore[arg-type]


def test_a_node_that_does_not_answer_is_unreachable_whatever_it_said() -> None:
    health = judge(False, NODE, HeartbeatSummary(heard=True), LIMITS, 9.0)
    assert health == NodeHealth(HealthStatus.UNREACHABLE, {"error": "Node is unreachable"}, 9.0)


@pytest.mark.parametrize(
    ("readings", "status", "details"),
    [
        (
            {"cpu_usage": 0.91, "memory_usage": 0.5},
            HealthStatus.UNHEALTHY,
            {"reason": "High resource usage", "cpu": 0.91, "memory": 0.5},
        ),
        (
            {"memory_usage": 0.96},
            HealthStatus.UNHEALTHY,
            {"reason": "High resource usage", "cpu": 0.0, "memory": 0.96},
        ),
        ({"task_errors": 1}, HealthStatus.DEGRADED, {"reason": "Task errors detected", "error_count": 1}),
        ({"task_latency": 5.1}, HealthStatus.DEGRADED, {"reason": "High task latency", "latency": 5.1}),
        (
            {"cpu_usage": 0.9, "memory_usage": 0.95, "task_latency": 5.0, "task_count": 2},
            HealthStatus.HEALTHY,
            {"cpu_usage": 0.9, "memory_usage": 0.95, "task_count": 2},
        ),
    ],
)
def test_readings_above_a_threshold_tell(
    readings: dict[str, float], status: HealthStatus, details: dict[str, object]
) -> None:
    assert found(**readings) == NodeHealth(status, details, 9.0)


@given(cpu=shares, memory=shares, errors=st.integers(0, 3), latency=st.floats(0, 10))
def test_resources_weigh_more_than_errors_and_errors_more_than_latency(
    cpu: float, memory: float, errors: int, latency: float
) -> None:
    status = found(cpu_usage=cpu, memory_usage=memory, task_errors=errors, task_latency=latency).status
    if cpu > LIMITS.cpu or memory > LIMITS.memory:
        assert status is HealthStatus.UNHEALTHY
    elif errors or latency > LIMITS.task_latency:
        assert status is HealthStatus.DEGRADED
    else:
        assert status is HealthStatus.HEALTHY


def test_a_node_that_nobody_heard_or_reached_is_unknown() -> None:
    assert judge(None, NODE, HeartbeatSummary(), LIMITS, 9.0).status is HealthStatus.UNKNOWN
    assert judge(True, NODE, HeartbeatSummary(), LIMITS, 9.0).status is HealthStatus.HEALTHY


def test_without_recent_heartbeats_the_latest_readings_count() -> None:
    hot = node(last_heartbeat=1.0, usage={"cpu_usage": 0.99})
    assert judge(None, hot, HeartbeatSummary(), LIMITS, 9.0).status is HealthStatus.UNHEALTHY


def test_a_summary_has_the_mean_of_the_last_readings_and_all_errors() -> None:
    said = [
        Heartbeat(node_id="n", at=1.0, usage={"cpu_usage": 0.9}, task_errors=2, task_latency=4.0),
        Heartbeat(node_id="n", at=2.0, usage={"cpu_usage": 0.1}, active_tasks=("a",), task_errors=1),
    ]
    assert summarize(said) == HeartbeatSummary(
        heard=True, cpu_usage=0.5, task_count=1, task_errors=3, task_latency=4.0
    )
    assert summarize(said, readings=1).cpu_usage == 0.1
    assert summarize(said, since=1.5).task_errors == 1
    assert not summarize([]).heard


def test_one_moment_of_hard_work_makes_no_node_unhealthy() -> None:
    said = [
        Heartbeat(node_id="n", at=float(at), usage={"cpu_usage": cpu})
        for at, cpu in enumerate([0.2, 0.3, 1.0])
    ]
    assert judge(True, NODE, summarize(said), LIMITS, 9.0).status is HealthStatus.HEALTHY
    said = [Heartbeat(node_id="n", at=float(at), usage={"cpu_usage": 1.0}) for at in range(3)]
    assert judge(True, NODE, summarize(said), LIMITS, 9.0).status is HealthStatus.UNHEALTHY


def test_only_a_changed_status_is_told_and_bad_health_takes_the_node_out() -> None:
    sick = NodeHealth(HealthStatus.UNHEALTHY, {"reason": "High resource usage"}, 9.0)
    told = health_events(NODE, sick, 9.0)
    assert [event.type for event in told] == [EventType.NODE_HEALTH_CHANGED, EventType.NODE_UNAVAILABLE]
    assert told[0].data["old_status"] == "unknown"
    assert told[0].data["new_status"] == "unhealthy"
    assert health_events(node(health=sick), sick, 10.0) == []
