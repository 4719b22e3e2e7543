"""The mark of a crawl store on Redis: a field beside those that say what the database is."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import msgspec

from crawlmesh.adapters.redis.crawl_store.address import Client, connect, parse_address
from crawlmesh.adapters.redis.crawl_store.failures import FAILURES, translated
from crawlmesh.ports.move_marks import MoveMark

_ABOUT = "crawlmesh"
_FIELD = "move"
_PATIENCE = 10.0  # seconds for a connection

_decode = msgspec.json.Decoder(MoveMark).decode


class RedisMoveMarks:
    """Implements `crawlmesh.ports.move_marks.MoveMarks`."""

    def __init__(self, address: str) -> None:
        self._address = parse_address(address)

    async def read(self) -> MoveMark | None:
        """See MoveMarks.read."""
        async with self._client() as client:
            blob = await client.execute_command("HGET", _ABOUT, _FIELD)
        return None if blob is None else _decode(blob)

    async def write(self, mark: MoveMark) -> None:
        """See MoveMarks.write."""
        async with self._client() as client:
            await client.execute_command("HSET", _ABOUT, _FIELD, msgspec.json.encode(mark))

    async def clear(self) -> None:
        """See MoveMarks.clear."""
        async with self._client() as client:
            await client.execute_command("HDEL", _ABOUT, _FIELD)

    @asynccontextmanager
    async def _client(self) -> AsyncIterator[Client]:
        client = connect(self._address, _PATIENCE, 1)
        try:
            yield client
        except FAILURES as error:
            raise translated(error, str(self._address)) from error
        finally:
            await client.aclose()
