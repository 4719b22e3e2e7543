"""A transaction that keeps the counters, numbers the events and notifies other processes at its end."""

from collections import Counter
from typing import TYPE_CHECKING

from crawlmesh.adapters.postgres.control.columns import Table, document
from crawlmesh.adapters.postgres.control.tables import EVENTS
from crawlmesh.model.event import Event

if TYPE_CHECKING:
    from crawlmesh.adapters.postgres.control.database import Connection

CHANNEL = "crawlmesh_control"
EVERYTHING = "*"
_LARGEST_NOTICE = 7_500  # bytes; PostgreSQL takes 7,999

# The row is locked until the commit: ids become visible in their order, and so no reader goes past one
# that is still to come. It is the last lock of every transaction, so that none waits for another in a
# circle, and it is held for one statement and the commit.
_TAKE_IDS = "UPDATE last_ids SET id = id + $2 WHERE kind = $1 RETURNING id - $2"

_EVENT_ROWS = Table(EVENTS.name, EVENTS.columns[:-1])  # without the id

_FINISH = f"""
WITH statuses AS (
    INSERT INTO task_counts (status, tasks) SELECT * FROM unnest($1::text[], $2::bigint[])
    ON CONFLICT (status) DO UPDATE SET tasks = task_counts.tasks + excluded.tasks
), queues AS (
    INSERT INTO queue_counts (queue, tasks) SELECT * FROM unnest($3::text[], $4::bigint[])
    ON CONFLICT (queue) DO UPDATE SET tasks = queue_counts.tasks + excluded.tasks
), nodes AS (
    INSERT INTO node_loads (node_id, running) SELECT * FROM unnest($5::text[], $6::bigint[])
    ON CONFLICT (node_id) DO UPDATE SET running = node_loads.running + excluded.running
), told AS (
    INSERT INTO cluster_events (id, {_EVENT_ROWS.names})
    SELECT $7::bigint + given.number, {_EVENT_ROWS.prefixed("given")}
    FROM ROWS FROM (json_to_recordset($9) AS ({_EVENT_ROWS.fields})) WITH ORDINALITY
        AS given ({_EVENT_ROWS.names}, number)
)
SELECT pg_notify('{CHANNEL}', notice) FROM unnest($8::text[]) AS notice
"""  # noqa: S608


class Transaction:
    """What a transaction changes beside its rows. `finish` writes it down as the last thing it does."""

    def __init__(self, connection: "Connection", origin: str) -> None:
        self.connection = connection
        self._origin = origin
        self.topics: set[str] = set()
        self.statuses: Counter[str] = Counter()  # changes of the number of tasks, by status
        self.queues: Counter[str] = Counter()  # of tasks with open places, by queue
        self.nodes: Counter[str] = Counter()  # of running executions, by node
        self._events: list[Event] = []

    def tell(self, events: "tuple[Event, ...] | list[Event]") -> None:
        """Add events."""
        if events:
            self._events.extend(events)
            self.topics.add("events")

    async def take_ids(self, kind: str, count: int) -> int:
        """Take ids of a kind until the commit; returns the one before the first."""
        before: int = await self.connection.fetchval(_TAKE_IDS, kind, count)
        return before

    async def finish(self) -> None:
        """Write counters, events and notices. Nothing may be locked after this."""
        counted = [_changes(counter) for counter in (self.statuses, self.queues, self.nodes)]
        counts = any(names for names, _ in counted)
        if not self.topics and not counts:
            return
        before = await self.take_ids("events", len(self._events)) if counts or self._events else 0
        arrays = [array for pair in counted for array in pair]
        notices = _notices(self._origin, self.topics)
        await self.connection.fetch(_FINISH, *arrays, before, notices, document(self._events))


def _changes(counter: Counter[str]) -> tuple[list[str], list[int]]:
    changed = {name: change for name, change in counter.items() if change}
    return list(changed), list(changed.values())


def _notices(origin: str, topics: set[str]) -> list[str]:
    """Topics in as few notices as they fit into; each begins with who tells it."""
    notices: list[str] = []
    lines: list[str] = []
    size = 0
    for topic in sorted(topics):
        if len(topic.encode()) > _LARGEST_NOTICE // 2:
            return [f"{origin}\n{EVERYTHING}"]
        if lines and size + len(topic.encode()) + 1 > _LARGEST_NOTICE:
            notices.append("\n".join((origin, *lines)))
            lines, size = [], 0
        lines.append(topic)
        size += len(topic.encode()) + 1
    return [*notices, "\n".join((origin, *lines))] if lines else notices
