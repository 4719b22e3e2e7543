"""What a master answers. Moments are in UTC; fields that a master adds later are passed over."""

from datetime import datetime
from typing import Any

import msgspec

from crawlmesh.model.crawl import FilterStatus
from crawlmesh.model.task import ENDED


class SubmittedTask(msgspec.Struct, frozen=True, kw_only=True):
    """A task that was taken. `duplicate`: it is one that was submitted before."""

    id: str
    status: str
    created_at: datetime
    priority: int
    duplicate: bool = False


class TaskResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a task brought. `metrics` has pages_crawled, processing_time (seconds), data_size (bytes)."""

    success: bool
    data: dict[str, Any] = {}
    error: str | None = None
    metrics: dict[str, Any] = {}
    timestamp: datetime | None = None


class Task(msgspec.Struct, frozen=True, kw_only=True):
    """A task and where it stands."""

    id: str
    status: str
    task_type: str
    created_at: datetime
    project_id: str = "default"
    workflow_id: str | None = None
    cluster_id: str | None = None
    parameters: dict[str, Any] = {}
    priority: int = 5
    min_resources: dict[str, int | float] = {}
    capabilities: dict[str, Any] = {}
    schedule_strategy: str | None = None
    target_region: str | None = None
    content_features: dict[str, Any] = {}
    node_type: str | None = None
    categories: tuple[str, ...] = ()
    timeout: float | None = None  # seconds
    max_nodes: int = 1
    reason: str | None = None  # why it stands there
    updated_at: datetime | None = None
    not_before: datetime | None = None  # of a waiting task
    assigned_node: str | None = None
    assigned_at: datetime | None = None
    started_at: datetime | None = None
    completed_at: datetime | None = None
    result: TaskResult | None = None
    retry_count: int = 0
    max_retries: int = 0
    losses: int = 0

    @property
    def ended(self) -> bool:
        """Whether nothing more will happen by itself."""
        return self.status in ENDED

    @property
    def subject(self) -> str:
        """What it is about, for people: its URL where it has one."""
        return str(self.parameters.get("url") or next(iter(self.parameters.get("urls") or ()), ""))


class Execution(msgspec.Struct, frozen=True, kw_only=True):
    """One node's go at a task."""

    id: str
    task_id: str
    node_id: str
    status: str
    fence: int = 0
    ended_by: str | None = None
    stop: str | None = None  # why the node was asked to end it
    start_time: datetime | None = None
    end_time: datetime | None = None
    deadline: datetime | None = None
    result: TaskResult | None = None
    metrics: dict[str, Any] = {}
    retry_count: int = 0
    allocation: dict[str, float] | None = None  # cpu_cores, memory_mb, gpu
    strategy: str = ""
    choice: str = ""  # why this node


class Health(msgspec.Struct, frozen=True, kw_only=True):
    """What the health checks found; `details` has the reason and the readings it rests on."""

    status: str = "unknown"
    details: dict[str, Any] = {}
    timestamp: datetime | None = None


class Node(msgspec.Struct, frozen=True, kw_only=True):
    """A node as the masters know it."""

    id: str
    name: str
    status: str
    cluster_id: str = "default"
    description: str = ""
    ip_address: str = ""
    port: int = 0
    node_type: str = "standard"
    region: str = ""
    capabilities: dict[str, Any] = {}
    resources: dict[str, int | float] = {}
    slots: int = 0
    weight: float = 1.0
    task_types: tuple[str, ...] = ()
    reason: str | None = None
    health: Health = Health()
    last_heartbeat: datetime | None = None
    load: float = 0.0
    usage: dict[str, float] = {}  # cpu_usage, memory_usage …
    active_tasks: int = 0
    created_at: datetime | None = None
    updated_at: datetime | None = None


class Heartbeat(msgspec.Struct, frozen=True, kw_only=True):
    """What a node reported of itself."""

    at: datetime
    usage: dict[str, float] = {}  # cpu_usage, memory_usage …
    load: float = 0.0
    active_tasks: tuple[str, ...] = ()
    task_errors: int = 0
    task_latency: float = 0.0  # seconds


