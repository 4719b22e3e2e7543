"""The lock store on Redis. Time is that of the server."""

from typing import Any, Self

from crawlmesh.adapters.redis.crawl_store.address import Client, connect, parse_address
from crawlmesh.adapters.redis.crawl_store.failures import FAILURES, translated

_CONNECTIONS = 8

# A fence is the server's time in microseconds, or the last one plus one where the clock did not move on. The
# last one is remembered for a week after the lock: longer than any clock is set back.
_TAKE = """
if redis.call('EXISTS', KEYS[1]) == 1 then return false end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local time = redis.call('TIME')
local fence = tonumber(time[1]) * 1000000 + tonumber(time[2])
local last = tonumber(redis.call('GET', KEYS[2]) or 0)
if fence <= last then fence = last + 1 end
redis.call('SET', KEYS[2], string.format('%.0f', fence), 'PX', tonumber(ARGV[2]) + 604800000)
return string.format('%.0f', fence)
"""
_EXTEND = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
redis.call('PEXPIRE', KEYS[2], tonumber(ARGV[2]) + 604800000)
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
"""
_RELEASE = """
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
"""


class RedisLockStore:
    """A `LockStore` of two keys for each lock. See LockStore for what each call does."""

    def __init__(self, client: Client, address: str) -> None:
        self._client = client
        self._address = address

    @classmethod
    async def open(cls, url: str, patience: float = 10.0) -> Self:
        """Connect. Raises StoreError or SettingError."""
        address = parse_address(url)
        store = cls(connect(address, patience, _CONNECTIONS), str(address))
        try:
            await store.release("", "")  # nobody's: only to see whether the server answers
        except BaseException:
            await store.aclose()
            raise
        return store

    async def take(self, name: str, owner: str, duration: float) -> int | None:
        """See LockStore.take."""
        fence = await self._script(_TAKE, name, owner, _milliseconds(duration))
        return None if fence is None else int(fence)

    async def extend(self, name: str, owner: str, duration: float) -> bool:
        """See LockStore.extend."""
        return bool(await self._script(_EXTEND, name, owner, _milliseconds(duration)))

    async def release(self, name: str, owner: str) -> bool:
        """See LockStore.release."""
        return bool(await self._script(_RELEASE, name, owner))

    async def aclose(self) -> None:
        """See LockStore.aclose."""
        await self._client.aclose()

    async def _script(self, script: str, name: str, *arguments: str) -> Any:
        # The tag keeps both keys on one machine of a Redis Cluster; braces in a name would end it early.
        tag = "crawlmesh:lock:{" + name.encode().hex() + "}"
        try:
            return await self._client.execute_command("EVAL", script, 2, tag, f"{tag}:fence", *arguments)
        except FAILURES as error:
            raise translated(error, self._address) from error


def _milliseconds(seconds: float) -> str:
    return str(max(1, round(seconds * 1000)))
