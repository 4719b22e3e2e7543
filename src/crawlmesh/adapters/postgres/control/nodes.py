"""Nodes: changing and finding them, and what they say of themselves."""

import asyncio
from collections.abc import Sequence

import msgspec

from crawlmesh.adapters.postgres.control import tables
from crawlmesh.adapters.postgres.control.changing_nodes import ONE_AT_A_TIME, change_nodes
from crawlmesh.adapters.postgres.control.columns import document
from crawlmesh.adapters.postgres.control.conditions import Conditions
from crawlmesh.adapters.postgres.control.database import Database
from crawlmesh.adapters.postgres.control.gathering import Gathering
from crawlmesh.adapters.postgres.control.leading import check_leader
from crawlmesh.adapters.postgres.control.part import Part
from crawlmesh.adapters.postgres.control.tables import HEARTBEATS, NODES
from crawlmesh.adapters.postgres.control.transaction import Transaction
from crawlmesh.errors import CrawlmeshError
from crawlmesh.model.change import NodeChange
from crawlmesh.model.event import Event
from crawlmesh.model.node import Heartbeat, Node, NodeHealth, NodeStatus
from crawlmesh.model.query import NodeGroup, NodePage, NodeQuery

_AT_ONCE = 500  # rows that become nodes

_SELECT = f"SELECT {NODES.names} FROM crawler_nodes"  # noqa: S608
_BY_ID = f"{_SELECT} WHERE id = $1"
_BY_IDENTITY = f"{_SELECT} WHERE identity = $1"
_CHANGED = f"{_SELECT} WHERE touched_at >= $1"
_AFTER = f"{_SELECT} WHERE id > $1 ORDER BY id LIMIT $2"
_SILENT = f"""
{_SELECT} WHERE status = ANY($1) AND (last_heartbeat IS NULL OR last_heartbeat < $2)
ORDER BY last_heartbeat NULLS FIRST, id LIMIT $3
"""
_HISTORY = (
    f"SELECT {HEARTBEATS.names} FROM node_heartbeats WHERE node_id = $1 AND at >= $2 ORDER BY at LIMIT $3"  # noqa: S608
)
_HISTORIES = f"""
SELECT {HEARTBEATS.prefixed("heard")} FROM unnest($1::text[]) AS wanted (id) CROSS JOIN LATERAL (
    SELECT * FROM node_heartbeats WHERE node_id = wanted.id AND at >= $2 ORDER BY at LIMIT $3
) AS heard
"""  # noqa: S608

_GROUPS = """
SELECT cluster_id, status, health_status AS health, count(*) AS nodes, sum(slots) AS slots, sum(load) AS load,
    coalesce(sum(cpu_usage), 0) AS cpu, count(cpu_usage) AS cpu_told,
    coalesce(sum(memory_usage), 0) AS memory, count(memory_usage) AS memory_told
FROM crawler_nodes
CROSS JOIN LATERAL json_to_record(usage) AS told (cpu_usage float8, memory_usage float8)
GROUP BY cluster_id, status, health_status
"""

# Always in the order of ids, so that no two transactions wait for each other.
_LOCK = "SELECT id FROM crawler_nodes WHERE id = ANY($1) ORDER BY id FOR NO KEY UPDATE"
_KEEP_HISTORY = HEARTBEATS.insert
_HEAR = f"""
UPDATE crawler_nodes AS node
SET last_heartbeat = given.at, load = given.load, usage = given.usage,
    active_tasks = json_array_length(given.active_tasks)
FROM json_to_recordset($1) AS given ({HEARTBEATS.fields})
WHERE node.id = given.node_id AND (node.last_heartbeat IS NULL OR node.last_heartbeat <= given.at)
"""  # noqa: S608
_RECORD_HEALTH = """
UPDATE crawler_nodes AS node
SET health_status = given.status, health_details = given.details, health_timestamp = given.timestamp
FROM ROWS FROM (
    unnest($1::text[]),
    json_to_recordset($2) AS (status text, details json, timestamp double precision)
) AS given (node_id, status, details, timestamp)
WHERE node.id = given.node_id
"""
_DELETE = """
WITH heard AS (DELETE FROM node_heartbeats WHERE node_id = $1)
DELETE FROM crawler_nodes WHERE id = $1 RETURNING id
"""


class HeartbeatCall(msgspec.Struct, frozen=True):
    """One call of `record_heartbeats`."""

    heartbeats: Sequence[Heartbeat]
    events: Sequence[Event]
    history: bool


