"""The Bloom filters of the crawls that are worked on."""

import asyncio

from crawlmesh.control.context import ControlContext
from crawlmesh.control.crawl_state import crawl_progress
from crawlmesh.errors import StoreError
from crawlmesh.model.crawl import CrawlFilter
from crawlmesh.model.query import TaskQuery
from crawlmesh.model.task import WEB_CRAWL, TaskStatus

_MOST_CRAWLS = 100  # that are looked at
_PATIENCE = 2.0  # seconds for a crawl store that does not answer: others wait for the rest of the picture


async def remembered_filters(context: ControlContext) -> list[CrawlFilter]:
    """As they were some seconds ago: whoever shows them asks often, and they fill slowly."""
    return await context.remembered.filters.get(context.clock, lambda: crawl_filters(context))


async def crawl_filters(context: ControlContext) -> list[CrawlFilter]:
    """The fullest first; none where the crawl store is away."""
    query = TaskQuery(statuses=(TaskStatus.PROCESSING,), task_type=WEB_CRAWL, limit=_MOST_CRAWLS)
    tasks = (await context.store.list_tasks(query)).tasks
    found: list[CrawlFilter] = []
    try:
        async with asyncio.timeout(_PATIENCE):
            for task in tasks:
                progress = await crawl_progress(context, task.id)
                if progress is not None and progress.filter is not None:
                    found.append(CrawlFilter(task.id, progress.filter))
    except (StoreError, TimeoutError):
        pass
    return sorted(found, key=lambda each: each.status.fill, reverse=True)
