"""Questions about tasks, executions, nodes, events and logs: each is one statement that yields one text."""

from typing import Any

import msgspec

from crawlmesh.adapters.sqlite.control.rows import (
    ASSIGNMENT_OBJECT,
    CLUSTER,
    EVENT,
    EXECUTION_OBJECT,
    HEARTBEAT,
    KEY,
    LINE,
    NODE_OBJECT,
    TASK_OBJECT,
)
from crawlmesh.adapters.sqlite.control.statements import as_object, listed
from crawlmesh.model.access import ApiKey
from crawlmesh.model.cluster import Cluster
from crawlmesh.model.event import Event
from crawlmesh.model.execution import Assignment, Execution, RunningExecution
from crawlmesh.model.log_line import LogLine
from crawlmesh.model.node import Heartbeat, Node
from crawlmesh.model.query import EventQuery, NodeGroup, QueueHead
from crawlmesh.model.task import Task

decode_tasks = msgspec.json.Decoder(list[Task]).decode
decode_heads = msgspec.json.Decoder(list[QueueHead]).decode
decode_executions = msgspec.json.Decoder(list[Execution]).decode
decode_assignments = msgspec.json.Decoder(list[Assignment]).decode
decode_running = msgspec.json.Decoder(list[RunningExecution]).decode
decode_nodes = msgspec.json.Decoder(list[Node]).decode
decode_node_groups = msgspec.json.Decoder(list[NodeGroup]).decode
decode_heartbeats = msgspec.json.Decoder(list[Heartbeat]).decode
decode_events = msgspec.json.Decoder(list[Event]).decode
decode_lines = msgspec.json.Decoder(list[LogLine]).decode
decode_clusters = msgspec.json.Decoder(list[Cluster]).decode
decode_keys = msgspec.json.Decoder(list[ApiKey]).decode
decode_counts = msgspec.json.Decoder(dict[str, int]).decode

_EVENT_OBJECT = as_object(EVENT, "cluster_events")

# -- tasks ---------------------------------------------------------------------------------------

TASKS_BY_ID = listed(TASK_OBJECT, "FROM crawler_tasks WHERE id IN (SELECT value FROM json_each(?))")

COUNTS = "SELECT json_group_object(status, tasks) FROM task_counts"

_FIRST_OF_QUEUE = f"""
(SELECT {TASK_OBJECT} FROM crawler_tasks INDEXED BY idx_tasks_open
 WHERE crawler_tasks.queue = queue_counts.queue AND open_places > 0
 ORDER BY priority DESC, created_at, id LIMIT 1)
"""  # noqa: S608
QUEUE_HEADS = listed(
    f"""printf('{{"queue":%s,"tasks":%d,"sample":%s}}', json_quote(queue), tasks, {_FIRST_OF_QUEUE})""",
    "FROM queue_counts WHERE tasks > 0",
)

OPEN_TASKS = listed(
    TASK_OBJECT,
    "FROM crawler_tasks INDEXED BY idx_tasks_open WHERE queue = ? AND open_places > 0"
    " AND id NOT IN (SELECT value FROM json_each(?)) ORDER BY priority DESC, created_at, id LIMIT ?",
)

DUE_TASKS = listed(
    TASK_OBJECT,
    "FROM crawler_tasks INDEXED BY idx_tasks_due WHERE status = 'waiting' AND not_before <= ?"
    " ORDER BY not_before, id LIMIT ?",
)

# -- executions ----------------------------------------------------------------------------------

_WITH_TASK = "CROSS JOIN crawler_tasks ON crawler_tasks.id = task_id"

ASSIGNMENTS = listed(
    ASSIGNMENT_OBJECT,
    f"FROM crawler_task_executions {_WITH_TASK}"  # noqa: S608
    " WHERE crawler_task_executions.id IN (SELECT value FROM json_each(?))",
)

NODE_ASSIGNMENTS = listed(
    ASSIGNMENT_OBJECT,
    f"FROM crawler_task_executions INDEXED BY idx_executions_running {_WITH_TASK}"
    " WHERE node_id = ? AND crawler_task_executions.status = 'running'"
    " ORDER BY start_time, crawler_task_executions.id LIMIT -1",
)

NODE_EXECUTIONS = listed(
    "json_array(id, stop)",
    "FROM crawler_task_executions INDEXED BY idx_executions_running"
    " WHERE node_id = ? AND status = 'running' ORDER BY start_time, id LIMIT -1",
)

TASK_EXECUTIONS = listed(
    EXECUTION_OBJECT,
    "FROM crawler_task_executions WHERE task_id = ? ORDER BY start_time, id LIMIT -1",
)

RUNNING_EXECUTIONS = listed(
    EXECUTION_OBJECT,
    "FROM crawler_task_executions INDEXED BY idx_executions_task"
    " WHERE task_id IN (SELECT value FROM json_each(?)) AND status = 'running'"
    " ORDER BY start_time, id LIMIT -1",
)

OVERDUE = listed(
    ASSIGNMENT_OBJECT,
    f"FROM crawler_task_executions INDEXED BY idx_executions_overdue {_WITH_TASK}"
    " WHERE crawler_task_executions.status = 'running' AND deadline IS NOT NULL AND deadline <= ?"
    " ORDER BY deadline, crawler_task_executions.id LIMIT ?",
)

