"""`crawlmesh crawl-process`: one of several crawl processes, started by `crawlmesh crawl --processes`."""

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path
from typing import Any

import click
import msgspec

from crawlmesh.cli.exit_codes import ExitCode
from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.crawl.plan import CrawlPlan
from crawlmesh.settings import Settings
from crawlmesh.wiring import connect_crawl_store, make_engine, open_archive


class CrawlProcessJob(msgspec.Struct, frozen=True):
    """What the process that started this one wants done; comes over standard input."""

    settings: dict[str, Any]
    crawl_id: str
    definition: CrawlDefinition
    archive: str | None


@click.command("crawl-process", hidden=True)
@click.argument("node_id")
@click.argument("descriptor", type=int)
def crawl_process(node_id: str, descriptor: int) -> None:
    """Crawl with the store at the other end of an inherited socket."""
    job = msgspec.json.decode(sys.stdin.buffer.read(), type=CrawlProcessJob)
    asyncio.run(_work(job, node_id, socket.socket(fileno=descriptor)))


def _leave() -> None:
    """End at once: without the store's owner nobody knows which requests may still go out."""
    os._exit(ExitCode.FAILED)


async def _work(job: CrawlProcessJob, node_id: str, connection: socket.socket) -> None:
    store = await connect_crawl_store(connection, _leave)
    archive = open_archive(Path(job.archive)) if job.archive else None
    plan = CrawlPlan(job.crawl_id, job.definition)
    engine = make_engine(store, Settings(**job.settings), plan, archive, node_id)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, engine.stop)
    try:
        await engine.run()
    finally:
        if archive is not None:
            archive.close()
        await store.aclose()
