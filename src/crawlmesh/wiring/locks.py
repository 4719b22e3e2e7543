"""Distributed locks, by the address of the server that keeps them."""

from crawlmesh.errors import SettingError
from crawlmesh.locking import DistributedLock
from crawlmesh.ports.lock_store import LockStore
from crawlmesh.wiring.stores import without_password


async def open_locks(address: str) -> DistributedLock:
    """Locks that are kept by a Redis or PostgreSQL server: `redis://…` or `postgresql://…`.

    Close them with `aclose`. Raises SettingError for another address, and StoreError where the server cannot
    be used.
    """
    return DistributedLock(await _open_store(address))


async def _open_store(address: str) -> LockStore:
    if address.startswith(("postgresql://", "postgres://")):
        from crawlmesh.adapters.postgres.locks import PostgresLockStore  # noqa: PLC0415 - slow to import

        return await PostgresLockStore.open(address)
    if address.startswith("redis"):
        from crawlmesh.adapters.redis.locks import RedisLockStore  # noqa: PLC0415 - so is redis

        return await RedisLockStore.open(address)
    raise SettingError(
        f"Locks cannot be kept at {without_password(address)!r}: give redis://HOST:PORT/0 or "
        "postgresql://HOST/DATABASE."
    )
