"""What is older than it must be kept is deleted, a little at a time."""

from crawlmesh.control.loops.leader_loop import LeaderLoop
from crawlmesh.control.sign_in import forget_old_sessions
from crawlmesh.model.query import Retention as KeptSince
from crawlmesh.model.sample import KEEP

_BATCH = 1000  # rows of each kind in one go
_TASK_PREFIX = "task-"
_MOST_GOES = 20  # in a row, then others get their turn


class Retention(LeaderLoop):
    """Prunes the control store; then the crawls of the tasks that are gone go from the crawl store."""

    def interval(self) -> float:
        """Seconds between two looks."""
        return self.context.options.retention_interval

    async def run_once(self, now: float) -> int:
        """Returns 0 once everything that is due was deleted, or enough for now."""
        await forget_old_sessions(self.context, now)
        kept_since = self._kept_since(now)
        deleted = 0
        for _ in range(_MOST_GOES):
            self.lead.fence()
            rows = await self.context.store.prune(kept_since, _BATCH)
            deleted += rows
            if rows < _BATCH:
                break
        if deleted and kept_since.tasks is not None:
            await self._delete_crawls(kept_since.tasks)
        return 0

    def _kept_since(self, now: float) -> KeptSince:
        options = self.context.options

        def before(age: float | None) -> float | None:
            return None if age is None else now - age

        return KeptSince(
            tasks=before(options.keep_tasks),
            events=before(options.keep_events),
            heartbeats=before(options.keep_heartbeats),
            logs=before(options.keep_logs),
            idempotency_keys=now,  # which are kept until the end of their own life
            samples={step: now - age for step, age in KEEP.items()},
        )

    async def _delete_crawls(self, moment: float) -> None:
        """Delete the crawls whose task is gone; those that are no task's are left alone."""
        store = self.context.crawl_store
        old = [
            crawl.id
            for crawl in await store.crawls()
            if crawl.created_at < moment and crawl.id.startswith(_TASK_PREFIX)
        ]
        for begin in range(0, len(old), _BATCH):
            ids = old[begin : begin + _BATCH]
            known = {task.id for task in await self.context.store.tasks_by_id(ids)}
            for crawl_id in ids:
                if crawl_id not in known:
                    await store.delete_crawl(crawl_id)
