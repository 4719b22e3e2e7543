import pytest

from crawlmesh.observability.metrics import (
    METRICS,
    PLACED,
    ROUND_SECONDS,
    TASKS,
    Metric,
    MetricKind,
    NoMeasurements,
)
from crawlmesh.observability.prometheus import PrometheusMeasurements


def test_values_come_out_in_the_text_format() -> None:
    measurements = PrometheusMeasurements()
    measurements.add(PLACED, 3)
    measurements.set(TASKS, 7, "pending")
    measurements.observe(ROUND_SECONDS, 0.004)
    lines = measurements.text().decode().splitlines()
    assert "crawlmesh_tasks_placed_total 3.0" in lines
    assert 'crawlmesh_tasks{status="pending"} 7.0' in lines
    assert 'crawlmesh_scheduling_round_seconds_bucket{le="0.005"} 1.0' in lines


def test_two_masters_in_one_process_do_not_share_their_numbers() -> None:
    first, second = PrometheusMeasurements(), PrometheusMeasurements()
    first.add(PLACED)
    assert "crawlmesh_tasks_placed_total 0.0" in second.text().decode()


def test_nobody_has_to_listen() -> None:
    nobody = NoMeasurements()
    nobody.add(PLACED)
    nobody.set(TASKS, 1, "pending")
    nobody.observe(ROUND_SECONDS, 1.0)


@pytest.mark.parametrize("metric", METRICS, ids=lambda metric: metric.name)
def test_names_follow_the_custom(metric: Metric) -> None:
    assert metric.name.startswith("crawlmesh_")
    assert metric.name.endswith("_total") is (metric.kind is MetricKind.COUNTER)
    assert metric.help.endswith(".")
    assert bool(metric.bounds) is (metric.kind is MetricKind.HISTOGRAM)
