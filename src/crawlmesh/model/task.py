"""A task: what a user submits, and where it stands."""

from enum import StrEnum
from typing import Any

import msgspec

WEB_CRAWL = "web_crawl"


class TaskStatus(StrEnum):
    """Where a task stands. `crawlmesh.rules.task_lifecycle` has the table of allowed moves."""

    WAITING = "waiting"  # until `not_before`
    PENDING = "pending"  # for a node
    ASSIGNED = "assigned"  # to a node that has not begun
    PROCESSING = "processing"
    PAUSED = "paused"
    COMPLETED = "completed"
    FAILED = "failed"
    TIMEOUT = "timeout"
    CANCELLED = "cancelled"


ENDED = frozenset({TaskStatus.COMPLETED, TaskStatus.FAILED, TaskStatus.TIMEOUT, TaskStatus.CANCELLED})


class TaskResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a task brought (T5). `metrics` has pages_crawled, processing_time (seconds), data_size (bytes)."""

    success: bool
    data: dict[str, Any] = {}
    error: str | None = None
    metrics: dict[str, Any] = {}
    timestamp: float = 0.0


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A task. `fence` grows with every change of the row; a change names the fence it was made from.

    `open_places` is how many nodes the scheduler may still put it on; it is above 0 in `pending`, and
    while it is worked on by fewer nodes than `max_nodes`. `queue` names its requirements: tasks with
    the same one fit the same nodes (`crawlmesh.rules.compatibility.queue_of`).
    """

    id: str
    task_type: str
    parameters: dict[str, Any]
    project_id: str = "default"
    workflow_id: str | None = None
    cluster_id: str | None = None  # None: nodes of any cluster
    priority: int = 5  # 1 … 10, 10 first
    min_resources: dict[str, int | float] = {}  # cpu_cores, memory_mb, gpu, network_bandwidth_mbps …
    capabilities: dict[str, Any] = {}  # numbers, flags, texts, lists of texts
    schedule_strategy: str | None = None  # None: the default of the settings
    target_region: str | None = None
    content_features: dict[str, Any] = {}
    node_type: str | None = None
    categories: tuple[str, ...] = ()
    max_retries: int = 3
    timeout: float | None = None  # seconds for one go; None: the default of the settings
    max_nodes: int = 1  # that may work on it at once (T7)
    dedup_key: str | None = None  # of submissions that want to be recognised again (T10)

    status: TaskStatus = TaskStatus.PENDING
    reason: str | None = None  # why it stands there, one sentence, where that is not plain
    fence: int = 1
    queue: str = ""
    open_places: int = 1
    created_at: float = 0.0
    updated_at: float = 0.0
    not_before: float = 0.0  # of a waiting task
    assigned_node: str | None = None  # the latest
    assigned_at: float | None = None
    started_at: float | None = None
    completed_at: float | None = None
    result: TaskResult | None = None
    retry_count: int = 0
    losses: int = 0  # goes that ended because their node was lost

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen by itself."""
        return self.status in ENDED
