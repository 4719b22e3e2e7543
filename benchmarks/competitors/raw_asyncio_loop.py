"""A bare loop on asyncio protocols and httptools, on uvloop, over a known URL list."""

import asyncio
from collections import defaultdict
from collections.abc import Iterator
from typing import BinaryIO, cast
from urllib.parse import urlsplit

import httptools
import uvloop

from benchmarks.competitors.loop_arguments import LoopArguments, read_arguments
from benchmarks.competitors.page_parser import parse_page


class Connection(asyncio.Protocol):
    """One keep-alive connection with at most one request on it."""

    def __init__(self) -> None:
        self._transport: asyncio.Transport | None = None
        self._answer: asyncio.Future[bytes] | None = None
        self._chunks: list[bytes] = []
        self._parser = httptools.HttpResponseParser(self)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast("asyncio.Transport", transport)

    def data_received(self, data: bytes) -> None:
        self._parser.feed_data(data)

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answer is not None and not self._answer.done():
            self._answer.set_exception(exc or ConnectionResetError("the server closed the connection"))

    def on_body(self, chunk: bytes) -> None:
        self._chunks.append(chunk)

    def on_message_complete(self) -> None:
        assert self._answer is not None
        self._answer.set_result(b"".join(self._chunks))
        self._chunks.clear()
        self._parser = httptools.HttpResponseParser(self)

    def fetch(self, request: bytes) -> asyncio.Future[bytes]:
        assert self._transport is not None
        self._answer = asyncio.get_running_loop().create_future()
        self._transport.write(request)
        return self._answer


class Pool:
    """Idle connections by host."""

    def __init__(self) -> None:
        self._idle: defaultdict[tuple[str, int], list[Connection]] = defaultdict(list)

    async def fetch(self, url: str) -> bytes:
        parts = urlsplit(url)
        address = (parts.hostname or "", parts.port or 80)
        idle = self._idle[address]
        connection = idle.pop() if idle else await self._connect(address)
        target = f"{parts.path}?{parts.query}" if parts.query else parts.path
        body = await connection.fetch(f"GET {target} HTTP/1.1\r\nHost: {parts.netloc}\r\n\r\n".encode())
        idle.append(connection)
        return body

    async def _connect(self, address: tuple[str, int]) -> Connection:
        _, connection = await asyncio.get_running_loop().create_connection(Connection, *address)
        return connection


async def work(pool: Pool, urls: Iterator[str], sink: BinaryIO) -> None:
    """One of the workers that share the URLs."""
    for url in urls:
        body = await pool.fetch(url)
        sink.write(parse_page(url, body))


async def crawl(arguments: LoopArguments) -> None:
    pool = Pool()
    urls = iter(arguments.urls)
    with (arguments.output / "out.jsonl").open("wb") as sink:
        async with asyncio.TaskGroup() as group:
            for _ in range(arguments.connections):
                group.create_task(work(pool, urls, sink))


if __name__ == "__main__":
    uvloop.run(crawl(read_arguments()))
