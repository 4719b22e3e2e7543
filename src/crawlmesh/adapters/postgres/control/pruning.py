"""Deleting what is older than it must be kept."""

from crawlmesh.adapters.postgres.control.part import Part
from crawlmesh.adapters.postgres.control.transaction import Transaction
from crawlmesh.model.execution import ExecutionStatus
from crawlmesh.model.query import Retention
from crawlmesh.model.sample import task_series

# A task that somebody changes at this moment is left for the next time: nothing waits for a lock here.
_TASKS = """
WITH old AS (
    SELECT id FROM crawler_tasks
    WHERE status IN ('completed', 'failed', 'timeout', 'cancelled') AND completed_at < $1
    ORDER BY completed_at LIMIT $2 FOR UPDATE SKIP LOCKED
)
DELETE FROM crawler_tasks USING old WHERE crawler_tasks.id = old.id
RETURNING crawler_tasks.id, status, queue, open_places
"""
_EXECUTIONS = "DELETE FROM crawler_task_executions WHERE task_id = ANY($1) RETURNING node_id, status"
_LOGS_OF = "DELETE FROM execution_logs WHERE task_id = ANY($1)"
_TEXTS_OF = "DELETE FROM task_texts WHERE task_id = ANY($1)"
_SAMPLES_OF = "DELETE FROM samples WHERE series = ANY($1)"

_BY_AGE = """
WITH deleted AS (
    DELETE FROM {table} WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM {table} WHERE {moment} < $1 ORDER BY {moment} LIMIT $2 FOR UPDATE SKIP LOCKED
    )) RETURNING 1
)
SELECT count(*) FROM deleted
"""
_EVENTS = _BY_AGE.format(table="cluster_events", moment="at")
_HEARTBEATS = _BY_AGE.format(table="node_heartbeats", moment="at")
_LOGS = _BY_AGE.format(table="execution_logs", moment="at")
_KEYS = _BY_AGE.format(table="idempotency_keys", moment="expires_at")

_SAMPLES = """
WITH deleted AS (
    DELETE FROM samples WHERE ctid = ANY (ARRAY(
        SELECT ctid FROM samples WHERE step = $3 AND at < $1 ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED
    )) RETURNING 1
)
SELECT count(*) FROM deleted
"""

_EMPTY_COUNTERS = """
WITH queues AS (DELETE FROM queue_counts WHERE tasks = 0)
DELETE FROM node_loads WHERE running = 0
"""

# New texts wait in a list that every search reads through, until somebody sorts them into the index: now,
# so that those who submit tasks need not do it. Where there is no index, there is nothing to do.
_SORT_TEXTS = """
SELECT gin_clean_pending_list(to_regclass('idx_task_texts')) WHERE to_regclass('idx_task_texts') IS NOT NULL
"""


class Pruning(Part):
    """The part of the store that forgets."""

    async def prune(self, retention: Retention, limit: int) -> int:
        """Delete what is older than it must be kept, at most `limit` rows of each kind. Returns how many."""
        deleted = 0
        if retention.tasks is not None:
            deleted += await self._prune_tasks(retention.tasks, limit)
        for statement, moment in (
            (_EVENTS, retention.events),
            (_HEARTBEATS, retention.heartbeats),
            (_LOGS, retention.logs),
            (_KEYS, retention.idempotency_keys),
        ):
            if moment is not None:
                deleted += int(await self._fetch_value(statement, moment, limit))
        for step, moment in retention.samples.items():
            deleted += int(await self._fetch_value(_SAMPLES, moment, limit, step))
        await self._database.write(_remove_empty_counters)
        await self._fetch(_SORT_TEXTS)
        return deleted

    async def _prune_tasks(self, moment: float, limit: int) -> int:
        async def work(transaction: Transaction) -> int:
            rows = await transaction.connection.fetch(_TASKS, moment, limit)
            ids = [row[0] for row in rows]
            for _, status, queue, open_places in rows:
                transaction.statuses[status] -= 1
                transaction.queues[queue] -= open_places > 0
            for node_id, status in await transaction.connection.fetch(_EXECUTIONS, ids):
                transaction.nodes[node_id] -= status == ExecutionStatus.RUNNING
            await transaction.connection.execute(_LOGS_OF, ids)
            await transaction.connection.execute(_TEXTS_OF, ids)
            await transaction.connection.execute(_SAMPLES_OF, list(map(task_series, ids)))
            return len(ids)

        return await self._database.write(work)


async def _remove_empty_counters(transaction: Transaction) -> None:
    await transaction.take_ids("events", 0)  # whoever counts has locked this first
    await transaction.connection.execute(_EMPTY_COUNTERS)
