"""The nodes of a cluster."""

from collections.abc import AsyncIterator, Sequence
from typing import Any

import msgspec

from crawlmesh.client.answers import Execution, Heartbeat, Node
from crawlmesh.client.connection import Connection
from crawlmesh.client.paging import all_items
from crawlmesh.client.paths import path_part


class _Items(msgspec.Struct):
    items: list[Any]


class Nodes:
    """Looking at nodes and taking them out of service."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(self, *, page_size: int = 100, **conditions: Any) -> AsyncIterator[Node]:
        """All nodes that fulfil the conditions: status, health, cluster_id, node_type, region, search."""
        return all_items(self._connection, "/api/v1/nodes", Node, conditions, page_size)

    async def get(self, node_id: str) -> Node:
        """One node."""
        return await self._connection.ask("GET", _path(node_id), Node)

    async def stats(self, node_id: str) -> dict[str, Any]:
        """What a node did so far."""
        return await self._connection.ask("GET", _path(node_id, "/stats"), dict[str, Any])

    async def heartbeats(self, node_id: str, limit: int = 100) -> Sequence[Heartbeat]:
        """What a node reported of itself, oldest first."""
        answer = await self._connection.ask(
            "GET", _path(node_id, "/heartbeats"), _Items, query={"limit": limit}
        )
        return msgspec.convert(answer.items, type=list[Heartbeat])

    async def executions(self, node_id: str, limit: int = 50) -> Sequence[Execution]:
        """The goes of a node, newest first."""
        answer = await self._connection.ask(
            "GET", _path(node_id, "/executions"), _Items, query={"limit": limit}
        )
        return msgspec.convert(answer.items, type=list[Execution])

    async def drain(self, node_id: str) -> Node:
        """Let a node finish what runs, give it nothing new, then let it leave."""
        return await self._steer(node_id, "drain")

    async def maintenance(self, node_id: str) -> Node:
        """Give a node nothing new until it is resumed."""
        return await self._steer(node_id, "maintenance")

    async def resume(self, node_id: str) -> Node:
        """Let a node take work again."""
        return await self._steer(node_id, "resume")

    async def remove(self, node_id: str) -> None:
        """Forget a node; its work goes to others."""
        await self._connection.ask("DELETE", _path(node_id), object)

    async def _steer(self, node_id: str, verb: str) -> Node:
        return await self._connection.ask("POST", _path(node_id, f":{verb}"), Node)


def _path(node_id: str, rest: str = "") -> str:
    return f"/api/v1/nodes/{path_part('node', node_id)}{rest}"
