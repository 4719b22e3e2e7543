from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from crawlmesh.errors import InvalidError
from crawlmesh.model.execution import Assignment
from crawlmesh.model.task import TaskResult, TaskStatus
from crawlmesh.worker.execution_context import ExecutionContext
from crawlmesh.worker.executors.registry import executor_from
from crawlmesh.worker.plain_results import plain_result, readable
from tests.unit.worker.agent_kit import AgentKit

LONE = "a\ud800b"


@dataclass
class Point:
    x: int


def _cycle() -> list[Any]:
    ring: list[Any] = []
    ring.append(ring)
    return ring


@pytest.mark.parametrize(
    ("returned", "data"),
    [
        (None, {}),
        ({"n": 1}, {"n": 1}),
        (7, {"result": 7}),
        ({"set": {1}}, {"set": [1]}),
        ({"nan": float("nan")}, {"nan": None}),
        ({"point": Point(1)}, {"point": {"x": 1}}),
    ],
)
def test_what_json_can_hold_is_kept(returned: Any, data: dict[str, Any]) -> None:
    result = plain_result(returned, 5.0)
    assert (result.success, result.data, result.timestamp) == (True, data, 5.0)


@pytest.mark.parametrize(
    "bad",
    [object(), LONE, {(1, 2): 3}, _cycle(), TaskResult(success="x")],  # type: ignore[arg-type]
)
def test_what_json_cannot_hold_is_refused_with_a_sentence(bad: Any) -> None:
    with pytest.raises(InvalidError, match=r"^The executor's result is not JSON: .*\. Let it return texts"):
        plain_result(bad if isinstance(bad, TaskResult) else {"value": bad}, 5.0)


def test_a_failure_may_say_anything() -> None:
    assert plain_result(TaskResult(success=False, error=LONE + "\x00"), 5.0).error == "a\\ud800b\\x00"
    assert readable(LONE) == "a\\ud800b"


class Own:
    """Returns, raises and logs what it is told by its name in the parameters."""

    task_type = "own"

    async def execute(self, assignment: Assignment, context: ExecutionContext) -> Any:
        what = assignment.task.parameters["what"]
        context.log("INFO", f"begun {LONE}\x00")
        if what == "exit":
            raise SystemExit(3)
        if what == "error":
            raise ValueError(LONE)
        if what == "dict":
            return {"n": 1}
        return TaskResult(success=True, data={"value": {"object": object(), "text": LONE}[what]})


class OldStyle:
    task_type = "old"

    def execute_task(self, task_data: dict[str, Any]) -> Any:
        if task_data["parameters"]["what"] == "exit":
            raise SystemExit(3)
        return {"value": object()}


@pytest.mark.parametrize("kind", ["own", "old"])
async def test_a_bad_result_fails_its_task_and_nothing_else(tmp_path: Path, kind: str) -> None:
    kit = AgentKit(tmp_path, Own(), executor_from(OldStyle()))
    async with kit.running():
        (bad,) = await kit.submit(task_type=kind, parameters={"what": "object"})
        failed = await kit.until(bad.id, lambda task: task.ended)
        assert (failed.status, failed.retry_count) == (TaskStatus.FAILED, 0)
        assert failed.result is not None
        assert "is not JSON" in str(failed.result.error)
        (good,) = await kit.submit(task_type="noop")
        assert (await kit.until(good.id, lambda task: task.ended)).status is TaskStatus.COMPLETED


async def test_a_text_that_is_no_unicode_fails_its_task(tmp_path: Path) -> None:
    kit = AgentKit(tmp_path, Own())
    async with kit.running():
        (bad,) = await kit.submit(task_type="own", parameters={"what": "text"})
        assert (await kit.until(bad.id, lambda task: task.ended)).status is TaskStatus.FAILED
        (good,) = await kit.submit(task_type="own", parameters={"what": "dict"})
        done = await kit.until(good.id, lambda task: task.ended)
    assert done.result is not None
    assert done.result.data == {"n": 1}
    assert [line.message for line in await kit.kit.store.logs(good.id)] == ["begun a\\ud800b\\x00"]


@pytest.mark.parametrize("kind", ["own", "old"])
@pytest.mark.parametrize("what", ["exit", "error"])
async def test_an_executor_cannot_end_its_worker(tmp_path: Path, kind: str, what: str) -> None:
    kit = AgentKit(tmp_path, Own(), executor_from(OldStyle()))
    async with kit.running():
        (bad,) = await kit.submit(task_type=kind, parameters={"what": what}, max_retries=0)
        assert (await kit.until(bad.id, lambda task: task.ended)).status is TaskStatus.FAILED
