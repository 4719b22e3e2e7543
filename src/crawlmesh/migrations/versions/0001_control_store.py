"""The tables of the control store.

They follow the design of the system (crawler_clusters, crawler_nodes, crawler_tasks,
crawler_task_executions), with what the model has beyond it. Columns are named after the fields of
`crawlmesh.model`. The same statements serve both databases but for a few types (`_TYPES`).

* Moments are Unix seconds in double precision, in PostgreSQL too: that is what the model speaks, so
  nothing is converted on hot paths. Whoever looks by hand writes to_timestamp(created_at).
* `updated_at` is set by the caller like every moment, so no trigger sets it.
* JSON is `json` in PostgreSQL, not `jsonb`: no call looks inside, and `json` keeps the order of keys
  (that of the fields of an extraction counts) and numbers as written.
* Ids are compared byte by byte, so that paging by id means the same everywhere.
* Only change_tasks writes executions, and it locks their tasks: a foreign key would only cost. Nodes
  may go while their executions stay.
"""

from alembic import context, op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

_TYPES = {
    "postgresql": {
        "ID": 'text COLLATE "C"',
        "MOMENT": "double precision",
        "JSON": "json",
        "TEXTS": "text[]",
        "NO_TEXTS": "'{}'",
        "NUMBERED": "bigint PRIMARY KEY",
        "TOUCHED": (
            " GENERATED ALWAYS AS (greatest(updated_at, coalesce(last_heartbeat, 0),"
            " coalesce(health_timestamp, 0))) STORED"
        ),
        "HOT": " WITH (fillfactor = 50)",  # room on the page, so that an update touches no index
    },
    "sqlite": {
        "ID": "text",
        "MOMENT": "real",
        "JSON": "text",
        "TEXTS": "text",  # a JSON array
        "NO_TEXTS": "'[]'",
        "NUMBERED": "integer PRIMARY KEY",
        "TOUCHED": "",
        "HOT": "",
    },
}

_CLUSTERS = """
CREATE TABLE crawler_clusters (
    id <ID> PRIMARY KEY,
    name text NOT NULL,
    project_id text NOT NULL DEFAULT 'default',
    description text NOT NULL DEFAULT '',
    configuration <JSON> NOT NULL DEFAULT '{}',
    status text NOT NULL DEFAULT 'active' CHECK (status IN ('active', 'inactive', 'maintenance')),
    created_at <MOMENT> NOT NULL,
    updated_at <MOMENT> NOT NULL,
    UNIQUE (project_id, name)
);
"""

_NODES = """
CREATE TABLE crawler_nodes (
    id <ID> PRIMARY KEY,
    identity text NOT NULL UNIQUE,
    name text NOT NULL,
    cluster_id <ID> NOT NULL DEFAULT 'default',
    description text NOT NULL DEFAULT '',
    ip_address text NOT NULL,
    port integer NOT NULL CHECK (port BETWEEN 0 AND 65535),
    node_type text NOT NULL,
    region text NOT NULL DEFAULT '',
    capabilities <JSON> NOT NULL DEFAULT '{}',
    resources <JSON> NOT NULL DEFAULT '{}',
    slots integer NOT NULL,
    weight double precision NOT NULL DEFAULT 1,
    task_types <JSON> NOT NULL DEFAULT '[]',
    status text NOT NULL DEFAULT 'pending' CHECK (
        status IN ('pending', 'online', 'draining', 'maintenance', 'unresponsive', 'offline')),
    reason text,
    health_status text NOT NULL DEFAULT 'unknown' CHECK (
        health_status IN ('unknown', 'healthy', 'degraded', 'unhealthy', 'unreachable')),
    health_details <JSON> NOT NULL DEFAULT '{}',
    health_timestamp <MOMENT>,
    token_hash text NOT NULL,
    session bigint NOT NULL,
    fence bigint NOT NULL,
    last_heartbeat <MOMENT>,
    load double precision NOT NULL DEFAULT 0,
    usage <JSON> NOT NULL DEFAULT '{}',
    active_tasks integer NOT NULL DEFAULT 0,
    created_at <MOMENT> NOT NULL,
    updated_at <MOMENT> NOT NULL,
    touched_at <MOMENT> NOT NULL<TOUCHED>  -- the latest of updated_at, last_heartbeat and health_timestamp
);
CREATE INDEX idx_nodes_cluster ON crawler_nodes (cluster_id);
CREATE INDEX idx_nodes_silent ON crawler_nodes (status, last_heartbeat);
CREATE INDEX idx_nodes_touched ON crawler_nodes (touched_at);

CREATE TABLE node_heartbeats (
    node_id <ID> NOT NULL,
    at <MOMENT> NOT NULL,
    usage <JSON> NOT NULL DEFAULT '{}',
    load double precision NOT NULL DEFAULT 0,
    active_tasks <JSON> NOT NULL DEFAULT '[]',
    task_errors integer NOT NULL DEFAULT 0,
    task_latency double precision NOT NULL DEFAULT 0
);
CREATE INDEX idx_heartbeats_node ON node_heartbeats (node_id, at);
CREATE INDEX idx_heartbeats_at ON node_heartbeats (at);
"""