NEWEST_OF_NODE = listed(
    EXECUTION_OBJECT,
    "FROM crawler_task_executions WHERE node_id = ? ORDER BY id DESC LIMIT ?",
)
OLDER_OF_NODE = listed(
    EXECUTION_OBJECT,
    "FROM crawler_task_executions WHERE node_id = ? AND id < ? ORDER BY id DESC LIMIT ?",
)

LOADS = "SELECT json_group_object(node_id, running) FROM node_loads WHERE running > 0"

# -- nodes ---------------------------------------------------------------------------------------

NODE = listed(NODE_OBJECT, "FROM crawler_nodes WHERE id = ?")
NODE_BY_IDENTITY = listed(NODE_OBJECT, "FROM crawler_nodes WHERE identity = ?")
NODE_GROUPS = listed(
    "json_object('cluster_id', cluster_id, 'status', status, 'health', health, 'nodes', nodes,"
    " 'slots', slots, 'load', load,"
    " 'cpu', coalesce(cpu, 0.0), 'cpu_told', cpu_told,"
    " 'memory', coalesce(memory, 0.0), 'memory_told', memory_told)",
    "FROM (SELECT cluster_id, status, health_status AS health, count(*) AS nodes, sum(slots) AS slots,"
    " total(load) AS load, sum(cpu) AS cpu, count(cpu) AS cpu_told, sum(memory) AS memory,"
    " count(memory) AS memory_told FROM (SELECT cluster_id, status, health_status, slots, load,"
    " usage ->> '$.cpu_usage' AS cpu, usage ->> '$.memory_usage' AS memory FROM crawler_nodes)"
    " GROUP BY cluster_id, status, health_status)",
)
ALL_NODES = listed(NODE_OBJECT, "FROM crawler_nodes")
NODES_CHANGED = listed(NODE_OBJECT, "FROM crawler_nodes WHERE touched_at >= ?")

_SILENT_IN = """
SELECT crawler_nodes.id, last_heartbeat FROM json_each(:statuses) AS wanted
CROSS JOIN crawler_nodes INDEXED BY idx_nodes_silent
WHERE status = wanted.value AND last_heartbeat"""
_SILENT = f"""
SELECT id FROM ({_SILENT_IN} < :before UNION ALL {_SILENT_IN} IS NULL)
ORDER BY last_heartbeat, id LIMIT :limit
"""  # noqa: S608
SILENT_NODES = listed(
    NODE_OBJECT, f"FROM crawler_nodes WHERE id IN ({_SILENT}) ORDER BY last_heartbeat, id LIMIT -1"
)

HISTORY = listed(
    as_object(HEARTBEAT, "node_heartbeats"),
    "FROM node_heartbeats WHERE node_id = ? AND at >= ? ORDER BY at, rowid LIMIT ?",
)

HISTORIES = listed(
    as_object(HEARTBEAT, "node_heartbeats"),
    "FROM node_heartbeats WHERE rowid IN (SELECT heard.rowid FROM json_each(:nodes) AS wanted"
    " CROSS JOIN node_heartbeats AS heard ON heard.rowid IN (SELECT rowid FROM node_heartbeats"
    " WHERE node_id = wanted.value AND at >= :since ORDER BY at, rowid LIMIT :limit))"
    " ORDER BY at, rowid LIMIT -1",
)

# -- the rest ------------------------------------------------------------------------------------

CLUSTERS = listed(as_object(CLUSTER, "crawler_clusters"), "FROM crawler_clusters ORDER BY name, id LIMIT -1")
KEYS = listed(as_object(KEY, "api_keys"), "FROM api_keys ORDER BY created_at, id LIMIT -1")
POSITION = "SELECT coalesce((SELECT number FROM reader_positions WHERE name = ?), 0)"
LAST_EVENT = "SELECT id FROM last_ids WHERE kind = 'events'"

_LINES = "FROM execution_logs WHERE task_id = :task AND id > :after {} ORDER BY id LIMIT :limit"
LINES_OF_TASK = listed(as_object(LINE, "execution_logs"), _LINES.format(""))
LINES_OF_EXECUTION = listed(as_object(LINE, "execution_logs"), _LINES.format("AND execution_id = :execution"))


def events_statement(query: EventQuery) -> tuple[str, dict[str, Any]]:
    """The statement for a query for events, and its parameters."""
    conditions = ["id > :after"]
    parameters: dict[str, Any] = {"after": query.after, "limit": query.limit}
    if query.before is not None:
        conditions.append("id < :before")
        parameters["before"] = query.before
    if query.types:
        conditions.append("type IN (SELECT value FROM json_each(:types))")
        parameters["types"] = msgspec.json.encode(query.types).decode()
    for name in ("task_id", "node_id"):
        value = getattr(query, name)
        if value is not None:
            conditions.append(f"{name} = :{name}")
            parameters[name] = value
    where = " AND ".join(conditions)
    order = "ORDER BY id DESC" if query.newest_first else "ORDER BY id"
    return listed(_EVENT_OBJECT, f"FROM cluster_events WHERE {where} {order} LIMIT :limit"), parameters
