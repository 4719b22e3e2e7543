"""`GET /metrics`: what was counted, and how things stand at this moment."""

from collections import Counter

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from crawlmesh.api.auth import VIEWERS
from crawlmesh.api.operations import Success, operation
from crawlmesh.api.services import Services, services_of
from crawlmesh.control.crawl_filters import crawl_filters
from crawlmesh.model.node import NodeStatus
from crawlmesh.model.task import TaskStatus
from crawlmesh.observability.metrics import (
    BROKER_CONNECTED,
    FILTER_BYTES,
    FILTER_FILL,
    FILTER_LINKS,
    FILTERS,
    LEADER,
    NODES,
    QUEUE_DEPTH,
    QUEUES,
    RUNNING,
    STREAMS,
    TASKS,
)
from crawlmesh.observability.prometheus import CONTENT_TYPE

router = APIRouter()


@router.get(
    "/metrics",
    **operation(
        "get_metrics",
        "Metrics for Prometheus",
        tag="system",
        roles=VIEWERS,
        success=Success(None, 'crawlmesh_tasks{status="pending"} 12.0\n', media_type="text/plain"),
    ),
)
async def get_metrics(request: Request) -> Response:
    """All metrics in the text format of Prometheus."""
    services = services_of(request)
    await _look(services)
    return Response(services.options.measurements.text(), headers={"Content-Type": CONTENT_TYPE})


async def _look(services: Services) -> None:
    store, measurements = services.context.store, services.options.measurements
    tasks = (await store.count_tasks()).by_status
    for task_status in TaskStatus:
        measurements.set(TASKS, tasks.get(task_status, 0), task_status)
    nodes = Counter(node.status for node in await store.nodes_changed_since(0.0))
    for node_status in NodeStatus:
        measurements.set(NODES, nodes[node_status], node_status)
    queues = await store.queue_heads()
    measurements.set(QUEUES, len(queues))
    measurements.set(QUEUE_DEPTH, sum(queue.tasks for queue in queues))
    measurements.set(RUNNING, sum((await store.node_loads()).values()))
    measurements.set(LEADER, 1 if services.options.leads() else 0)
    measurements.set(STREAMS, len(services.listeners))
    brokers = {"task_channel": services.context.task_channel, "event_bus": services.context.event_bus}
    for use, broker in brokers.items():
        if broker is not None:
            measurements.set(BROKER_CONNECTED, float(broker.channel.is_connected), use)
    filters = [each.status for each in await crawl_filters(services.context)]
    measurements.set(FILTERS, len(filters))
    measurements.set(FILTER_FILL, max((status.fill for status in filters), default=0.0))
    measurements.set(FILTER_LINKS, sum(status.count for status in filters))
    measurements.set(FILTER_BYTES, sum(status.bytes for status in filters))