_TASKS = """
CREATE TABLE crawler_tasks (
    id <ID> PRIMARY KEY,
    task_type text NOT NULL,
    parameters <JSON> NOT NULL,
    project_id text NOT NULL,
    workflow_id text,
    cluster_id <ID>,
    priority integer NOT NULL DEFAULT 5,
    min_resources <JSON> NOT NULL DEFAULT '{}',
    capabilities <JSON> NOT NULL DEFAULT '{}',
    schedule_strategy text,
    target_region text,
    content_features <JSON> NOT NULL DEFAULT '{}',
    node_type text,
    categories <TEXTS> NOT NULL DEFAULT <NO_TEXTS>,
    max_retries integer NOT NULL DEFAULT 3,
    timeout double precision,
    max_nodes integer NOT NULL DEFAULT 1,
    dedup_key text,
    status text NOT NULL DEFAULT 'pending' CHECK (
        status IN ('waiting', 'pending', 'assigned', 'processing', 'paused',
                   'completed', 'failed', 'timeout', 'cancelled')),
    reason text,
    fence bigint NOT NULL,
    queue text NOT NULL,
    open_places integer NOT NULL CHECK (open_places >= 0),
    created_at <MOMENT> NOT NULL,
    updated_at <MOMENT> NOT NULL,
    not_before <MOMENT> NOT NULL DEFAULT 0,
    assigned_node <ID>,
    assigned_at <MOMENT>,
    started_at <MOMENT>,
    completed_at <MOMENT>,
    result <JSON>,
    retry_count integer NOT NULL DEFAULT 0 CHECK (retry_count >= 0),
    losses integer NOT NULL DEFAULT 0 CHECK (losses >= 0)
);
CREATE INDEX idx_tasks_created ON crawler_tasks (created_at, id);
CREATE INDEX idx_tasks_updated ON crawler_tasks (updated_at, id);
CREATE INDEX idx_tasks_priority ON crawler_tasks (priority, id);
CREATE INDEX idx_tasks_status ON crawler_tasks (status, created_at, id);
CREATE INDEX idx_tasks_project ON crawler_tasks (project_id, created_at, id);
CREATE INDEX idx_tasks_workflow ON crawler_tasks (workflow_id, created_at, id) WHERE workflow_id IS NOT NULL;
CREATE INDEX idx_tasks_assigned ON crawler_tasks (assigned_node, created_at, id)
    WHERE assigned_node IS NOT NULL;
CREATE INDEX idx_tasks_open ON crawler_tasks (queue, priority DESC, created_at, id) WHERE open_places > 0;
CREATE INDEX idx_tasks_due ON crawler_tasks (not_before, id) WHERE status = 'waiting';
CREATE INDEX idx_tasks_ended ON crawler_tasks (completed_at)
    WHERE status IN ('completed', 'failed', 'timeout', 'cancelled');
CREATE INDEX idx_tasks_dedup ON crawler_tasks (dedup_key) WHERE dedup_key IS NOT NULL;
"""

_EXECUTIONS = """
CREATE TABLE crawler_task_executions (
    id <ID> PRIMARY KEY,
    task_id <ID> NOT NULL,
    node_id <ID> NOT NULL,
    fence bigint NOT NULL,
    status text NOT NULL CHECK (status IN ('running', 'completed', 'failed')),
    ended_by text CHECK (
        ended_by IN ('finished', 'error', 'timeout', 'node_lost', 'paused', 'cancelled', 'released')),
    stop text,
    start_time <MOMENT> NOT NULL,
    end_time <MOMENT>,
    deadline <MOMENT>,
    result <JSON>,
    metrics <JSON> NOT NULL DEFAULT '{}',
    retry_count integer NOT NULL DEFAULT 0,
    allocation <JSON>,
    strategy text NOT NULL DEFAULT '',
    choice text NOT NULL DEFAULT ''
);
CREATE INDEX idx_executions_task ON crawler_task_executions (task_id);
CREATE INDEX idx_executions_node ON crawler_task_executions (node_id, id);
CREATE INDEX idx_executions_running ON crawler_task_executions (node_id, id)
    WHERE status = 'running';
CREATE INDEX idx_executions_overdue ON crawler_task_executions (deadline, id)
    WHERE status = 'running' AND deadline IS NOT NULL;
"""

