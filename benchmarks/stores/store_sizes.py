"""How much room a store takes: memory where it keeps everything there, files elsewhere."""

import resource
from pathlib import Path
from typing import NamedTuple

import asyncpg
from redis.asyncio import Redis

from crawlmesh.ports.crawl_store import CrawlStore


class Sizes(NamedTuple):
    """Bytes of everything, and of that part by which known links are recognised (0: not to be told apart)."""

    all: int
    dedup: int


async def size_of(store: CrawlStore, address: str) -> Sizes:
    """The sizes of a store that is open at this address."""
    if address.startswith("redis"):
        return await _redis(store, address)
    if address.startswith("postgres"):
        return await _postgres(address)
    return await _embedded(store, address)


async def _redis(store: CrawlStore, address: str) -> Sizes:
    client = Redis.from_url(address)
    try:
        used = int((await client.info("memory"))["used_memory"])
        progress = (await store.progress("bench")).filter
        if progress is not None:
            return Sizes(used, progress.bytes)
        return Sizes(used, await _size_of_known_sets(client))
    finally:
        await client.aclose()


async def _size_of_known_sets(client: Redis) -> int:
    """By a sample of the buckets in which fingerprints lie."""
    sampled, number, total = 0, 0, 0
    async for key in client.scan_iter(match="*:known:*", count=10_000):
        number += 1
        if number % 100 == 1:
            sampled += 1
            total += int(await client.memory_usage(key, samples=0) or 0)
    return total * number // sampled if sampled else 0


async def _postgres(address: str) -> Sizes:
    connection = await asyncpg.connect(address)
    try:
        return Sizes(int(await connection.fetchval("SELECT pg_database_size(current_database())")), 0)
    finally:
        await connection.close()


async def _embedded(store: CrawlStore, address: str) -> Sizes:
    """The file, and the memory of this process, in which the fingerprints are."""
    file = Path(address.removeprefix("sqlite:///"))
    on_disk = sum(part.stat().st_size for part in file.parent.glob(f"{file.name}*"))
    status = (await store.progress("bench")).filter
    if status is not None:
        return Sizes(on_disk, status.bytes)
    return Sizes(on_disk, _resident_bytes())


def _resident_bytes() -> int:
    return int(Path("/proc/self/statm").read_text().split()[1]) * resource.getpagesize()
