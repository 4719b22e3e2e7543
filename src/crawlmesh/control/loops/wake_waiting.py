"""Tasks that wait for their next try become pending when their time has come."""

from crawlmesh.control.loops.leader_loop import LeaderLoop
from crawlmesh.rules import task_lifecycle

_BATCH = 1000


class WakeWaiting(LeaderLoop):
    """Asks the store for what is due."""

    def interval(self) -> float:
        """Seconds between two questions."""
        return self.context.options.wake_interval

    async def run_once(self, now: float) -> int:
        """Wake what is due. Returns how many tasks are pending now."""
        due = await self.context.store.due_tasks(now, _BATCH)
        if not due:
            return 0
        changes = [task_lifecycle.woken(task, now) for task in due]
        taken = await self.context.store.change_tasks(
            changes, leader_fence=self.lead.fence(), now=self.context.clock.now()
        )
        return sum(taken)
