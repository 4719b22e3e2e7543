"""The whole cluster on one page (M1)."""

import asyncio
from collections import Counter
from collections.abc import Iterable

import msgspec

from crawlmesh.control.broker import BrokerState, broker_state
from crawlmesh.control.context import ControlContext
from crawlmesh.control.crawl_filters import remembered_filters
from crawlmesh.control.crawl_store_state import StoreState, crawl_store_state
from crawlmesh.model.crawl import CrawlFilter
from crawlmesh.model.node import HealthStatus, NodeStatus
from crawlmesh.model.task import TaskStatus

_SHOWN_FILTERS = 10


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """Counters of everything, and means over the nodes that are online."""

    at: float
    tasks: dict[str, int]  # by status
    tasks_total: int
    nodes: dict[str, int]  # by status
    nodes_total: int
    health: dict[str, int]  # nodes by health
    clusters: int
    running: int  # executions
    slots: int  # of nodes that are online
    queues: int  # kinds of tasks that wait for a place
    mean_load: float | None  # 0 … 1
    mean_cpu: float | None
    mean_memory: float | None
    leader: str | None
    last_event_id: int
    filters: list[CrawlFilter]  # the fullest first
    task_channel: BrokerState | None = None
    event_bus: BrokerState | None = None
    crawl_store: StoreState | None = None


async def overview(context: ControlContext, *, leads: bool = True) -> Overview:
    """As it was a moment ago, where counting takes long. `leads`: whether this master does."""
    return await context.remembered.overview.get(context.clock, lambda: _count(context, leads))


async def _count(context: ControlContext, leads: bool) -> Overview:
    """Nodes are summed up by the store, everything else is counted."""
    store = context.store
    now = context.clock.now()
    counts, groups, loads, heads = await asyncio.gather(
        store.count_tasks(), store.node_groups(), store.node_loads(), store.queue_heads()
    )
    leader, clusters, last_event_id = await asyncio.gather(
        store.leader(), store.clusters(), store.last_event_id()
    )
    tasks = counts.by_status
    online = [group for group in groups if group.status is NodeStatus.ONLINE]
    statuses: Counter[str] = Counter()
    health: Counter[str] = Counter()
    for group in groups:
        statuses[group.status.value] += group.nodes
        health[group.health.value] += group.nodes
    return Overview(
        at=now,
        tasks={status.value: tasks.get(status.value, 0) for status in TaskStatus},
        tasks_total=sum(tasks.values()),
        nodes={status.value: statuses[status.value] for status in NodeStatus},
        nodes_total=statuses.total(),
        health={status.value: health[status.value] for status in HealthStatus},
        clusters=len(clusters),
        running=sum(loads.values()),
        slots=sum(group.slots for group in online),
        queues=len(heads),
        mean_load=_mean((group.load, group.nodes) for group in online),
        mean_cpu=_mean((group.cpu, group.cpu_told) for group in online),
        mean_memory=_mean((group.memory, group.memory_told) for group in online),
        leader=leader.holder if leader is not None and leader.expires_at > now else None,
        last_event_id=last_event_id,
        filters=(await remembered_filters(context))[:_SHOWN_FILTERS],
        task_channel=broker_state(context.task_channel, leads=leads),
        event_bus=broker_state(context.event_bus, leads=leads),
        crawl_store=await crawl_store_state(context),
    )


def _mean(parts: Iterable[tuple[float, int]]) -> float | None:
    """Of sums, each with how many it is made of; None where there is nothing."""
    total, number = 0.0, 0
    for part, of in parts:
        total += part
        number += of
    return total / number if number else None
