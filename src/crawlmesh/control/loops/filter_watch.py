"""Bloom filters that are nearly full: somebody should know before they take more memory (P2, U5)."""

import logging

import msgspec

from crawlmesh.control.context import ControlContext
from crawlmesh.control.crawl_filters import crawl_filters
from crawlmesh.control.lead import Lead
from crawlmesh.control.loops.leader_loop import LeaderLoop
from crawlmesh.model.crawl import CrawlFilter, FilterStatus
from crawlmesh.model.event import Event, EventType

_log = logging.getLogger("crawlmesh.DEDUP")


class FilterWatch(LeaderLoop):
    """Tells of each size of a filter once; after a change of the leader perhaps once more."""

    hurries = False

    def __init__(self, context: ControlContext, lead: Lead) -> None:
        super().__init__(context, lead)
        self._seen: dict[str, FilterStatus] = {}  # by task; as they were at the last look

    def interval(self) -> float:
        """Seconds between two looks."""
        return self.context.options.filter_watch_interval

    async def run_once(self, now: float) -> int:
        """Returns how many filters were told of."""
        self.lead.fence()
        filters = await crawl_filters(self.context)
        filling = [each for each in filters if self._fills_up(each)]
        for each in filters:
            self._log_growth(each)
        for each in filling:
            _log.warning(
                "crawl %s: its Bloom filter is %d %% full, with %d links, and will grow",
                each.task_id,
                int(each.status.fill * 100),
                each.status.count,
            )
        self._seen = {each.task_id: each.status for each in filters}
        if filling:
            await self.context.store.append_events([_event(each, now) for each in filling])
        return len(filling)

    def _fills_up(self, found: CrawlFilter) -> bool:
        before = self._seen.get(found.task_id)
        told = before is not None and before.nearly_full and before.layers == found.status.layers
        return found.status.nearly_full and not told

    def _log_growth(self, found: CrawlFilter) -> None:
        before = self._seen.get(found.task_id)
        if before is not None and before.layers < found.status.layers:
            _log.info(
                "crawl %s: its Bloom filter has grown to %d layers for %d links",
                found.task_id,
                found.status.layers,
                found.status.capacity,
            )


def _event(found: CrawlFilter, now: float) -> Event:
    data = {"task_id": found.task_id, **msgspec.structs.asdict(found.status)}
    return Event(type=EventType.TASK_FILTER_NEARLY_FULL, at=now, task_id=found.task_id, data=data)
