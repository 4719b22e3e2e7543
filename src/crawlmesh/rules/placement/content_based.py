"""The node that suits the content: what it can read, and what it did well before."""

from typing import Any, Final
from urllib.parse import urlsplit

from crawlmesh.model.node import Node
from crawlmesh.model.task import Task
from crawlmesh.rules.placement.base import Candidate, Order, Pick, Pool

CONTENT_TYPE_SHARE: Final = 0.4
TECHNOLOGY_SHARE: Final = 0.3
SIMILARITY_SHARE: Final = 0.3


def features_of(task: Task) -> dict[str, str]:
    """By what work is recognised as similar: content type, technology, host and region."""
    found = {
        "content_type": task.content_features.get("content_type"),
        "technology": task.content_features.get("technology"),
        "host": _host(task.parameters.get("url")),
        "region": task.target_region,
    }
    return {name: str(value) for name, value in found.items() if value}


def capability_score(task: Task, node: Node) -> float:
    """The part of the score that comes from what the node says it can."""
    score = 0.0
    if _offered(node, "content_types", task.content_features.get("content_type")):
        score += CONTENT_TYPE_SHARE
    if _offered(node, "technologies", task.content_features.get("technology")):
        score += TECHNOLOGY_SHARE
    return score


def _worst_last(task: Task, node: Node) -> float:
    return -capability_score(task, node)


class ContentBased:
    """Content type 0.4, technology 0.3, similar work that went well 0.3; of equal ones the least loaded."""

    name = "content_based"

    def pick(self, task: Task, pool: Pool) -> Pick | None:
        """The node with the highest score."""
        best = pool.best(Order.LOAD, _worst_last)
        if best is None:
            return None
        top, similarity = best, 0.0
        for candidate, similar in pool.with_history(features_of(task)):
            if _key(task, candidate, similar) < _key(task, top, similarity):
                top, similarity = candidate, similar
        score = capability_score(task, top.node) + SIMILARITY_SHARE * similarity
        why = f"best content match of {pool.fitting} fitting nodes: score {score:.2f}"
        return Pick(
            top, f"{why} of which {SIMILARITY_SHARE * similarity:.2f} from similar work; {top.describe()}"
        )


def _key(task: Task, candidate: Candidate, similarity: float) -> tuple[float, float, float, str]:
    node = candidate.node
    score = capability_score(task, node) + SIMILARITY_SHARE * similarity
    return (-score, candidate.running / max(node.slots, 1), node.load, node.id)


def _offered(node: Node, capability: str, wanted: Any) -> bool:
    offered = node.capabilities.get(capability)
    return bool(wanted) and (wanted == offered or (isinstance(offered, list | tuple) and wanted in offered))


def _host(url: Any) -> str | None:
    try:
        return urlsplit(url).hostname if isinstance(url, str) else None
    except ValueError:
        return None
