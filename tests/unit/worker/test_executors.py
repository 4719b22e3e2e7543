from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any

import pytest

from crawlmesh.errors import SettingError
from crawlmesh.model.execution import Assignment, Execution
from crawlmesh.model.task import Task, TaskResult
from crawlmesh.worker.execution_context import ExecutionContext
from crawlmesh.worker.executors import NoOperation, TaskExecutor, load_executors
from crawlmesh.worker.executors.registry import executor_from


class CustomTaskExecutor(TaskExecutor):
    """As in S4."""

    def __init__(self) -> None:
        super().__init__("custom_task")

    def execute_task(self, task_data: dict[str, Any]) -> dict[str, Any]:
        if task_data["parameters"].get("fail"):
            raise ValueError("no")
        return {"status": task_data["parameters"].get("status", "success"), "seen": task_data["task_id"]}


class Modern:
    task_type = "modern"

    async def execute(self, assignment: Assignment, context: ExecutionContext) -> TaskResult:
        return TaskResult(success=True)


class Nothing:
    task_type = "nothing"


def _assignment(**parameters: Any) -> Assignment:
    execution = Execution(id="execution-1", task_id="task-1", node_id="node-1", fence=1)
    return Assignment(execution, Task(id="task-1", task_type="custom_task", parameters=parameters))


def _context(folder: Path) -> ExecutionContext:
    return ExecutionContext("execution-1", lambda _level, _message: None, lambda: 5.0, folder)


async def test_plain_functions_run_in_a_thread(tmp_path: Path) -> None:
    executor = executor_from(CustomTaskExecutor)
    result = await executor.execute(_assignment(), _context(tmp_path))
    assert result == TaskResult(success=True, data={"status": "success", "seen": "task-1"}, timestamp=5.0)
    failed = await executor.execute(_assignment(status="failed"), _context(tmp_path))
    assert not failed.success
    with pytest.raises(ValueError, match="no"):
        await executor.execute(_assignment(fail=True), _context(tmp_path))


async def test_nothing_is_done_by_noop(tmp_path: Path) -> None:
    result = await NoOperation().execute(_assignment(a=1), _context(tmp_path))
    assert (result.success, result.data) == (True, {"a": 1})


def _entry_point(value: str) -> EntryPoint:
    return EntryPoint(name="mine", value=f"{__name__}:{value}", group="crawlmesh.executors")


def test_installed_executors_are_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(EntryPoint, "load", lambda self: globals()[self.value.partition(":")[2]])
    found = load_executors([NoOperation()], [_entry_point("CustomTaskExecutor"), _entry_point("Modern")])
    assert set(found) == {"noop", "custom_task", "modern"}
    with pytest.raises(SettingError, match=r"The executor 'mine' .* neither"):
        load_executors([], [_entry_point("Nothing")])


def test_an_executor_that_cannot_be_loaded_is_named() -> None:
    missing = EntryPoint(name="gone", value="no_such_module:Thing", group="crawlmesh.executors")
    with pytest.raises(SettingError, match=r"'gone' \(no_such_module:Thing\) cannot be used"):
        load_executors([], [missing])


def test_a_work_folder_is_there_when_asked_for_and_gone_afterwards(tmp_path: Path) -> None:
    context = _context(tmp_path)
    context.clean_up()
    (context.work_folder / "file").write_text("x")
    context.clean_up()
    assert list(tmp_path.iterdir()) == []
