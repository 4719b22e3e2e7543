import msgspec

from crawlmesh.model.task import TaskResult, TaskStatus
from crawlmesh.rules.event_data import MOST_BYTES, result_data, task_info
from tests.unit.rules.cluster_builders import task


def test_a_task_is_told_without_what_is_empty() -> None:
    told = task_info(task(parameters={"url": "https://a.example/"}, priority=7))
    assert told["id"] == task().id
    assert (told["priority"], told["status"]) == (7, TaskStatus.PENDING)
    assert told["parameters"] == {"url": "https://a.example/"}
    assert {"workflow_id", "capabilities", "target_region"}.isdisjoint(told)


def test_parameters_that_are_large_are_told_by_their_size() -> None:
    told = task_info(task(parameters={"urls": ["https://a.example/"] * 1000}))
    assert "parameters" not in told
    assert told["parameters_bytes"] > MOST_BYTES
    assert len(msgspec.json.encode(told)) < MOST_BYTES


def test_a_result_is_told_whole_where_it_is_small() -> None:
    result = TaskResult(success=True, data={"a": 1}, metrics={"pages_crawled": 1}, timestamp=5.0)
    assert result_data(result) == msgspec.to_builtins(result)


def test_a_large_result_keeps_its_outcome_and_its_numbers() -> None:
    result = TaskResult(
        success=False, error="e" * 9999, data={"rows": ["x"] * 5000}, metrics={"pages_crawled": 1}
    )
    told = result_data(result)
    assert told["metrics"] == {"pages_crawled": 1}
    assert told["data_bytes"] > MOST_BYTES
    assert len(msgspec.json.encode(told)) < 2 * MOST_BYTES
