"""Indexes for lists of tasks and for rare events, and an index of the texts of tasks to search in.

Texts lie in a table of their own: tasks are written again with every change of their status, and each
time every index would take them in anew, but their texts never change. The index needs the extension
pg_trgm, which comes with PostgreSQL; where it cannot be had, searching goes through the tasks in order.
"""

from alembic import context, op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None

_STAYING = "('waiting', 'pending', 'paused', 'failed', 'timeout', 'cancelled')"

_COMMON_EVENTS = (
    "('node.heartbeat', 'task.created', 'task.assigned', 'task.completed', 'task.failed',"
    " 'task.status_changed')"
)

_INDEXES = {
    "idx_tasks_status_updated": f"crawler_tasks (status, updated_at, id) WHERE status IN {_STAYING}",
    "idx_tasks_status_priority": f"crawler_tasks (status, priority, id) WHERE status IN {_STAYING}",
    "idx_events_rare": f"cluster_events (type, id) WHERE type NOT IN {_COMMON_EVENTS}",
}

_TEXTS = """
CREATE TABLE task_texts (
    task_id text COLLATE "C" PRIMARY KEY,
    text text NOT NULL  -- the id and the parameters, in lower case
)
"""
_FILL = r"""
INSERT INTO task_texts (task_id, text)
SELECT id, lower(id) || E'\n' || lower(parameters::text) FROM crawler_tasks
"""
_INDEX = """
DO $$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX idx_task_texts ON task_texts USING gin (text gin_trgm_ops)
        WITH (fastupdate = on, gin_pending_list_limit = 32768);
EXCEPTION
    WHEN insufficient_privilege OR undefined_file OR undefined_object OR feature_not_supported THEN
        RAISE NOTICE 'Without pg_trgm, searching for tasks is slow: %', SQLERRM;
END
$$
"""


def upgrade() -> None:
    """Lay them. SQLite keeps what it has."""
    if context.get_context().dialect.name != "postgresql":
        return
    for name, on in _INDEXES.items():
        op.execute(f"CREATE INDEX {name} ON {on}")
    op.execute(_TEXTS)
    op.execute(_FILL)
    op.execute(_INDEX)


def downgrade() -> None:
    """Remove them. The extension stays: others may use it."""
    if context.get_context().dialect.name != "postgresql":
        return
    op.execute("DROP TABLE task_texts")
    for name in _INDEXES:
        op.execute(f"DROP INDEX {name}")
