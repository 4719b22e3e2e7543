"""The columns of each table, and rows from and to the structs of the model."""

from typing import Any

from crawlmesh.adapters.sqlite.control.statements import (
    Column,
    as_object,
    columns,
    json_text,
    object_text,
    optional_json,
)
from crawlmesh.model.event import Event
from crawlmesh.model.execution import Execution
from crawlmesh.model.log_line import LogLine
from crawlmesh.model.node import Heartbeat, Node
from crawlmesh.model.task import Task

TASK = columns(
    "id task_type parameters project_id workflow_id cluster_id priority min_resources capabilities"
    " schedule_strategy target_region content_features node_type categories max_retries timeout max_nodes"
    " dedup_key status reason fence queue open_places created_at updated_at not_before assigned_node"
    " assigned_at started_at completed_at result retry_count losses",
    real="timeout created_at updated_at not_before assigned_at started_at completed_at",
    json="parameters min_resources capabilities content_features categories result",
)

EXECUTION = columns(
    "id task_id node_id fence status ended_by stop start_time end_time deadline result metrics retry_count"
    " allocation strategy choice",
    real="start_time end_time deadline",
    json="result metrics allocation",
)

_NODE_READ = columns(
    "id identity name cluster_id description ip_address port node_type region capabilities resources slots"
    " weight task_types status reason token_hash session fence last_heartbeat load usage active_tasks"
    " created_at updated_at",
    real="weight last_heartbeat load created_at updated_at",
    json="capabilities resources task_types usage",
)
NODE = (
    *_NODE_READ,
    Column("health_status"),
    Column("health_details", "json"),
    Column("health_timestamp", "real"),
    Column("touched_at", "real"),
)

HEARTBEAT = columns(
    "node_id at usage load active_tasks task_errors task_latency",
    real="at load task_latency",
    json="usage active_tasks",
)
EVENT = columns("id type at data task_id node_id", real="at", json="data")
LINE = columns("id task_id execution_id at level message node_id", real="at")
CLUSTER = columns(
    "id name project_id description configuration status created_at updated_at",
    real="created_at updated_at",
    json="configuration",
)
KEY = columns(
    "id name role hash created_at expires_at last_used_at session_of",
    real="created_at expires_at last_used_at",
)
SAMPLE = columns("series step at seconds means", real="at seconds", json="means")

TASK_OBJECT = as_object(TASK, "crawler_tasks")
EXECUTION_OBJECT = as_object(EXECUTION, "crawler_task_executions")
ASSIGNMENT_OBJECT = f"""printf('{{"execution":%s,"task":%s}}', {EXECUTION_OBJECT}, {TASK_OBJECT})"""
_HEALTH_OBJECT = (
    """printf('{"status":%s,"details":%s,"timestamp":%s}', json_quote(health_status), health_details,"""
    " iif(health_timestamp IS NULL, 'null', printf('%!.17g', health_timestamp)))"
)
NODE_OBJECT = as_object(_NODE_READ, "crawler_nodes", health=_HEALTH_OBJECT)


def names(all_columns: tuple[Column, ...]) -> tuple[str, ...]:
    """The names of columns."""
    return tuple(column.name for column in all_columns)


def task_row(task: Task) -> tuple[Any, ...]:
    """A row of crawler_tasks."""
    return (
        task.id,
        task.task_type,
        json_text(task.parameters),
        task.project_id,
        task.workflow_id,
        task.cluster_id,
        task.priority,
        object_text(task.min_resources),
        object_text(task.capabilities),
        task.schedule_strategy,
        task.target_region,
        object_text(task.content_features),
        task.node_type,
        json_text(task.categories) if task.categories else "[]",
        task.max_retries,
        task.timeout,
        task.max_nodes,
        task.dedup_key,
        task.status.value,
        task.reason,
        task.fence,
        task.queue,
        task.open_places,
        task.created_at,
        task.updated_at,
        task.not_before,
        task.assigned_node,
        task.assigned_at,
        task.started_at,
        task.completed_at,
        optional_json(task.result),
        task.retry_count,
        task.losses,
    )


TASK_STATE = (
    "status", "reason", "fence", "queue", "open_places", "updated_at", "not_before", "assigned_node",
    "assigned_at", "started_at", "completed_at", "result", "retry_count", "losses",
)  # fmt: skip


def task_state_row(task: Task) -> tuple[Any, ...]:
    """The id, and `TASK_STATE`."""
    return (
        task.id,
        task.status.value,
        task.reason,
        task.fence,
        task.queue,
        task.open_places,
        task.updated_at,
        task.not_before,
        task.assigned_node,
        task.assigned_at,
        task.started_at,
        task.completed_at,
        optional_json(task.result),
        task.retry_count,
        task.losses,
    )


EXECUTION_STATE = (
    "fence", "status", "ended_by", "stop", "start_time", "end_time", "deadline", "result", "metrics",
    "retry_count", "allocation", "strategy", "choice",
)  # fmt: skip


def execution_row(execution: Execution) -> tuple[Any, ...]:
    """A row of crawler_task_executions."""
    return (execution.id, execution.task_id, execution.node_id, *execution_state_row(execution)[1:])


def execution_state_row(execution: Execution) -> tuple[Any, ...]:
    """The id, and `EXECUTION_STATE`."""
    return (
        execution.id,
        execution.fence,
        execution.status.value,
        None if execution.ended_by is None else execution.ended_by.value,
        None if execution.stop is None else execution.stop.value,
        execution.start_time,
        execution.end_time,
        execution.deadline,
        optional_json(execution.result),
        object_text(execution.metrics),
        execution.retry_count,
        optional_json(execution.allocation),
        execution.strategy,
        execution.choice,
    )


def node_row(node: Node) -> tuple[Any, ...]:
    """A row of crawler_nodes."""
    health = node.health
    return (
        node.id,
        node.identity,
        node.name,
        node.cluster_id,
        node.description,
        node.ip_address,
        node.port,
        node.node_type,
        node.region,
        object_text(node.capabilities),
        object_text(node.resources),
        node.slots,
        node.weight,
        json_text(node.task_types),
        node.status.value,
        node.reason,
        node.token_hash,
        node.session,
        node.fence,
        node.last_heartbeat,
        node.load,
        object_text(node.usage),
        node.active_tasks,
        node.created_at,
        node.updated_at,
        health.status.value,
        object_text(health.details),
        health.timestamp,
        max(node.updated_at, node.last_heartbeat or 0.0, health.timestamp or 0.0),
    )


def heartbeat_row(heartbeat: Heartbeat) -> tuple[Any, ...]:
    """A row of node_heartbeats."""
    return (
        heartbeat.node_id,
        heartbeat.at,
        object_text(heartbeat.usage),
        heartbeat.load,
        json_text(heartbeat.active_tasks),
        heartbeat.task_errors,
        heartbeat.task_latency,
    )


def event_row(event_id: int, event: Event) -> tuple[Any, ...]:
    """A row of cluster_events."""
    return (event_id, event.type.value, event.at, object_text(event.data), event.task_id, event.node_id)


def line_row(line_id: int, line: LogLine) -> tuple[Any, ...]:
    """A row of execution_logs."""
    return (line_id, line.task_id, line.execution_id, line.at, line.level, line.message, line.node_id)
