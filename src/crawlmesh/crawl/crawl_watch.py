"""When a crawl has nothing left for this process."""

import asyncio
from collections.abc import Callable, Collection, Iterable, Mapping

from crawlmesh.crawl.plan import CrawlPlan
from crawlmesh.errors import UnknownCrawlError
from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.crawl_store import CrawlStore

_FIRST_PAUSE = 0.05  # seconds between two looks at one crawl; doubles while it brings nothing
_LONGEST_PAUSE = 1.0

CrawlEnd = Callable[[str, CrawlProgress | None], None]


class CrawlWatch:
    """Looks at the counters of crawls that this process holds no link of.

    A crawl ends here when nothing is left of it anywhere, when its page limit is reached and nobody
    holds a link of it, or when the store no longer knows it.
    """

    def __init__(
        self, store: CrawlStore, clock: Clock, plans: Mapping[str, CrawlPlan], on_end: CrawlEnd
    ) -> None:
        self._store = store
        self._clock = clock
        self._plans = plans
        self._on_end = on_end
        self._pauses: dict[str, tuple[float, float]] = {}  # when to look again, and the pause after that
        self.ended: set[str] = set()

    def forget(self, crawl_id: str) -> None:
        """A crawl is no longer worked on here, or begins anew."""
        self._pauses.pop(crawl_id, None)
        self.ended.discard(crawl_id)

    async def look(self, crawl_ids: Iterable[str], busy: Collection[str]) -> None:
        """Find those that have ended among crawls which were asked for and brought nothing."""
        now = self._clock.monotonic()
        due = []
        for crawl_id in crawl_ids:
            if crawl_id in busy:
                self._pauses.pop(crawl_id, None)
            elif crawl_id not in self.ended and self._is_due(crawl_id, now):
                due.append(crawl_id)
        if due:
            found = await asyncio.gather(*(self._progress(crawl_id) for crawl_id in due))
            for crawl_id, progress in zip(due, found, strict=True):
                self._judge(crawl_id, progress)

    def _is_due(self, crawl_id: str, now: float) -> bool:
        moment, pause = self._pauses.get(crawl_id, (now, _FIRST_PAUSE))
        if moment > now:
            return False
        self._pauses[crawl_id] = (now + pause, min(2 * pause, _LONGEST_PAUSE))
        return True

    async def _progress(self, crawl_id: str) -> CrawlProgress | None:
        try:
            return await self._store.progress(crawl_id)
        except UnknownCrawlError:
            return None

    def _judge(self, crawl_id: str, progress: CrawlProgress | None) -> None:
        plan = self._plans.get(crawl_id)
        if plan is None or (progress is not None and not _is_over(progress, plan.max_pages)):
            return
        self.ended.add(crawl_id)
        self._on_end(crawl_id, progress)


def _is_over(progress: CrawlProgress, max_pages: int | None) -> bool:
    if progress.finished:
        return True
    return max_pages is not None and progress.pages >= max_pages and not progress.leased
