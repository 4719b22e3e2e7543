"""Crawls that are through though no node said so: the one that knew was lost, or none fits any more."""

from itertools import islice

from crawlmesh.control.crawl_state import crawl_progress, is_finished
from crawlmesh.control.loops.leader_loop import LeaderLoop
from crawlmesh.control.merge_result import with_merged_result
from crawlmesh.model.change import TaskChange
from crawlmesh.model.execution import EndedBy, Execution
from crawlmesh.model.task import WEB_CRAWL, Task
from crawlmesh.rules import task_lifecycle

_NODES = 50  # whose crawls are looked at in one go
_QUEUES = 20  # of crawls that wait for a node
_TASKS = 100  # of each such queue


class FinishCrawls(LeaderLoop):
    """Looks at the crawls of some nodes in each go, in turn, and at those that came back to their queue.

    It asks only what is answered from an index, whatever else is in the store.
    """

    hurries = False  # nodes report most ends themselves
    _last_node = ""

    def interval(self) -> float:
        """Seconds between two looks."""
        return self.context.options.finish_crawls_interval

    async def run_once(self, now: float) -> int:
        """Returns how many tasks changed."""
        tasks = {task.id: task for task in [*await self._returned(), *await self._at_work()]}
        finished = [
            task
            for task in tasks.values()
            if not task.ended and is_finished(task, await crawl_progress(self.context, task.id))
        ]
        if not finished:
            return 0
        running: dict[str, list[Execution]] = {task.id: [] for task in finished}
        for execution in await self.context.store.running_executions(list(running)):
            running[execution.task_id].append(execution)
        changes = [
            await self._finished(task, running[task.id], now)
            for task in finished
            if _is_news(running[task.id])
        ]
        return sum(
            await self.context.store.change_tasks(
                changes, leader_fence=self.lead.fence(), now=self.context.clock.now()
            )
        )

    async def _at_work(self) -> list[Task]:
        nodes = sorted(await self.context.store.node_loads())
        following = list(islice((node_id for node_id in nodes if node_id > self._last_node), _NODES))
        self._last_node = following[-1] if len(following) == _NODES else ""
        return [
            assignment.task
            for node_id in following
            for assignment in await self.context.store.node_assignments(node_id)
            if assignment.task.task_type == WEB_CRAWL
        ]

    async def _returned(self) -> list[Task]:
        """Those that were on a node before and wait for one again; being old, they stand in front."""
        heads = await self.context.store.queue_heads()
        crawls = (head.queue for head in heads if head.sample.task_type == WEB_CRAWL)
        return [
            task
            for queue in islice(crawls, _QUEUES)
            for task in await self.context.store.open_tasks(queue, _TASKS)
            if task.assigned_at is not None
        ]

    async def _finished(self, task: Task, running: list[Execution], now: float) -> TaskChange:
        return await with_merged_result(self.context, task_lifecycle.finished(task, running, now))


def _is_news(running: list[Execution]) -> bool:
    """Whether there is anything to say: not where all that run were told already."""
    return not running or any(execution.stop is not EndedBy.FINISHED for execution in running)
