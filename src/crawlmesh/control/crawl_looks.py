"""Looks at the crawls that are worked on, some at a time: how fast each gets on."""

import asyncio
from collections import deque
from contextlib import suppress

import msgspec

from crawlmesh.control.context import ControlContext
from crawlmesh.control.crawl_state import crawl_progress
from crawlmesh.errors import StoreError
from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.model.query import TaskQuery
from crawlmesh.model.sample import STEPS, Sample, task_series
from crawlmesh.model.task import WEB_CRAWL, TaskStatus
from crawlmesh.rules.crawl_means import crawl_means
from crawlmesh.rules.series import step_before

_MOST_CRAWLS = 200  # in one round
_PATIENCE = 2.0  # seconds for the crawl store in one round; the others have their turn in the next
_LONGEST = 300.0  # seconds between two looks that still say something about the time between them
_STEP = STEPS[0]
_NOTHING = CrawlProgress()


class _Look(msgspec.Struct, frozen=True):
    """The counters of a crawl at a moment (Unix time)."""

    at: float
    progress: CrawlProgress


class CrawlLooks:
    """Goes round over all running crawls, at most so many in one round; each is known from its last look.

    What it remembers is for one leader: the next one begins with looks that say nothing yet, so that what
    was done before never counts as done now.
    """

    def __init__(self, context: ControlContext) -> None:
        self._context = context
        self._begun = context.clock.now()
        self._last: dict[str, _Look] = {}
        self._waiting: deque[str] = deque()  # found, and not looked at
        self._seen: set[str] = set()  # in this turn
        self._ended: set[str] = set()  # to be looked at once more
        self._cursor: str | None = None
        self._turns = 0

    @property
    def queued(self) -> int | None:
        """Links that wait in all crawls that are worked on; None until each has been looked at."""
        return sum(look.progress.pending for look in self._last.values()) if self._turns else None

    async def samples(self, now: float, *, running: bool) -> list[Sample]:
        """One for each crawl that was looked at in this round and before. `running`: whether any may run."""
        if not self._waiting and (running or self._last or not self._turns):
            await self._find()
        samples: list[Sample] = []
        with suppress(StoreError, TimeoutError):  # the overview tells that the crawl store is away
            async with asyncio.timeout(_PATIENCE):
                for _ in range(min(len(self._waiting), _MOST_CRAWLS)):
                    sample = await self._look(self._waiting[0], now)
                    self._waiting.popleft()
                    samples += [] if sample is None else [sample]
        return samples

    async def _find(self) -> None:
        """The next crawls of this turn; at its end, those too that are worked on no more."""
        query = TaskQuery(
            statuses=(TaskStatus.PROCESSING,),
            task_type=WEB_CRAWL,
            order="created_at",
            cursor=self._cursor,
            limit=_MOST_CRAWLS,
        )
        page = await self._context.store.list_tasks(query)
        self._cursor = page.cursor
        self._waiting.extend(task.id for task in page.tasks)
        self._seen.update(self._waiting)
        if page.cursor is None:
            self._ended = self._last.keys() - self._seen
            self._waiting.extend(self._ended)
            self._seen.clear()
            self._turns += 1

    async def _look(self, task_id: str, now: float) -> Sample | None:
        progress = await crawl_progress(self._context, task_id)
        before = self._last.pop(task_id, None)
        if progress is None:
            return None
        if before is None:
            before = await self._beginning(task_id)
        if task_id in self._ended:
            self._ended.discard(task_id)
        else:
            self._last[task_id] = _Look(now, progress)
        if before is None or not 0 < now - before.at <= _LONGEST:
            return None
        seconds = now - before.at
        return Sample(
            series=task_series(task_id),
            step=_STEP,
            at=step_before(now, _STEP),
            seconds=seconds,
            means=crawl_means(before.progress, progress, seconds),
        )

    async def _beginning(self, task_id: str) -> _Look | None:
        """A crawl that began under this leader had done nothing before its first execution."""
        executions = await self._context.store.task_executions(task_id)
        began = min((each.start_time for each in executions), default=float("-inf"))
        return _Look(began, _NOTHING) if began >= self._begun else None
