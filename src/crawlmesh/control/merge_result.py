"""Make one result out of the records of a crawl, whichever nodes they came from (T7)."""

import logging
from typing import Any

import msgspec

from crawlmesh.control.context import ControlContext
from crawlmesh.control.crawl_state import crawl_progress
from crawlmesh.model.change import TaskChange
from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.model.event import Event, EventType
from crawlmesh.model.record import Record
from crawlmesh.model.task import WEB_CRAWL, Task, TaskResult, TaskStatus
from crawlmesh.rules.event_data import result_data

_PAGE = 1000  # records read at once
_MOST_PAGES = 20  # of records that are looked through for the lists of one result

_log = logging.getLogger("crawlmesh.DEDUP")


async def merge_result(context: ControlContext, task: Task) -> TaskResult:
    """The result of a crawl (S2 8.6.2): lists of all records one after the other, single values as lists.

    Each list has at most `merged_items` entries; all records stay readable one by one.
    """
    progress = await crawl_progress(context, task.id) or CrawlProgress()
    now = context.clock.now()
    data = await _merged_data(context, task.id)
    begun = task.started_at or task.assigned_at or task.created_at
    return TaskResult(
        success=True, data=data, metrics=crawl_metrics(progress, max(now - begun, 0.0)), timestamp=now
    )


async def with_merged_result(context: ControlContext, change: TaskChange) -> TaskChange:
    """The change again; where it completes a crawl, with the merged result in the task and in the event.

    One that the store does not know was done by a device in its own way, which told the result.
    """
    task = change.task
    if task.task_type != WEB_CRAWL or task.status is not TaskStatus.COMPLETED:
        return change
    progress = await crawl_progress(context, task.id)
    if progress is None:
        return change
    _log_links(task, progress)
    result = await merge_result(context, task)
    events = tuple(_with_result(event, result) for event in change.events)
    return msgspec.structs.replace(change, task=msgspec.structs.replace(task, result=result), events=events)


def _log_links(task: Task, progress: CrawlProgress) -> None:
    """One line for each crawl; those of a single page are many, and say little."""
    _log.log(
        logging.INFO if progress.added > 1 else logging.DEBUG,
        "crawl %s is through: %d different URLs, %d more were kept out by rules",
        task.id,
        progress.added,
        progress.skipped,
    )


def _with_result(event: Event, result: TaskResult) -> Event:
    if event.type is not EventType.TASK_COMPLETED:
        return event
    return msgspec.structs.replace(event, data={**event.data, "result": result_data(result)})


def crawl_metrics(progress: CrawlProgress, processing_time: float) -> dict[str, Any]:
    """The numbers of a crawl: those of T5, and what was lost on the way."""
    return {
        "pages_crawled": progress.pages,
        "processing_time": round(processing_time, 3),  # seconds
        "data_size": progress.bytes,
        "records": progress.records,
        "dead_links": progress.dead,
    }


async def _merged_data(context: ControlContext, task_id: str) -> dict[str, Any]:
    most = context.options.merged_items
    lists: dict[str, list[Any]] = {}
    after = 0
    for _ in range(_MOST_PAGES):
        records = await context.crawl_store.records(task_id, after, min(_PAGE, most))
        for record in records:
            _add(lists, record, most)
        full = bool(lists) and all(len(entries) >= most for entries in lists.values())
        if len(records) < min(_PAGE, most) or full:
            break
        after = records[-1].link_id
    return lists


def _add(lists: dict[str, list[Any]], record: Record, most: int) -> None:
    values = msgspec.json.decode(record.data)
    if not isinstance(values, dict):
        values = {"records": [values]}
    for name, value in values.items():
        if value is None or value == []:
            continue
        entries = lists.setdefault(name, [])
        entries += (value if isinstance(value, list) else [value])[: most - len(entries)]
