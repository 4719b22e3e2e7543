"""A bare loop on aiohttp and uvloop over a known URL list."""

import asyncio
from collections.abc import Iterator
from typing import BinaryIO

import aiohttp
import uvloop

from benchmarks.competitors.loop_arguments import LoopArguments, read_arguments
from benchmarks.competitors.page_parser import parse_page


async def work(session: aiohttp.ClientSession, urls: Iterator[str], sink: BinaryIO) -> None:
    """One of the workers that share the URLs."""
    for url in urls:
        async with session.get(url) as response:
            body = await response.read()
        sink.write(parse_page(url, body))


async def crawl(arguments: LoopArguments) -> None:
    connector = aiohttp.TCPConnector(limit=0)  # the workers are the limit
    urls = iter(arguments.urls)
    with (arguments.output / "out.jsonl").open("wb") as sink:
        async with aiohttp.ClientSession(connector=connector) as session, asyncio.TaskGroup() as group:
            for _ in range(arguments.connections):
                group.create_task(work(session, urls, sink))


if __name__ == "__main__":
    uvloop.run(crawl(read_arguments()))
