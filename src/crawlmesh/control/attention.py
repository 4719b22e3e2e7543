"""What needs attention: nodes, tasks, hosts, filters and servers that are not well (M1)."""

import asyncio
from contextlib import suppress
from itertools import chain, islice

from crawlmesh.control.broker import broker_state
from crawlmesh.control.context import ControlContext
from crawlmesh.control.crawl_state import crawl_progress
from crawlmesh.control.crawl_store_state import crawl_store_state
from crawlmesh.control.fleet_view import current_fleet
from crawlmesh.errors import StoreError
from crawlmesh.model.attention import AttentionItem, AttentionKind, AttentionList, SubjectType
from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.model.node import HealthStatus, NodeStatus
from crawlmesh.model.query import NodeQuery, QueueHead, TaskQuery
from crawlmesh.model.task import WEB_CRAWL, Task, TaskStatus
from crawlmesh.rules import attention as rules

_MOST_NODES = 100  # of each kind
_MOST_FAILED = 30  # tasks of each kind
_MOST_QUEUES = 50
_MOST_WAITING = 10  # tasks of a queue
_MOST_CRAWLS = 50
_MOST_HELD_UP = 5  # crawls whose hosts are looked at
_MOST_HOSTS = 10  # of each
_PATIENCE = 1.0  # seconds for the crawl store

_UNWELL = (HealthStatus.UNHEALTHY, HealthStatus.UNREACHABLE, HealthStatus.DEGRADED)
_AT_WORK = (NodeStatus.ONLINE, NodeStatus.DRAINING)
_AWAY = (NodeStatus.UNRESPONSIVE, NodeStatus.OFFLINE)
_FAILED = (TaskStatus.FAILED, TaskStatus.TIMEOUT)


async def attention(context: ControlContext, *, leads: bool = True) -> AttentionList:
    """Everything that may need somebody, as it was some seconds ago. `leads`: whether this master does.

    It asks only what an index answers, some rows of each kind, and once for all who ask at the same time.
    """
    return await context.remembered.attention.get(context.clock, lambda: _find_out(context, leads))


async def _find_out(context: ControlContext, leads: bool) -> AttentionList:
    parts = await asyncio.gather(
        _nodes(context), _stuck(context), _failed(context), _crawls_or_their_store(context)
    )
    return rules.ranked([*_brokers(context, leads), *chain(*parts)])


def _brokers(context: ControlContext, leads: bool) -> list[AttentionItem]:
    brokers = {"task_channel": context.task_channel, "event_bus": context.event_bus}
    items: list[AttentionItem] = []
    for use, broker in brokers.items():
        state = broker_state(broker, leads=leads)
        if state is not None and state.state == "away":
            reason = f"The broker at {state.address} does not answer; it is tried again."
            items.append(rules.away(AttentionKind.BROKER_AWAY, SubjectType.BROKER, use, reason))
    return items


async def _nodes(context: ControlContext) -> list[AttentionItem]:
    now = context.clock.now()
    away = [
        node for status in _AWAY for node in await context.store.silent_nodes((status,), now, _MOST_NODES)
    ]
    query = NodeQuery(statuses=_AT_WORK, health=_UNWELL, limit=_MOST_NODES)
    unwell = (await context.store.list_nodes(query)).nodes
    found = {node.id: node for node in (*away, *unwell)}
    return [item for node in found.values() if (item := rules.of_node(node)) is not None]


async def _stuck(context: ControlContext) -> list[AttentionItem]:
    heads = await context.store.queue_heads()
    if not heads:
        return []
    fleet = await current_fleet(context)
    nobody = (head for head in heads if fleet.has_nobody_for(head.sample))
    found = [await _stuck_in(context, head) for head in islice(nobody, _MOST_QUEUES)]
    return [item for item in found if item is not None]


async def _stuck_in(context: ControlContext, head: QueueHead) -> AttentionItem | None:
    """One item for all tasks of a queue, as they fit the same nodes: the oldest of the most urgent ones."""
    waiting = [
        task
        for task in await context.store.open_tasks(head.queue, _MOST_WAITING)
        if task.status is TaskStatus.PENDING
    ]
    if not waiting:
        return None
    task = min(waiting, key=lambda each: each.created_at)
    reasons = (await current_fleet(context)).explain(task).sentences[:3]
    return rules.stuck_task(task, head.tasks - 1, reasons, context.clock.now())


async def _failed(context: ControlContext) -> list[AttentionItem]:
    now = context.clock.now()
    items: list[AttentionItem] = []
    for status in _FAILED:
        page = await context.store.list_tasks(TaskQuery(statuses=(status,), limit=_MOST_FAILED))
        items += [item for task in page.tasks if (item := rules.failed_task(task, now)) is not None]
    return items


async def _crawls_or_their_store(context: ControlContext) -> list[AttentionItem]:
    state = await crawl_store_state(context)
    if state.state == "connected":
        return await _crawls(context)
    reason = "The crawl store does not answer: crawls wait, all other tasks go on."
    address = state.address or "crawl store"
    return [rules.away(AttentionKind.CRAWL_STORE_AWAY, SubjectType.STORE, address, reason)]


async def _crawls(context: ControlContext) -> list[AttentionItem]:
    query = TaskQuery(statuses=(TaskStatus.PROCESSING,), task_type=WEB_CRAWL, limit=_MOST_CRAWLS)
    tasks = (await context.store.list_tasks(query)).tasks
    items: list[AttentionItem] = []
    looked_at: list[tuple[Task, CrawlProgress]] = []
    with suppress(StoreError, TimeoutError):
        async with asyncio.timeout(_PATIENCE):
            for task in tasks:
                progress = await crawl_progress(context, task.id)
                if progress is not None:
                    looked_at.append((task, progress))
                    items += rules.of_crawl(task, progress)
            for task, _ in _held_up(looked_at):
                items += await _hosts(context, task.id)
    return list({(item.kind, item.subject_id): item for item in items}.values())


def _held_up(crawls: list[tuple[Task, CrawlProgress]]) -> list[tuple[Task, CrawlProgress]]:
    """Those with links left that may be the fault of a host: nothing is under way first, then most dead."""
    waiting = [each for each in crawls if each[1].pending]
    waiting.sort(key=lambda each: (each[1].leased > 0, -each[1].dead))
    return waiting[:_MOST_HELD_UP]


async def _hosts(context: ControlContext, task_id: str) -> list[AttentionItem]:
    store = context.crawl_store
    hosts = [each for each in await store.hosts(task_id, _MOST_HOSTS) if each.queued]
    items: list[AttentionItem] = []
    for each in hosts:
        status = await store.host_status(each.host)
        limits = None if status is None else status.limits
        item = rules.of_host(each.host, each.state, limits, each.queued)
        items += [] if item is None else [item]
    return items
