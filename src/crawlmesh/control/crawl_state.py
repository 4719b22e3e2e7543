"""Where the crawl behind a web_crawl task stands."""

import msgspec

from crawlmesh.control.context import ControlContext
from crawlmesh.errors import UnknownCrawlError
from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.model.task import Task

_MOST_PROCESSES = 256  # of one node


async def crawl_progress(context: ControlContext, task_id: str) -> CrawlProgress | None:
    """The counters of the task's crawl; None where no node has made it yet."""
    try:
        return await context.crawl_store.progress(task_id)
    except UnknownCrawlError:
        return None


def is_finished(task: Task, progress: CrawlProgress | None) -> bool:
    """Whether nothing is left to do, or the limit of pages is reached and no page is under way.

    A crawl without a single link was made and not yet given its seeds: it has not begun.
    """
    if progress is None or progress.added == 0:
        return False
    if progress.finished:
        return True
    limit = task.parameters.get("max_pages")
    return isinstance(limit, int) and progress.leased == 0 and progress.pages >= limit


class LeaseHolders(msgspec.Struct, frozen=True):
    """The ids under which a node leases links: its own, and NODE/1 … NODE/n of its n crawl processes."""

    ids: tuple[str, ...]

    @classmethod
    def of(cls, node_id: str, capabilities: dict[str, object]) -> "LeaseHolders":
        """`n` is what the node announced as `capabilities["processes"]`; 1 where it said nothing."""
        told = capabilities.get("processes", 1)
        processes = told if isinstance(told, int) and not isinstance(told, bool) else 1
        numbers = range(1, min(max(processes, 1), _MOST_PROCESSES) + 1)
        return cls((node_id, *(f"{node_id}/{number}" for number in numbers)))


async def expire_leases(context: ControlContext, node_id: str, capabilities: dict[str, object]) -> int:
    """Give the links of a node that is gone back to the others at once. Returns how many leases ended."""
    ended = 0
    for holder in LeaseHolders.of(node_id, capabilities).ids:
        ended += await context.crawl_store.expire(node_id=holder)
    return ended
