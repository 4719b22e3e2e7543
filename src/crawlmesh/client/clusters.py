"""The clusters that nodes belong to."""

from collections.abc import Sequence
from typing import Any

import msgspec

from crawlmesh.client.answers import Cluster
from crawlmesh.client.connection import Connection
from crawlmesh.client.paths import path_part

_PATH = "/api/v1/clusters"


class _Items(msgspec.Struct):
    items: list[Cluster]


class Clusters:
    """Clusters, and changing them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def list(self) -> Sequence[Cluster]:
        """All clusters, by name."""
        return (await self._connection.ask("GET", _PATH, _Items)).items

    async def get(self, cluster_id: str) -> Cluster:
        """One cluster."""
        return await self._connection.ask("GET", f"{_PATH}/{path_part('cluster', cluster_id)}", Cluster)

    async def create(self, name: str, **fields: Any) -> Cluster:
        """Make a cluster. Fields: project_id, description, configuration, status."""
        return await self._connection.ask("POST", _PATH, Cluster, body={"name": name, **fields})

    async def update(self, cluster_id: str, **fields: Any) -> Cluster:
        """Change some fields of a cluster."""
        return await self._connection.ask(
            "PATCH", f"{_PATH}/{path_part('cluster', cluster_id)}", Cluster, body=fields
        )

    async def remove(self, cluster_id: str) -> None:
        """Forget a cluster that has no nodes."""
        await self._connection.ask("DELETE", f"{_PATH}/{path_part('cluster', cluster_id)}", object)
