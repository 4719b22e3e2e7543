"""Events and logs."""

from collections.abc import Sequence

import msgspec

from crawlmesh.adapters.postgres.control import tables
from crawlmesh.adapters.postgres.control.columns import document
from crawlmesh.adapters.postgres.control.conditions import Conditions
from crawlmesh.adapters.postgres.control.database import Database
from crawlmesh.adapters.postgres.control.gathering import Gathering
from crawlmesh.adapters.postgres.control.leading import check_leader
from crawlmesh.adapters.postgres.control.part import Part
from crawlmesh.adapters.postgres.control.tables import EVENTS, LOGS
from crawlmesh.adapters.postgres.control.transaction import Transaction
from crawlmesh.errors import CrawlmeshError
from crawlmesh.model.event import Event, EventType
from crawlmesh.model.log_line import LogLine
from crawlmesh.model.query import EventQuery

_EVENTS = f"SELECT {EVENTS.names}"
_COMMON = frozenset(  # the types that idx_events_rare leaves out
    {
        EventType.NODE_HEARTBEAT,
        EventType.TASK_CREATED,
        EventType.TASK_ASSIGNED,
        EventType.TASK_COMPLETED,
        EventType.TASK_FAILED,
        EventType.TASK_STATUS_CHANGED,
    }
)
_LAST = "SELECT id FROM last_ids WHERE kind = 'events'"
_POSITION = "SELECT number FROM reader_positions WHERE name = $1"
_KEEP_POSITION = """
INSERT INTO reader_positions (name, number) VALUES ($1, $2)
ON CONFLICT (name) DO UPDATE SET number = excluded.number
"""
_LOGS = f"""
SELECT {LOGS.names} FROM execution_logs
WHERE task_id = $1 AND id > $2 AND ($3::text IS NULL OR execution_id = $3) ORDER BY id LIMIT $4
"""  # noqa: S608
_KEEP_LOGS = LOGS.insert


class Journal(Part):
    """The part of the store that keeps events and logs."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._keeping_logs: Gathering[Sequence[LogLine], None] = Gathering(self._keep_together, len)

    async def append_events(self, events: Sequence[Event]) -> None:
        """Tell what happened."""

        async def work(transaction: Transaction) -> None:
            transaction.tell(list(events))

        await self._database.write(work)

    async def events(self, query: EventQuery) -> list[Event]:
        """Events between two ids, oldest or newest first."""
        conditions = Conditions()
        conditions.add("id > {}", query.after)
        if query.before is not None:
            conditions.add("id < {}", query.before)
        order = f"ORDER BY id {'DESC' if query.newest_first else 'ASC'} LIMIT {int(query.limit)}"
        if query.types and query.task_id is None and query.node_id is None and not _COMMON & {*query.types}:
            statement = f"{_EVENTS} FROM {_of_rare_types(query, conditions.where, order)} {order}"
        else:
            conditions.equal(task_id=query.task_id, node_id=query.node_id)
            if query.types:
                conditions.add("type = ANY ({})", list(query.types))
            statement = f"{_EVENTS} FROM cluster_events {conditions.where} {order}"
        return list(map(tables.event, await self._fetch(statement, *conditions.values)))

    async def last_event_id(self) -> int:
        """The highest id of an event so far; 0 where there is none."""
        return int(await self._fetch_value(_LAST))

    async def position(self, name: str) -> int:
        """How far a reader of this name has come; 0 where it never told."""
        return int(await self._fetch_value(_POSITION, name) or 0)

    async def keep_position(
        self, name: str, number: int, *, leader_fence: int | None = None, now: float = 0.0
    ) -> None:
        """Remember how far a reader has come."""

        async def work(transaction: Transaction) -> None:
            await check_leader(transaction, leader_fence, now)
            await transaction.connection.execute(_KEEP_POSITION, name, number)

        await self._database.write(work)

    async def append_logs(self, lines: Sequence[LogLine]) -> None:
        """Keep lines of logs."""
        if lines:
            await self._keeping_logs.call(lines)

    async def logs(
        self, task_id: str, *, execution_id: str | None = None, after: int = 0, limit: int = 1000
    ) -> list[LogLine]:
        """Lines with an id above `after`, oldest first."""
        return list(map(tables.log_line, await self._fetch(_LOGS, task_id, after, execution_id, limit)))

    async def _keep_together(self, calls: Sequence[Sequence[LogLine]]) -> list[CrawlmeshError | None]:
        lines = [line for call in calls for line in call]

        async def work(transaction: Transaction) -> None:
            before = await transaction.take_ids("logs", len(lines))
            numbered = [
                msgspec.structs.replace(line, id=number) for number, line in enumerate(lines, before + 1)
            ]
            await transaction.connection.execute(_KEEP_LOGS, document(numbered))
            transaction.topics.update(f"logs:{line.task_id}" for line in lines)

        await self._database.write(work)
        return [None] * len(calls)


def _of_rare_types(query: EventQuery, where: str, order: str) -> str:
    """Each type is looked up by itself: among all events there may be none of it for long."""
    parts = [
        f"(SELECT * FROM cluster_events {where} AND type = '{kind.value}' {order})"  # noqa: S608
        for kind in dict.fromkeys(query.types)
    ]
    return f"({' UNION ALL '.join(parts)}) AS found"
