"""Clusters, keys, and how far readers have come."""

from crawlmesh.adapters.sqlite.control.leading import check_leader
from crawlmesh.adapters.sqlite.control.rows import CLUSTER, KEY, names
from crawlmesh.adapters.sqlite.control.session import Session
from crawlmesh.adapters.sqlite.control.statements import insert, object_text
from crawlmesh.errors import ConflictError
from crawlmesh.model.access import ApiKey
from crawlmesh.model.cluster import Cluster


def _replacing(columns: tuple[str, ...]) -> str:
    return "ON CONFLICT (id) DO UPDATE SET " + ", ".join(f"{name} = excluded.{name}" for name in columns[1:])


_SAVE_CLUSTER = insert("crawler_clusters", names(CLUSTER), _replacing(names(CLUSTER)))
_SAVE_KEY = insert("api_keys", names(KEY), _replacing(names(KEY)))

_KEEP_POSITION = """
INSERT INTO reader_positions (name, number) VALUES (?, ?)
ON CONFLICT (name) DO UPDATE SET number = excluded.number
"""


def save_cluster(session: Session, cluster: Cluster) -> None:
    """Add or replace a cluster."""
    taken = session.one(
        "SELECT id FROM crawler_clusters WHERE project_id = ? AND name = ? AND id <> ?",
        cluster.project_id,
        cluster.name,
        cluster.id,
    )
    if taken is not None:
        raise ConflictError(
            f"The project {cluster.project_id!r} has a cluster {cluster.name!r} already.", "name"
        )
    row = (
        cluster.id,
        cluster.name,
        cluster.project_id,
        cluster.description,
        object_text(cluster.configuration),
        cluster.status.value,
        cluster.created_at,
        cluster.updated_at,
    )
    session.write(_SAVE_CLUSTER, [row])


def delete_cluster(session: Session, cluster_id: str) -> bool:
    """Forget a cluster that has no nodes."""
    if session.one("SELECT 1 FROM crawler_clusters WHERE id = ?", cluster_id) is None:
        return False
    number = session.one("SELECT count(*) FROM crawler_nodes WHERE cluster_id = ?", cluster_id)
    if number:
        raise ConflictError(f"The cluster {cluster_id!r} has {number} nodes; move or remove them first.")
    session.run("DELETE FROM crawler_clusters WHERE id = ?", cluster_id)
    return True


def save_key(session: Session, key: ApiKey) -> None:
    """Add or replace a key."""
    moments = (key.created_at, key.expires_at, key.last_used_at)
    session.write(_SAVE_KEY, [(key.id, key.name, key.role.value, key.hash, *moments, key.session_of)])


def add_key(session: Session, key: ApiKey) -> bool:
    """Add a key; False where its id is taken."""
    if session.one("SELECT 1 FROM api_keys WHERE id = ?", key.id) is not None:
        return False
    save_key(session, key)
    return True


def touch_key(session: Session, key_id: str, now: float) -> bool:
    """Note that a key was used; False where it is unknown."""
    return session.run("UPDATE api_keys SET last_used_at = ? WHERE id = ?", now, key_id) > 0


def delete_key(session: Session, key_id: str) -> bool:
    """Forget a key and its sessions, or a session."""
    session.run("DELETE FROM api_keys WHERE session_of = ?", key_id)
    return session.run("DELETE FROM api_keys WHERE id = ?", key_id) > 0


def keep_position(session: Session, name: str, number: int, *, fence: int | None, now: float) -> None:
    """Remember how far a reader has come."""
    check_leader(session, fence, now)
    session.run(_KEEP_POSITION, name, number)
