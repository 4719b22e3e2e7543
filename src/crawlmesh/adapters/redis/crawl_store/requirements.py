"""What must be true of a server before crawls are trusted to it."""

from typing import Any

from redis import exceptions
from redis.asyncio import RedisCluster

from crawlmesh.adapters.redis.crawl_store.address import Client
from crawlmesh.errors import StoreError
from crawlmesh.observability.logging import Tag, log_for

_OLDEST = (6, 2)

_log = log_for(Tag.DEDUP)


async def check_server(client: Client, address: str) -> tuple[str, ...]:
    """Refuse a server that is too old or throws keys away, and return what its operator should know.

    Raises StoreError.
    """
    if isinstance(client, RedisCluster):
        await client.initialize()
        nodes = [await client.execute_command("INFO", target_nodes=node) for node in client.get_primaries()]
    else:
        nodes = [await client.info()]
    warnings: dict[str, None] = {}
    for info in nodes:
        _check_version(info, address)
        _check_eviction(info, address)
        if not info.get("aof_enabled") and not await _takes_snapshots(client):
            warnings[
                f"The Redis server at {address} keeps nothing on disk: what it holds is lost when it stops. "
                "Set appendonly yes."
            ] = None
        elif not info.get("aof_enabled"):
            warnings[
                f"The Redis server at {address} writes snapshots only: what came after the last one is lost "
                "when it dies. Set appendonly yes."
            ] = None
    for warning in warnings:
        _log.warning(warning)
    return tuple(warnings)


def _check_version(info: dict[str, Any], address: str) -> None:
    version = tuple(int(part) for part in str(info.get("redis_version", "0")).split(".")[:2])
    if version < _OLDEST:
        raise StoreError(
            f"The Redis server at {address} has the version {info.get('redis_version')}. Crawlmesh needs "
            "6.2 or newer, or Valkey."
        )


def _check_eviction(info: dict[str, Any], address: str) -> None:
    policy = str(info.get("maxmemory_policy", "noeviction"))
    if policy.startswith("allkeys"):
        raise StoreError(
            f"The Redis server at {address} throws keys away when its memory is full (maxmemory-policy is "
            f"{policy}): links would be lost. Set it to noeviction, or use another server."
        )


async def _takes_snapshots(client: Client) -> bool:
    try:
        answer = await client.execute_command("CONFIG GET", "save")
    except exceptions.ResponseError:
        return True  # a service that does not show its settings looks after its data itself
    return bool(answer.get("save")) if isinstance(answer, dict) else True
