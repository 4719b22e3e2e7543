"""Which nodes can do a task at all (S2 of the requirements)."""

import hashlib
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from crawlmesh.model.node import Node
from crawlmesh.model.task import Task

RESOURCE_NAMES: Final = {"cpu_cores": "cpu"}  # of a task's request → of what a node has
ANTI_CRAWLING: Final = "anti_crawling"  # the key under which a task names the defences of its target

_QUEUE_DIGEST_BYTES = 10


class Obstacle(msgspec.Struct, frozen=True):
    """Why a node cannot do a task, after "it" and after "they"."""

    reason: str
    plural: str

    def of(self, count: int) -> str:
        """The sentence for so many nodes, without a full stop."""
        return f"1 node {self.reason}" if count == 1 else f"{count} nodes {self.plural}"


def queue_of(task: Task) -> str:
    """A short name of everything that decides which nodes a task fits and how they are ranked."""
    needs = (
        task.task_type,
        task.node_type,
        task.cluster_id,
        task.capabilities,
        task.min_resources,
        task.schedule_strategy,
        task.target_region,
        task.content_features,
        defences_of(task),
    )
    text = msgspec.json.encode(needs, order="sorted")
    return hashlib.blake2b(text, digest_size=_QUEUE_DIGEST_BYTES).hexdigest()


def defences_of(task: Task) -> list[str]:
    """What the target of a task does against crawlers, as the task says."""
    named = task.content_features.get(ANTI_CRAWLING, task.parameters.get(ANTI_CRAWLING))
    if isinstance(named, str):
        return [named]
    return sorted({str(one) for one in named}) if isinstance(named, list | tuple) else []


def obstacles(node: Node, task: Task) -> list[Obstacle]:
    """Everything about the node that keeps it from doing the task, whatever it does at the moment."""
    found: list[Obstacle] = []
    if task.cluster_id is not None and node.cluster_id != task.cluster_id:
        found.append(_being(f"not in cluster {task.cluster_id}"))
    if task.node_type is not None and node.node_type != task.node_type:
        found.append(_being(f"not of type {task.node_type}"))
    if node.task_types and task.task_type not in node.task_types:
        found.append(_having(f"no executor for {task.task_type}"))
    found += [
        Obstacle(f"lacks capability {need}", f"lack capability {need}")
        for name, required in task.capabilities.items()
        for need in _unmet(name, required, node.capabilities.get(name))
    ]
    found += [
        _having(f"less than {required:g} {name}")
        for name, required in task.min_resources.items()
        if _resource(node.resources, name) < required
    ]
    return found


def _being(what: str) -> Obstacle:
    return Obstacle(f"is {what}", f"are {what}")


def _having(what: str) -> Obstacle:
    return Obstacle(f"has {what}", f"have {what}")


def _unmet(name: str, required: Any, offered: Any) -> list[str]:
    """The parts of one capability that are missing, each as a task's author would write it."""
    if isinstance(required, list | tuple):
        return [f"{name} {item}" for item in required if not _offers(item, offered)]
    if isinstance(required, Mapping):
        inner = offered if isinstance(offered, Mapping) else {}
        return [
            need for key, value in required.items() for need in _unmet(f"{name}.{key}", value, inner.get(key))
        ]
    if _offers(required, offered):
        return []
    if isinstance(required, bool):
        return [name]
    return [f"{name} ≥ {required:g}" if isinstance(required, int | float) else f"{name} {required}"]


def _offers(required: Any, offered: Any) -> bool:
    if isinstance(offered, list | tuple | Mapping):
        return required in list(offered)
    if isinstance(required, int | float):
        return (offered if isinstance(offered, int | float) else 0) >= required
    return bool(required == offered)


def _resource(resources: Mapping[str, float], name: str) -> float:
    return resources.get(name, resources.get(RESOURCE_NAMES.get(name, name), 0.0))
