"""Distributed locks in Redis."""

from crawlmesh.adapters.redis.locks.lock_store import RedisLockStore

__all__ = ["RedisLockStore"]
