"""The tables, column by column, as `crawlmesh.migrations` lays them."""

from collections.abc import Iterable
from typing import Any

from crawlmesh.adapters.postgres.control.columns import (
    Column,
    Table,
    choice,
    json,
    moment,
    number,
    text,
    texts,
)
from crawlmesh.model.access import ApiKey, Role
from crawlmesh.model.cluster import Cluster, ClusterStatus
from crawlmesh.model.event import Event, EventType
from crawlmesh.model.execution import Allocation, Assignment, EndedBy, Execution, ExecutionStatus
from crawlmesh.model.log_line import LogLine
from crawlmesh.model.node import HealthStatus, Heartbeat, Node, NodeHealth, NodeStatus
from crawlmesh.model.sample import Sample
from crawlmesh.model.task import Task, TaskResult, TaskStatus

TASKS = Table(
    "crawler_tasks",
    (
        *texts("id", "task_type"),
        json("parameters"),
        *texts("project_id", "workflow_id", "cluster_id"),
        number("priority"),
        json("min_resources", dict[str, int | float]),
        json("capabilities"),
        *texts("schedule_strategy", "target_region"),
        json("content_features"),
        text("node_type"),
        Column("categories", "text[]", tuple),
        number("max_retries"),
        moment("timeout"),
        number("max_nodes"),
        text("dedup_key"),
        choice("status", TaskStatus),
        text("reason"),
        number("fence"),
        text("queue"),
        number("open_places"),
        *map(moment, ("created_at", "updated_at", "not_before")),
        text("assigned_node"),
        *map(moment, ("assigned_at", "started_at", "completed_at")),
        json("result", TaskResult),
        number("retry_count"),
        number("losses"),
    ),
)

# What the search for tasks looks through. It never changes, so it is written once, with the task.
KEEP_TEXTS = r"""
INSERT INTO task_texts (task_id, text) SELECT id, lower(id) || E'\n' || lower(parameters::text)
"""
INSERT_TASKS = f"""
WITH inserted AS ({TASKS.insert} ORDER BY given.id RETURNING id, parameters)
{KEEP_TEXTS} FROM inserted
"""
INSERT_NEW_TASKS = f"""
WITH inserted AS ({TASKS.insert} ORDER BY given.id ON CONFLICT (id) DO NOTHING RETURNING id, parameters)
{KEEP_TEXTS} FROM inserted RETURNING task_id
"""

EXECUTIONS = Table(
    "crawler_task_executions",
    (
        *texts("id", "task_id", "node_id"),
        number("fence"),
        choice("status", ExecutionStatus),
        choice("ended_by", EndedBy),
        choice("stop", EndedBy),
        *map(moment, ("start_time", "end_time", "deadline")),
        json("result", TaskResult),
        json("metrics"),
        number("retry_count"),
        json("allocation", Allocation),
        *texts("strategy", "choice"),
    ),
)

NODES = Table(
    "crawler_nodes",
    (
        *texts("id", "identity", "name", "cluster_id", "description", "ip_address"),
        number("port"),
        *texts("node_type", "region"),
        json("capabilities"),
        json("resources", dict[str, int | float]),
        number("slots"),
        moment("weight"),
        json("task_types", tuple[str, ...]),
        choice("status", NodeStatus),
        text("reason"),
        choice("health_status", HealthStatus, "health", "status"),
        json("health_details", None, "health", "details"),
        Column("health_timestamp", "double precision", None, "health", "timestamp"),
        text("token_hash"),
        number("session"),
        number("fence"),
        moment("last_heartbeat"),
        moment("load"),
        json("usage", dict[str, float]),
        number("active_tasks"),
        *map(moment, ("created_at", "updated_at")),
    ),
)

HEARTBEATS = Table(
    "node_heartbeats",
    (
        text("node_id"),
        moment("at"),
        json("usage", dict[str, float]),
        moment("load"),
        json("active_tasks", tuple[str, ...]),
        number("task_errors"),
        moment("task_latency"),
    ),
)

CLUSTERS = Table(
    "crawler_clusters",
    (
        *texts("id", "name", "project_id", "description"),
        json("configuration"),
        choice("status", ClusterStatus),
        *map(moment, ("created_at", "updated_at")),
    ),
)

KEYS = Table(
    "api_keys",
    (
        *texts("id", "name"),
        choice("role", Role),
        text("hash"),
        *map(moment, ("created_at", "expires_at", "last_used_at")),
        text("session_of"),
    ),
)

EVENTS = Table(
    "cluster_events",
    (choice("type", EventType), moment("at"), json("data"), *texts("task_id", "node_id"), number("id")),
)

LOGS = Table(
    "execution_logs",
    (
        *texts("task_id", "execution_id"),
        moment("at"),
        text("level"),
        *texts("message", "node_id"),
        number("id"),
    ),
)

SAMPLES = Table(
    "samples",
    (
        text("series"),
        number("step"),
        moment("at"),
        moment("seconds"),
        json("means", dict[str, float | None]),
    ),
)


def task(row: Iterable[Any]) -> Task:
    """A task from its row."""
    return Task(**TASKS.values(row))


def execution(row: Iterable[Any]) -> Execution:
    """An execution from its row."""
    return Execution(**EXECUTIONS.values(row))


def assignment(row: Iterable[Any]) -> Assignment:
    """An execution and its task from a row of both."""
    split = len(EXECUTIONS.columns)
    values = tuple(row)
    return Assignment(execution(values[:split]), task(values[split:]))


def node(row: Iterable[Any]) -> Node:
    """A node from its row."""
    fields = NODES.values(row)
    health = (fields.pop(name) for name in ("health_status", "health_details", "health_timestamp"))
    return Node(health=NodeHealth(*health), **fields)


def heartbeat(row: Iterable[Any]) -> Heartbeat:
    """A heartbeat from its row."""
    return Heartbeat(**HEARTBEATS.values(row))


def cluster(row: Iterable[Any]) -> Cluster:
    """A cluster from its row."""
    return Cluster(**CLUSTERS.values(row))


def key(row: Iterable[Any]) -> ApiKey:
    """A key from its row."""
    return ApiKey(**KEYS.values(row))


def event(row: Iterable[Any]) -> Event:
    """An event from its row."""
    return Event(**EVENTS.values(row))


def log_line(row: Iterable[Any]) -> LogLine:
    """A line of a log from its row."""
    return LogLine(**LOGS.values(row))


def sample(row: Iterable[Any]) -> Sample:
    """A sample from its row."""
    return Sample(**SAMPLES.values(row))
