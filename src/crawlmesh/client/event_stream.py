"""Events as they happen (server-sent events)."""

import asyncio
from collections.abc import AsyncIterator

import aiohttp
import msgspec

from crawlmesh.client.answers import Event
from crawlmesh.client.connection import Connection, Query
from crawlmesh.errors import MasterUnreachableError

_FIRST_PAUSE = 0.2  # seconds before the first new connection; doubles with each
_LONGEST_PAUSE = 5.0  # seconds
_PATH = "/api/v1/events:stream"


async def event_stream(
    connection: Connection, query: Query, *, after: int | None, patience: float, follow: bool
) -> AsyncIterator[Event]:
    """Events from the one after `after` on, over broken connections too.

    Without `follow` it ends when all are told that are stored. None is from now on, or from the first.
    Raises MasterUnreachableError when no master has answered for `patience` seconds.
    """
    loop = asyncio.get_running_loop()
    last = after
    pause = _FIRST_PAUSE
    heard = loop.time()
    asked = query if follow else {**query, "follow": "false"}
    while True:
        headers = {} if last is None else {"Last-Event-ID": str(last)}
        try:
            async with connection.stream(_PATH, asked, headers) as lines:
                pause, heard = _FIRST_PAUSE, loop.time()
                async for event in _events(lines):
                    last = event.id
                    yield event
                heard = loop.time()
            if not follow:
                return
        except MasterUnreachableError:
            if loop.time() - heard + pause > patience:
                raise
        connection.turn()
        await asyncio.sleep(pause)
        pause = min(2 * pause, _LONGEST_PAUSE)


async def _events(lines: aiohttp.StreamReader) -> AsyncIterator[Event]:
    data: list[bytes] = []
    while line := await lines.readline():
        text = line.rstrip(b"\r\n")
        if text.startswith(b"data:"):
            data.append(text[5:].removeprefix(b" "))
        elif not text and data:
            yield msgspec.json.decode(b"\n".join(data), type=Event)
            data = []
