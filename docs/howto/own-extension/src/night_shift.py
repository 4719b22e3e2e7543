"""A strategy that prefers nodes marked for the night shift, and executors that count words."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from crawlmesh.model.execution import Assignment
from crawlmesh.model.task import Task, TaskResult
from crawlmesh.rules.placement.base import Candidate, PlacementContext
from crawlmesh.worker.execution_context import ExecutionContext
from crawlmesh.worker.executors.base import TaskExecutor


class NightShift:
    """Takes the least loaded node with the capability `night_shift`; without a free one the task waits."""

    name = "night_shift"

    def choose(
        self, task: Task, candidates: Sequence[Candidate], context: PlacementContext
    ) -> Candidate | None:
        """Candidates come least loaded first; they fit the task and have a free place."""
        return next((each for each in candidates if each.node.capabilities.get("night_shift")), None)


class WordCount:
    """Counts the words of `parameters.text`."""

    task_type = "word_count"

    async def execute(self, assignment: Assignment, context: ExecutionContext) -> TaskResult:
        """What is raised here makes the task a failed one, which is tried again."""
        words = Counter(str(assignment.task.parameters["text"]).split())
        context.log("INFO", f"{words.total()} words")
        return TaskResult(success=True, data={"words": dict(words)}, timestamp=context.now())


class PlainWordCount(TaskExecutor):
    """The same as a plain function, which runs in a thread."""

    def __init__(self) -> None:
        super().__init__("plain_word_count")

    def execute_task(self, task_data: dict[str, Any]) -> dict[str, Any]:
        """What is returned becomes the data of the result."""
        return {"words": dict(Counter(task_data["parameters"]["text"].split()))}
