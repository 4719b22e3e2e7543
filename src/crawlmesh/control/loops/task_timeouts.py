"""Executions that take longer than they may are ended, and their tasks tried again or given up (T8)."""

from crawlmesh.control.changing import Candidate, change_by_execution
from crawlmesh.control.loops.leader_loop import LeaderLoop
from crawlmesh.control.merge_result import with_merged_result
from crawlmesh.model.change import TaskChange
from crawlmesh.rules import task_lifecycle

_BATCH = 500


class TaskTimeouts(LeaderLoop):
    """Asks the store for what is overdue. The node hears of it as `gone`, with its next pull."""

    def interval(self) -> float:
        """Seconds between two questions."""
        return self.context.options.task_timeout_interval

    async def run_once(self, now: float) -> int:
        """End what is overdue. Returns how many executions that were."""
        overdue = await self.context.store.overdue_executions(now, _BATCH)

        async def decide(candidates: list[Candidate]) -> list[TaskChange | None]:
            changes = [self._timed_out(candidate, now) for candidate in candidates]
            return [change and await with_merged_result(self.context, change) for change in changes]

        ids = [assignment.execution.id for assignment in overdue]
        return len(await change_by_execution(self.context, ids, decide, self.lead.fence))

    def _timed_out(self, candidate: Candidate, now: float) -> TaskChange | None:
        execution, task, running = candidate
        if execution.deadline is None or execution.deadline > now:
            return None
        context = self.context
        return task_lifecycle.timed_out(
            task, execution, running, now, context.options.retry, context.jitter()
        )