_COUNTERS = """
CREATE TABLE task_counts (
    status text PRIMARY KEY,
    tasks bigint NOT NULL
)<HOT>;
CREATE TABLE queue_counts (  -- tasks with open places
    queue text PRIMARY KEY,
    tasks bigint NOT NULL
)<HOT>;
CREATE TABLE node_loads (  -- running executions
    node_id <ID> PRIMARY KEY,
    running bigint NOT NULL
)<HOT>;
CREATE TABLE last_ids (  -- the highest id given so far, also after the rows are gone
    kind text PRIMARY KEY CHECK (kind IN ('events', 'logs')),
    id bigint NOT NULL
)<HOT>;
INSERT INTO last_ids (kind, id) VALUES ('events', 0), ('logs', 0);
"""

_TOLD = """
CREATE TABLE cluster_events (
    id <NUMBERED>,
    type text NOT NULL,
    at <MOMENT> NOT NULL,
    data <JSON> NOT NULL DEFAULT '{}',
    task_id <ID>,
    node_id <ID>
);
CREATE INDEX idx_events_task ON cluster_events (task_id, id) WHERE task_id IS NOT NULL;
CREATE INDEX idx_events_node ON cluster_events (node_id, id) WHERE node_id IS NOT NULL;
CREATE INDEX idx_events_at ON cluster_events (at);

CREATE TABLE execution_logs (
    id <NUMBERED>,
    task_id <ID> NOT NULL,
    execution_id <ID> NOT NULL,
    at <MOMENT> NOT NULL,
    level text NOT NULL,
    message text NOT NULL,
    node_id <ID> NOT NULL DEFAULT ''
);
CREATE INDEX idx_logs_task ON execution_logs (task_id, id);
CREATE INDEX idx_logs_at ON execution_logs (at);
"""

_CARE = """
CREATE TABLE api_keys (
    id <ID> PRIMARY KEY,
    name text NOT NULL,
    role text NOT NULL CHECK (role IN ('admin', 'operator', 'viewer', 'node')),
    hash text NOT NULL,
    created_at <MOMENT> NOT NULL,
    expires_at <MOMENT>,
    last_used_at <MOMENT>
);
CREATE INDEX idx_keys_hash ON api_keys (hash);

CREATE TABLE leadership (  -- one row for ever: its fence must only grow
    one integer PRIMARY KEY CHECK (one = 1),
    holder text NOT NULL,
    fence bigint NOT NULL,
    expires_at <MOMENT> NOT NULL
);

CREATE TABLE idempotency_keys (
    key text PRIMARY KEY,
    body_hash text NOT NULL,
    task_id <ID> NOT NULL,
    created_at <MOMENT> NOT NULL,
    expires_at <MOMENT> NOT NULL
);
CREATE INDEX idx_idempotency_expires ON idempotency_keys (expires_at);
"""

_ONLY_POSTGRES = """
CREATE INDEX idx_tasks_category ON crawler_tasks USING gin (categories) WHERE categories <> '{}';
"""

_TABLES = (
    "crawler_clusters", "crawler_nodes", "node_heartbeats", "crawler_tasks", "crawler_task_executions",
    "task_counts", "queue_counts", "node_loads", "last_ids", "cluster_events", "execution_logs",
    "api_keys", "leadership", "idempotency_keys",
)  # fmt: skip


def upgrade() -> None:
    """Lay the tables."""
    dialect = context.get_context().dialect.name
    for part in (_CLUSTERS, _NODES, _TASKS, _EXECUTIONS, _COUNTERS, _TOLD, _CARE):
        _run(part, dialect)
    if dialect == "postgresql":
        _run(_ONLY_POSTGRES, dialect)


def downgrade() -> None:
    """Remove them, with all they hold."""
    for table in reversed(_TABLES):
        op.execute(f"DROP TABLE {table}")


def _run(script: str, dialect: str) -> None:
    for name, written in _TYPES[dialect].items():
        script = script.replace(f"<{name}>", written)
    for statement in script.split(";\n"):
        if statement.strip():
            op.execute(statement)
