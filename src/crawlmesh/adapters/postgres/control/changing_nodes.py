"""Changing nodes by compare-and-set."""

from collections.abc import Sequence

import msgspec

from crawlmesh.adapters.postgres.control.columns import document
from crawlmesh.adapters.postgres.control.tables import NODES
from crawlmesh.adapters.postgres.control.transaction import Transaction
from crawlmesh.model.change import NodeChange
from crawlmesh.model.node import Node

# Nodes change seldom. One transaction at a time saves all thought about identities that change hands.
ONE_AT_A_TIME = "SELECT pg_advisory_xact_lock(hashtextextended('crawlmesh nodes', 0))"

_LOCK = """
SELECT id, fence, identity, session FROM crawler_nodes WHERE id = ANY($1) OR identity = ANY($2)
ORDER BY id FOR UPDATE
"""
_HEARD = ("last_heartbeat", "load", "usage", "active_tasks")  # heartbeats bring these, and new sessions
_UPDATE = NODES.update(leave=("id", *_HEARD))
_RENEW = NODES.update()
_INSERT = NODES.insert


class _Known:
    """The nodes as they are in the course of the transaction."""

    def __init__(self, rows: Sequence[tuple[str, int, str, int]]) -> None:
        self._fences = {node_id: fence for node_id, fence, _, _ in rows}
        self._identities = {node_id: identity for node_id, _, identity, _ in rows}
        self._owners = {identity: node_id for node_id, _, identity, _ in rows}
        self._sessions = {node_id: session for node_id, _, _, session in rows}
        self.new: dict[str, Node] = {}
        self.changed: dict[str, Node] = {}
        self.renewed: dict[str, Node] = {}  # changed, and in another session

    def take(self, node: Node) -> bool:
        """Take a change where its fence follows and no other node has its identity."""
        if node.fence != self._fences.get(node.id, 0) + 1:
            return False
        if self._owners.get(node.identity, node.id) != node.id:
            return False
        self._put(node)
        self._owners.pop(self._identities.get(node.id, ""), None)
        self._fences[node.id] = node.fence
        self._identities[node.id] = node.identity
        self._sessions[node.id] = node.session
        self._owners[node.identity] = node.id
        return True

    def _put(self, node: Node) -> None:
        begins = node.session != self._sessions.get(node.id)
        for whole in (self.new, self.renewed):
            if node.id in whole:
                whole[node.id] = node if begins else _as_heard(node, whole[node.id])
                return
        if node.id not in self._fences:
            self.new[node.id] = node
        elif begins:
            self.changed.pop(node.id, None)
            self.renewed[node.id] = node
        else:
            self.changed[node.id] = node


def _as_heard(node: Node, before: Node) -> Node:
    return msgspec.structs.replace(node, **{name: getattr(before, name) for name in _HEARD})


async def change_nodes(transaction: Transaction, changes: Sequence[NodeChange]) -> list[bool]:
    """Make the changes whose fences follow those that are stored; one bool each."""
    connection = transaction.connection
    await connection.execute(ONE_AT_A_TIME)
    ids = [change.node.id for change in changes]
    identities = [change.node.identity for change in changes]
    rows = await connection.fetch(_LOCK, ids, identities)
    known = _Known([(row[0], row[1], row[2], row[3]) for row in rows])
    answers = []
    for change in changes:
        answers.append(known.take(change.node))
        if answers[-1]:
            transaction.tell(change.events)
            transaction.topics.add(f"node:{change.node.id}")
    if known.changed:
        await connection.execute(_UPDATE, document(known.changed.values()))
    if known.renewed:
        await connection.execute(_RENEW, document(known.renewed.values()))
    if known.new:
        await connection.execute(_INSERT, document(known.new.values()))
    return answers
