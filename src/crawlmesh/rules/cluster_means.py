"""The cluster in numbers, at one moment."""

from collections import Counter
from collections.abc import Iterable, Mapping

from crawlmesh.model.node import Node, NodeStatus
from crawlmesh.model.sample import BYTES, ERRORS, NODE_COUNT, PAGES
from crawlmesh.model.task import TaskStatus

_WORKS = frozenset({NodeStatus.ONLINE, NodeStatus.DRAINING, NodeStatus.MAINTENANCE})


def cluster_means(
    nodes: Iterable[Node],
    loads: Mapping[str, int],
    tasks: Mapping[str, int],
    queued: float | None,
    heard_since: float,
) -> dict[str, float | None]:
    """Sums over what nodes told last, if that was since a moment; a node that told no rates adds nothing."""
    statuses: Counter[NodeStatus] = Counter()
    rates = dict.fromkeys((PAGES, BYTES, ERRORS), 0.0)
    for node in nodes:
        statuses[node.status] += 1
        if node.status in _WORKS and (node.last_heartbeat or 0.0) >= heard_since:
            for name in rates:
                rates[name] += max(node.usage.get(name, 0.0), 0.0)
    return {
        **rates,
        "queued": queued,
        "running": float(sum(loads.values())),
        "pending": float(tasks.get(TaskStatus.PENDING.value, 0)),
        **{f"{NODE_COUNT}{status}": float(number) for status, number in statuses.items()},
    }
