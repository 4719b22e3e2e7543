"""Clusters and keys: few rows, read whole."""

from crawlmesh.adapters.postgres.control import tables
from crawlmesh.adapters.postgres.control.changing_nodes import ONE_AT_A_TIME
from crawlmesh.adapters.postgres.control.columns import document
from crawlmesh.adapters.postgres.control.part import Part
from crawlmesh.adapters.postgres.control.tables import CLUSTERS, KEYS
from crawlmesh.adapters.postgres.control.transaction import Transaction
from crawlmesh.errors import ConflictError
from crawlmesh.model.access import ApiKey
from crawlmesh.model.cluster import Cluster

_CLUSTERS = f'SELECT {CLUSTERS.names} FROM crawler_clusters ORDER BY name COLLATE "C", id'  # noqa: S608
_SAVE_CLUSTER = CLUSTERS.replace
_TAKEN = "SELECT 1 FROM crawler_clusters WHERE project_id = $1 AND name = $2 AND id <> $3"
_NODES_IN = "SELECT count(*) FROM crawler_nodes WHERE cluster_id = $1"
_DELETE_CLUSTER = "DELETE FROM crawler_clusters WHERE id = $1 RETURNING id"
_KNOWN_CLUSTER = "SELECT 1 FROM crawler_clusters WHERE id = $1"

_KEYS = f"SELECT {KEYS.names} FROM api_keys ORDER BY created_at, id"  # noqa: S608
_SAVE_KEY = KEYS.replace
_ADD_KEY = f"{KEYS.insert} ON CONFLICT (id) DO NOTHING RETURNING id"
_TOUCH_KEY = "UPDATE api_keys SET last_used_at = $2 WHERE id = $1 RETURNING id"
_DELETE_KEY = """
WITH deleted AS (DELETE FROM api_keys WHERE id = $1 OR session_of = $1 RETURNING id)
SELECT 1 FROM deleted WHERE id = $1
"""


class Directory(Part):
    """The part of the store that keeps clusters and keys."""

    async def save_cluster(self, cluster: Cluster) -> None:
        """Add or replace a cluster. Raises `ConflictError` where its name is taken in its project."""

        async def work(transaction: Transaction) -> None:
            await transaction.connection.execute(ONE_AT_A_TIME)
            if await transaction.connection.fetchval(_TAKEN, cluster.project_id, cluster.name, cluster.id):
                raise ConflictError(
                    f"The project {cluster.project_id!r} has a cluster {cluster.name!r} already.", "name"
                )
            await transaction.connection.execute(_SAVE_CLUSTER, document([cluster]))

        await self._database.write(work)

    async def clusters(self) -> list[Cluster]:
        """All clusters, by name."""
        return list(map(tables.cluster, await self._fetch(_CLUSTERS)))

    async def delete_cluster(self, cluster_id: str) -> bool:
        """Forget a cluster. Raises `ConflictError` while it has nodes. False where it is unknown."""

        async def work(transaction: Transaction) -> bool:
            connection = transaction.connection
            await connection.execute(ONE_AT_A_TIME)
            if await connection.fetchval(_KNOWN_CLUSTER, cluster_id) is None:
                return False
            if number := await connection.fetchval(_NODES_IN, cluster_id):
                raise ConflictError(
                    f"The cluster {cluster_id!r} has {number} nodes; move or remove them first."
                )
            return await connection.fetchval(_DELETE_CLUSTER, cluster_id) is not None

        return await self._database.write(work)

    async def save_key(self, key: ApiKey) -> None:
        """Add or replace a key."""
        await self._fetch(_SAVE_KEY, document([key]))

    async def add_key(self, key: ApiKey) -> bool:
        """Add a key. False, and nothing changes, where its id is taken."""
        return await self._fetch_value(_ADD_KEY, document([key])) is not None

    async def touch_key(self, key_id: str, now: float) -> bool:
        """Note that a key was used. False where it is unknown: it is not brought back."""
        return await self._fetch_value(_TOUCH_KEY, key_id, now) is not None

    async def keys(self) -> list[ApiKey]:
        """All keys and sessions, oldest first."""
        return list(map(tables.key, await self._fetch(_KEYS)))

    async def delete_key(self, key_id: str) -> bool:
        """Forget a key and its sessions, or a session. False where it is unknown."""
        return await self._fetch_value(_DELETE_KEY, key_id) is not None
