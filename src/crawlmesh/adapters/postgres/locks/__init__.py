"""Distributed locks in a PostgreSQL table."""

from crawlmesh.adapters.postgres.locks.lock_store import PostgresLockStore

__all__ = ["PostgresLockStore"]
