"""Deleting what is older than it must be kept."""

from collections import Counter

import msgspec

from crawlmesh.adapters.sqlite.control.session import Session
from crawlmesh.model.query import Retention

_OLD_TASKS = """
SELECT json_group_array(json_array(id, status, queue, open_places)) FROM (
    SELECT id, status, queue, open_places FROM crawler_tasks INDEXED BY idx_tasks_ended
    WHERE status IN ('completed', 'failed', 'timeout', 'cancelled') AND completed_at < ?
    ORDER BY completed_at LIMIT ?)
"""

_RUNNING = """
SELECT json_group_array(node_id) FROM crawler_task_executions
WHERE task_id IN (SELECT value FROM json_each(?)) AND status = 'running'
"""

_OF_TASKS = (
    "DELETE FROM crawler_task_executions WHERE task_id IN (SELECT value FROM json_each(?))",
    "DELETE FROM execution_logs WHERE task_id IN (SELECT value FROM json_each(?))",
    "DELETE FROM samples WHERE series IN (SELECT 'task:' || value FROM json_each(?))",
    "DELETE FROM crawler_tasks WHERE id IN (SELECT value FROM json_each(?))",
)

_DELETE_OLD = """
DELETE FROM {table}
WHERE rowid IN (SELECT rowid FROM {table} WHERE {column} < ? ORDER BY {column} LIMIT ?)
"""

_OLD_SAMPLES = """
DELETE FROM samples WHERE rowid IN (SELECT rowid FROM samples WHERE step = ? AND at < ? ORDER BY at LIMIT ?)
"""

_decode_tasks = msgspec.json.Decoder(list[tuple[str, str, str, int]]).decode
_decode_texts = msgspec.json.Decoder(list[str]).decode


def prune(session: Session, retention: Retention, limit: int) -> int:
    """Delete at most `limit` rows of each kind; returns how many."""
    deleted = 0 if retention.tasks is None else _prune_tasks(session, retention.tasks, limit)
    kinds = (
        ("cluster_events", "at", retention.events),
        ("node_heartbeats", "at", retention.heartbeats),
        ("execution_logs", "at", retention.logs),
        ("idempotency_keys", "expires_at", retention.idempotency_keys),
    )
    for table, column, moment in kinds:
        if moment is not None:
            deleted += session.run(_DELETE_OLD.format(table=table, column=column), moment, limit)
    for step, moment in retention.samples.items():
        deleted += session.run(_OLD_SAMPLES, step, moment, limit)
    return deleted


def _prune_tasks(session: Session, moment: float, limit: int) -> int:
    tasks = _decode_tasks(session.one(_OLD_TASKS, moment, limit))
    if not tasks:
        return 0
    ids = msgspec.json.encode([task_id for task_id, _, _, _ in tasks]).decode()
    running = _decode_texts(session.one(_RUNNING, ids))
    for statement in _OF_TASKS:
        session.run(statement, ids)
    _count_down(session, "task_counts", Counter(status for _, status, _, _ in tasks))
    _count_down(session, "queue_counts", Counter(queue for _, _, queue, places in tasks if places > 0))
    _count_down(session, "node_loads", Counter(running))
    return len(tasks)


def _count_down(session: Session, table: str, numbers: Counter[str]) -> None:
    session.count(table, {key: -number for key, number in numbers.items()})
