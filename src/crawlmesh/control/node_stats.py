"""How one node fares (M1)."""

from collections import Counter

import msgspec

from crawlmesh.control.changing import known_node
from crawlmesh.control.context import ControlContext
from crawlmesh.model.execution import Execution, ExecutionStatus
from crawlmesh.model.node import Node

_RECENT = 1000  # executions that the numbers rest on


class NodeStats(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers over the latest thousand executions of a node; durations in seconds."""

    node: Node
    running: int
    slots: int
    completed: int
    failed: int
    by_end: dict[str, int]  # EndedBy
    success_rate: float | None  # 0 … 1; None: nothing has ended
    mean_duration: float | None
    pages_crawled: int
    data_size: int  # bytes


async def node_stats(context: ControlContext, node_id: str) -> NodeStats:
    """Raises NotFoundError."""
    node = await known_node(context, node_id)
    executions = await context.store.executions_of_node(node_id, _RECENT)
    running = sum(each.status is ExecutionStatus.RUNNING for each in executions)
    completed = sum(each.status is ExecutionStatus.COMPLETED for each in executions)
    ended = len(executions) - running
    durations = [each.end_time - each.start_time for each in executions if each.end_time is not None]
    return NodeStats(
        node=node,
        running=running,
        slots=node.slots,
        completed=completed,
        failed=ended - completed,
        by_end=dict(Counter(each.ended_by.value for each in executions if each.ended_by is not None)),
        success_rate=completed / ended if ended else None,
        mean_duration=sum(durations) / len(durations) if durations else None,
        pages_crawled=_total(executions, "pages_crawled"),
        data_size=_total(executions, "data_size"),
    )


def _total(executions: list[Execution], metric: str) -> int:
    values = (each.metrics.get(metric) for each in executions)
    return sum(int(value) for value in values if isinstance(value, int | float))