class Cluster(msgspec.Struct, frozen=True, kw_only=True):
    """A cluster."""

    id: str
    name: str
    project_id: str = "default"
    description: str = ""
    configuration: dict[str, Any] = {}
    status: str = "active"
    nodes: int = 0
    online: int = 0
    created_at: datetime | None = None
    updated_at: datetime | None = None


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """Something that happened."""

    id: int
    type: str
    at: datetime
    data: dict[str, Any] = {}
    task_id: str | None = None
    node_id: str | None = None


class LogLine(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the log of an execution."""

    id: int
    at: datetime
    level: str
    message: str
    execution_id: str = ""
    node_id: str = ""


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """What one page yielded."""

    url: str
    data: Any
    final_url: str = ""
    status: int = 0
    depth: int = 0
    fetched_at: datetime | None = None


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A URL of a crawl that was given up."""

    url: str
    reason: str
    link_id: int
    at: datetime
    host: str = ""
    http_status: int | None = None
    attempts: int = 0


class SteeredTask(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one task of many: its status, or why it was left as it was."""

    id: str
    status: str | None = None
    error: str | None = None


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One try at a URL."""

    number: int
    at: datetime
    kind: str
    http_status: int | None = None
    reason: str | None = None
    elapsed: float = 0.0  # seconds


class UrlStory(msgspec.Struct, frozen=True, kw_only=True):
    """What became of one URL of a crawl."""

    url: str
    state: str | None = None  # None: skipped before it became a link
    depth: int = 0
    found_by: str | None = None
    parent_url: str | None = None
    rule: str | None = None
    outcome: str | None = None
    http_status: int | None = None
    reason: str | None = None
    final_url: str | None = None
    fetched_at: datetime | None = None
    elapsed: float | None = None
    size: int | None = None
    attempts: tuple[Attempt, ...] = ()
    has_record: bool = False
    redirected_from: tuple[str, ...] = ()


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """A key. `key` is the secret itself and is told only by the call that made it."""

    id: str
    name: str
    role: str
    key: str | None = None
    created_at: datetime | None = None
    expires_at: datetime | None = None
    last_used_at: datetime | None = None


class Placement(msgspec.Struct, frozen=True, kw_only=True):
    """Why one node works on a task."""

    execution_id: str
    node_id: str
    strategy: str = ""
    choice: str = ""  # why this node, one sentence
    stop: str | None = None  # why it was asked to end


class Explanation(msgspec.Struct, frozen=True, kw_only=True):
    """Why a task is where it is (S6): the short answer, and all reasons, most important first."""

    task_id: str
    status: str
    summary: str = ""
    reasons: tuple[str, ...] = ()
    placements: tuple[Placement, ...] = ()
    nodes: int = 0  # that are registered
    fitting: int = 0  # nodes that could do it
    free: int = 0  # of them with a free place

    @property
    def sentences(self) -> list[str]:
        """All of it for people."""
        further = [reason for reason in self.reasons if reason.rstrip(".") not in self.summary]
        chosen = [f"{place.node_id} has it: {place.choice}" for place in self.placements if place.choice]
        return list(dict.fromkeys(text for text in (self.summary, *further, *chosen) if text))


class CrawlFilter(msgspec.Struct, frozen=True, kw_only=True):
    """The Bloom filter of a crawl that is worked on."""

    task_id: str
    filter: FilterStatus


class BrokerState(msgspec.Struct, frozen=True, kw_only=True):
    """How a message broker stands: `connected`, `away`, or `unused` by a master that does not lead."""

    address: str
    state: str


class StoreState(msgspec.Struct, frozen=True, kw_only=True):
    """How the crawl store stands: `connected`, or `away`, so that workers wait for it."""

    address: str
    state: str


class Overview(msgspec.Struct, frozen=True, kw_only=True):
    """The whole system: counters of everything, and means over the nodes that are online."""

    tasks: dict[str, int] = {}  # by status
    tasks_total: int = 0
    nodes: dict[str, int] = {}  # by status
    nodes_total: int = 0
    health: dict[str, int] = {}  # nodes by health
    clusters: int = 0
    running: int = 0  # executions
    slots: int = 0  # of nodes that are online
    queues: int = 0  # kinds of tasks that wait for a place
    mean_load: float | None = None  # 0 … 1
    mean_cpu: float | None = None
    mean_memory: float | None = None
    leader: str | None = None
    last_event_id: int = 0
    filters: list[CrawlFilter] = []  # the fullest first
    task_channel: BrokerState | None = None
    event_bus: BrokerState | None = None
    crawl_store: StoreState | None = None
