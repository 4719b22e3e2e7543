"""Questions to the control store, and their answers."""

from typing import Literal

import msgspec

from crawlmesh.model.cluster import Cluster
from crawlmesh.model.event import Event, EventType
from crawlmesh.model.node import HealthStatus, Node, NodeStatus
from crawlmesh.model.task import Task, TaskStatus

TaskOrder = Literal["created_at", "-created_at", "updated_at", "-updated_at", "priority", "-priority"]


class Submission(msgspec.Struct, frozen=True, kw_only=True):
    """A new task with its events, and how to recognise that it was submitted before."""

    task: Task
    events: tuple[Event, ...] = ()
    idempotency_key: str | None = None
    body_hash: str = ""
    key_life: float = 86_400.0  # seconds


class TaskQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which tasks, in which order. All conditions must hold; None and () are no condition.

    `order` with a minus is descending; ties are broken by the id, in the same direction. `cursor` is
    `TaskPage.cursor` of the page before, under the same conditions.
    """

    statuses: tuple[TaskStatus, ...] = ()
    project_id: str | None = None
    workflow_id: str | None = None
    task_type: str | None = None
    node_id: str | None = None  # assigned_node
    category: str | None = None
    priority: int | None = None
    created_after: float | None = None  # this moment included
    created_before: float | None = None  # this moment not included
    search: str | None = None  # a part of the id or of the parameters' JSON, in upper or lower case
    order: TaskOrder = "-created_at"
    cursor: str | None = None
    limit: int = 50


class TaskPage(msgspec.Struct, frozen=True):
    """Some tasks, and where the next page begins (None: nowhere).

    A store that would have to look through too many tasks stops: then there are fewer than were asked
    for, perhaps none, and a cursor.
    """

    tasks: tuple[Task, ...]
    cursor: str | None = None


class NodeQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which nodes, by id. All conditions must hold."""

    statuses: tuple[NodeStatus, ...] = ()
    health: tuple[HealthStatus, ...] = ()
    cluster_id: str | None = None
    node_type: str | None = None
    region: str | None = None
    search: str | None = None  # a part of the id or the name, in upper or lower case
    cursor: str | None = None
    limit: int = 50


class NodePage(msgspec.Struct, frozen=True):
    """Some nodes, and where the next page begins (None: nowhere)."""

    nodes: tuple[Node, ...]
    cursor: str | None = None


class EventQuery(msgspec.Struct, frozen=True, kw_only=True):
    """Which events, oldest first or newest first. All conditions must hold."""

    after: int = 0
    before: int | None = None  # only ids below it
    newest_first: bool = False
    types: tuple[EventType, ...] = ()
    task_id: str | None = None
    node_id: str | None = None
    limit: int = 1000


class QueueHead(msgspec.Struct, frozen=True):
    """A queue of tasks that fit the same nodes, and how many tasks of it have open places.

    `sample` is one of them: it has the requirements of all.
    """

    queue: str
    tasks: int
    sample: Task


class TaskCounts(msgspec.Struct, frozen=True):
    """How many tasks are in which status; statuses without any may be left out."""

    by_status: dict[str, int] = {}


class NodeGroup(msgspec.Struct, frozen=True, kw_only=True):
    """All nodes of one cluster, status and health, summed up from their latest heartbeats."""

    cluster_id: str
    status: NodeStatus
    health: HealthStatus
    nodes: int
    slots: int
    load: float
    cpu: float  # sum of cpu_usage
    cpu_told: int  # nodes that told it
    memory: float
    memory_told: int


class Retention(msgspec.Struct, frozen=True, kw_only=True):
    """Moments before which rows are no longer kept; None keeps them for ever."""

    tasks: float | None = None  # ended ones, by completed_at
    events: float | None = None
    heartbeats: float | None = None
    logs: float | None = None
    idempotency_keys: float | None = None  # by the end of their life
    samples: dict[int, float] = {}  # by their step


class ClusterSummary(msgspec.Struct, frozen=True):
    """A cluster with what is in it."""

    cluster: Cluster
    nodes: int = 0
    online: int = 0
