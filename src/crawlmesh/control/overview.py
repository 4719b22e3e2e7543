"""The whole cluster on one page (M1)."""

from collections import Counter

import msgspec

from crawlmesh.control.broker import BrokerState, broker_state
from crawlmesh.control.context import ControlContext
from crawlmesh.control.crawl_filters import CrawlFilter, crawl_filters
from crawlmesh.control.crawl_store_state import StoreState, crawl_store_state
from crawlmesh.model.node import HealthStatus, Node, NodeStatus
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
    """Reads each node once; everything else is kept as a counter. `leads`: whether this master does."""
    store = context.store
    now = context.clock.now()
    tasks = (await store.count_tasks()).by_status
    nodes = await store.nodes_changed_since(0.0)
    online = [node for node in nodes if node.status is NodeStatus.ONLINE]
    statuses = Counter(node.status.value for node in nodes)
    health = Counter(node.health.status.value for node in nodes)
    leader = await store.leader()
    return Overview(
        at=now,
        tasks={status.value: tasks.get(status.value, 0) for status in TaskStatus},
        tasks_total=sum(tasks.values()),
        nodes={status.value: statuses[status.value] for status in NodeStatus},
        nodes_total=len(nodes),
        health={status.value: health[status.value] for status in HealthStatus},
        clusters=len(await store.clusters()),
        running=sum((await store.node_loads()).values()),
        slots=sum(node.slots for node in online),
        queues=len(await store.queue_heads()),
        mean_load=_mean([node.load for node in online]),
        mean_cpu=_mean_usage(online, "cpu_usage"),
        mean_memory=_mean_usage(online, "memory_usage"),
        leader=leader.holder if leader is not None and leader.expires_at > now else None,
        last_event_id=await store.last_event_id(),
        filters=(await crawl_filters(context))[:_SHOWN_FILTERS],
        task_channel=broker_state(context.task_channel, leads=leads),
        event_bus=broker_state(context.event_bus, leads=leads),
        crawl_store=await crawl_store_state(context),
    )


def _mean(values: list[float]) -> float | None:
    return sum(values) / len(values) if values else None


def _mean_usage(nodes: list[Node], name: str) -> float | None:
    return _mean([node.usage[name] for node in nodes if name in node.usage])
