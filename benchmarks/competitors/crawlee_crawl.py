"""Crawlee for Python with Parsel, its state in memory or in files."""

import argparse
import asyncio
import json
import logging
from datetime import timedelta
from pathlib import Path
from typing import Any, BinaryIO

from crawlee import ConcurrencySettings  # type: ignore[import-not-found]
from crawlee.configuration import Configuration  # type: ignore[import-not-found]
from crawlee.crawlers import (  # type: ignore[import-not-found]
    ParselCrawler,
    ParselCrawlingContext,
)
from crawlee.storage_clients import (  # type: ignore[import-not-found]
    FileSystemStorageClient,
    MemoryStorageClient,
)


def build_crawler(storage: str, output: Path, connections: int) -> ParselCrawler:
    configuration = Configuration(storage_dir=str(output / "storage"), purge_on_start=True)
    client = MemoryStorageClient() if storage == "memory" else FileSystemStorageClient()
    concurrency = ConcurrencySettings(
        min_concurrency=connections, desired_concurrency=connections, max_concurrency=connections
    )
    return ParselCrawler(
        configuration=configuration,
        storage_client=client,
        concurrency_settings=concurrency,
        max_crawl_depth=None,
        respect_robots_txt_file=False,
        configure_logging=False,
        request_handler_timeout=timedelta(minutes=5),
    )


def record_of(context: ParselCrawlingContext) -> dict[str, Any]:
    page = context.selector
    return {
        "url": context.request.url,
        "title": page.css("title::text").get(),
        "products": page.css("div.product h2.title a::text").getall(),
        "prices": page.css("div.product span.price::text").getall(),
    }


def register_handler(crawler: ParselCrawler, sink: BinaryIO | None) -> None:
    """In memory, records go straight to the JSONL file; with files, into Crawlee's durable dataset."""

    async def handle(context: ParselCrawlingContext) -> None:
        record = record_of(context)
        if sink is None:
            await context.push_data(record)
        else:
            sink.write(json.dumps(record).encode() + b"\n")
        await context.enqueue_links(strategy="all")

    crawler.router.default_handler(handle)


async def crawl(first_page: str, storage: str, output: Path, connections: int) -> None:
    crawler = build_crawler(storage, output, connections)
    if storage == "files":
        register_handler(crawler, None)
        await crawler.run([first_page])
        return
    with (output / "out.jsonl").open("wb") as sink:
        register_handler(crawler, sink)
        await crawler.run([first_page])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("first_page")
    parser.add_argument("--output", type=Path, required=True)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--storage", choices=("memory", "files"), default="memory")
    given = parser.parse_args()
    logging.basicConfig(level=logging.WARNING)
    asyncio.run(crawl(given.first_page, given.storage, given.output, given.connections))


if __name__ == "__main__":
    main()