class Nodes(Part):
    """The part of the store that keeps nodes."""

    def __init__(self, database: Database) -> None:
        super().__init__(database)
        self._hearing: Gathering[HeartbeatCall, None] = Gathering(
            self._hear_together, lambda call: len(call.heartbeats)
        )

    async def change_nodes(
        self, changes: Sequence[NodeChange], *, leader_fence: int | None = None, now: float = 0.0
    ) -> list[bool]:
        """Add or change nodes. One bool each: taken, or refused (its fence, or a taken identity)."""

        async def work(transaction: Transaction) -> list[bool]:
            await check_leader(transaction, leader_fence, now)
            return await change_nodes(transaction, changes)

        return await self._database.write(work)

    async def node(self, node_id: str) -> Node | None:
        """One node."""
        return next(iter(await self._nodes(_BY_ID, node_id)), None)

    async def node_by_identity(self, identity: str) -> Node | None:
        """The node that registered with this identity."""
        return next(iter(await self._nodes(_BY_IDENTITY, identity)), None)

    async def list_nodes(self, query: NodeQuery) -> NodePage:
        """A page of nodes."""
        conditions = _conditions(query)
        order = f"ORDER BY id LIMIT {conditions.value(query.limit + 1)}"
        nodes = await self._nodes(f"{_SELECT} {conditions.where} {order}", *conditions.values)
        if len(nodes) <= query.limit:
            return NodePage(tuple(nodes))
        return NodePage(tuple(nodes[: query.limit]), nodes[query.limit - 1].id)

    async def node_groups(self) -> list[NodeGroup]:
        """How many nodes are in which status and health, and how they fare."""
        rows = await self._fetch(_GROUPS)
        return msgspec.convert([dict(row) for row in rows], list[NodeGroup])

    async def nodes_changed_since(self, moment: float) -> list[Node]:
        """Nodes whose row changed at or after the moment, heartbeats included. 0: all nodes."""
        return await self._nodes(_CHANGED, moment) if moment else await self._all_nodes()

    async def silent_nodes(self, statuses: Sequence[NodeStatus], before: float, limit: int) -> list[Node]:
        """Nodes in these statuses that were last heard of before the moment (or never), longest first."""
        return await self._nodes(_SILENT, list(statuses), before, limit)

    async def record_heartbeats(
        self, heartbeats: Sequence[Heartbeat], events: Sequence[Event] = (), *, history: bool = True
    ) -> None:
        """Keep what nodes said, as their latest and in their history. Unknown nodes are left out."""
        await self._hearing.call(HeartbeatCall(heartbeats, events, history))

    async def record_health(self, found: Sequence[tuple[str, NodeHealth]]) -> None:
        """Keep what health checks found, by node id."""
        latest = dict(found)
        ids = list(latest)

        async def work(transaction: Transaction) -> None:
            await transaction.connection.fetch(_LOCK, ids)
            await transaction.connection.execute(_RECORD_HEALTH, ids, document(latest.values()))

        await self._database.write(work)

    async def heartbeat_history(self, node_id: str, since: float, limit: int) -> list[Heartbeat]:
        """Heartbeats of a node from a moment on, oldest first."""
        return list(map(tables.heartbeat, await self._fetch(_HISTORY, node_id, since, limit)))

    async def heartbeats_of(self, node_ids: Sequence[str], since: float, limit: int) -> list[Heartbeat]:
        """Heartbeats of many nodes from a moment on, at most `limit` of each, each node's oldest first."""
        rows = await self._fetch(_HISTORIES, list(set(node_ids)), since, limit)
        return list(map(tables.heartbeat, rows))

    async def delete_node(self, node_id: str, events: Sequence[Event] = ()) -> bool:
        """Forget a node and its heartbeats. False where it is unknown. Its executions stay."""

        async def work(transaction: Transaction) -> bool:
            await transaction.connection.execute(ONE_AT_A_TIME)
            known = await transaction.connection.fetchval(_DELETE, node_id) is not None
            transaction.tell(list(events) if known else [])
            return known

        return await self._database.write(work)

    async def _all_nodes(self) -> list[Node]:
        """Some at a time: to take thousands from one answer would hold up everybody else."""
        nodes: list[Node] = []
        last = ""
        while page := await self._nodes(_AFTER, last, _AT_ONCE):
            nodes += page
            last = page[-1].id
        return nodes

    async def _nodes(self, statement: str, *values: object) -> list[Node]:
        rows = await self._fetch(statement, *values)
        nodes: list[Node] = []
        for begin in range(0, len(rows), _AT_ONCE):
            nodes += map(tables.node, rows[begin : begin + _AT_ONCE])
            await asyncio.sleep(0)  # others have their turn where there are thousands
        return nodes

    async def _hear_together(self, calls: Sequence[HeartbeatCall]) -> list[CrawlmeshError | None]:
        async def work(transaction: Transaction) -> None:
            for call in calls:
                transaction.tell(list(call.events))
            await _hear(transaction, [(each, call.history) for call in calls for each in call.heartbeats])

        await self._database.write(work)
        return [None] * len(calls)


async def _hear(transaction: Transaction, told: Sequence[tuple[Heartbeat, bool]]) -> None:
    """Each heartbeat comes with whether it belongs into the history."""
    ids = list({heartbeat.node_id for heartbeat, _ in told})
    rows = await transaction.connection.fetch(_LOCK, ids) if ids else []
    known = {row[0] for row in rows}
    heard = sorted((each for each in told if each[0].node_id in known), key=lambda each: each[0].at)
    if not heard:
        return
    latest = {heartbeat.node_id: heartbeat for heartbeat, _ in heard}
    if kept := [heartbeat for heartbeat, history in heard if history]:
        await transaction.connection.execute(_KEEP_HISTORY, document(kept))
    await transaction.connection.execute(_HEAR, document(latest.values()))


def _conditions(query: NodeQuery) -> Conditions:
    conditions = Conditions()
    conditions.equal(cluster_id=query.cluster_id, node_type=query.node_type, region=query.region)
    if query.statuses:
        conditions.add("status = ANY ({})", list(query.statuses))
    if query.health:
        conditions.add("health_status = ANY ({})", list(query.health))
    if query.search is not None:
        conditions.add(
            "(strpos(lower(id), lower({0})) > 0 OR strpos(lower(name), lower({0})) > 0)", query.search
        )
    if query.cursor is not None:
        conditions.add("id > {}", query.cursor)
    return conditions
