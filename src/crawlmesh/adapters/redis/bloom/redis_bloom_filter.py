"""A Bloom filter in Redis that many nodes use at once."""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Literal
from uuid import uuid4

from redis.asyncio import Redis, RedisCluster
from redis.exceptions import RedisError

from crawlmesh.adapters.redis.bloom.filter_fields import BLOOM_LUA, new_filter_fields, read_status
from crawlmesh.errors import StoreError
from crawlmesh.model.crawl import FilterStatus

FilterForm = Literal["any", "server", "script"]

_FINGERPRINT_BYTES = 16
_CALL_LINKS = 1_000  # fingerprints in one call: Redis does nothing else for some milliseconds

_CREATE = """
local made = bloom_create(KEYS[1], ARGV[1], ARGV[2], ARGV[3], ARGV[4])
if type(made) == 'table' then return made end
return made and 1 or 0
"""
_DELETE = "bloom_delete(KEYS[1]) redis.call('UNLINK', KEYS[1] .. ':last:' .. ARGV[1])"
_STATUS = "return bloom_status(KEYS[1])"

_KNOWS = """
local filter = bloom_open(KEYS[1])
if not filter then return redis.error_reply('NOFILTER no such filter') end
local answers = {}
for index = 1, #ARGV do
  answers[index] = bloom_knows(filter, ARGV[index]) and '1' or '0'
end
return table.concat(answers)
"""

# A client whose answer gets lost sends its call again, and would be told that all it has just added was
# known. So the last answer to each client is kept for a while, with the number of its call.
_ADD = """
local filter = bloom_open(KEYS[1])
if not filter then return redis.error_reply('NOFILTER no such filter') end
local last, number = KEYS[1] .. ':last:' .. ARGV[1], ARGV[2] .. ':'
local answered = redis.call('GET', last)
if answered and string.sub(answered, 1, #number) == number then return string.sub(answered, #number + 1) end
local answers = {}
for index = 3, #ARGV do
  answers[index - 2] = bloom_add_if_new(filter, ARGV[index]) and '1' or '0'
end
bloom_close(filter)
local answer = table.concat(answers)
redis.call('SET', last, number .. answer, 'PX', 300000)
return answer
"""


class RedisBloomFilter:
    """Knows which fingerprints were added, with few false positives and no false negatives.

    Each call is atomic for up to 1,000 fingerprints: of two nodes that add the same one, one is told that it
    was new. The filter grows by itself. It lives in the server's own Bloom commands where there are any, else
    in strings that scripts change; a filter keeps the form that it was made in.
    """

    def __init__(self, client: Redis | RedisCluster, key: str) -> None:
        """`key` gets a hash tag where it has none, because all parts of a filter must lie in one slot."""
        self._key = key if "{" in key else f"{{{key}}}"
        self._create = client.register_script(BLOOM_LUA + _CREATE)
        self._delete = client.register_script(BLOOM_LUA + _DELETE)
        self._status = client.register_script(BLOOM_LUA + _STATUS)
        self._add = client.register_script(BLOOM_LUA + _ADD)
        self._knows = client.register_script(BLOOM_LUA + _KNOWS)
        self._name = uuid4().hex
        self._number = 0
        self._adding = asyncio.Lock()  # one call after the other: the last answer alone is kept

    @property
    def key(self) -> str:
        """The key of the filter; those of its parts begin with it."""
        return self._key

    async def create(
        self, capacity: int = 1_000_000, error_rate: float = 0.0001, form: FilterForm = "any"
    ) -> bool:
        """Make the filter. False, and nothing changes, where there is one.

        `capacity` is how many links the first layer is made for; `error_rate` holds for all layers together.
        """
        arguments = [*new_filter_fields(capacity, error_rate), form]
        with self._errors():
            return bool(await self._create(keys=[self._key], args=arguments))

    async def add_new(self, fingerprints: Sequence[bytes]) -> list[bool]:
        """Add fingerprints of 16 bytes. One bool each: whether it was new.

        Where this raises, some of them may have been added.
        """
        answers: list[bool] = []
        async with self._adding:
            for part in _parts(fingerprints):
                self._number += 1
                answers += await self._ask(self._add, [self._name, self._number, *part])
        return answers

    async def knows(self, fingerprints: Sequence[bytes]) -> list[bool]:
        """One bool each: whether it was added, or is taken for one that was."""
        answers: list[bool] = []
        for part in _parts(fingerprints):
            answers += await self._ask(self._knows, part)
        return answers

    async def status(self) -> FilterStatus:
        """How full the filter is, and how large."""
        with self._errors():
            status = read_status(await self._status(keys=[self._key]))
        if status is None:
            raise self._missing()
        return status

    async def delete(self) -> None:
        """Remove the filter. There need not be one."""
        with self._errors():
            await self._delete(keys=[self._key], args=[self._name])

    async def _ask(self, script: Callable[..., Awaitable[Any]], arguments: Sequence[Any]) -> list[bool]:
        with self._errors():
            answer = await script(keys=[self._key], args=arguments)
        return [character in (49, "1") for character in answer]

    @contextmanager
    def _errors(self) -> Iterator[None]:
        try:
            yield
        except RedisError as error:
            if "NOFILTER" in str(error):
                raise self._missing() from None
            raise StoreError(f"The Bloom filter {self._key!r} in Redis cannot be used: {error}.") from error

    def _missing(self) -> StoreError:
        return StoreError(f"Redis has no Bloom filter {self._key!r}: create it first.")


def _parts(fingerprints: Sequence[bytes]) -> Iterator[Sequence[bytes]]:
    """What goes into one call each. Raises ValueError for what is no fingerprint, before anything is sent."""
    for fingerprint in fingerprints:
        if len(fingerprint) != _FINGERPRINT_BYTES:
            raise ValueError(f"A fingerprint has 16 bytes, not {len(fingerprint)}.")
    for start in range(0, len(fingerprints), _CALL_LINKS):
        yield fingerprints[start : start + _CALL_LINKS]
