"""One of several crawl processes, started by `crawlmesh crawl --processes`.

The first ones are copies of the command's process. One that replaces a dead one is run as
`python -m crawlmesh.crawl_process NODE_ID DESCRIPTOR`, and the job comes over standard input; so this stands
apart from the command line, that it starts without all that only people need.
"""

import asyncio
import os
import signal
import socket
import sys
from pathlib import Path

import msgspec

from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.crawl.plan import CrawlPlan
from crawlmesh.errors import CrawlmeshError
from crawlmesh.model.crawl import Dedup
from crawlmesh.wiring import EngineOptions, FetchOptions, connect_crawl_store, make_engine, open_archive
from crawlmesh.worker.garbage import spare_long_lived_objects
from crawlmesh.worker.process_pool import SAID_WHY


class CrawlProcessJob(msgspec.Struct, frozen=True):
    """What the process that started this one wants done."""

    engine: EngineOptions
    fetching: FetchOptions
    crawl_id: str
    definition: CrawlDefinition
    archive: str | None  # folder
    dedup: Dedup = Dedup.EXACT


def crawl(node_id: str, connection: socket.socket, encoded_job: bytes) -> None:
    """Crawl with the store at the other end of an inherited socket."""
    try:
        job = msgspec.json.decode(encoded_job, type=CrawlProcessJob)
    except msgspec.DecodeError:
        sys.exit(1)  # cut off: the process that started this one has ended
    try:
        asyncio.run(_work(job, node_id, connection))
    except CrawlmeshError as error:
        sys.stderr.write(f"crawlmesh: {error}\n")
        sys.exit(SAID_WHY)
    except Exception as error:
        sys.exit(f"crawlmesh: {node_id}: {str(error) or type(error).__name__}")


def _leave() -> None:
    """End at once: without the store's owner nobody knows which requests may still go out."""
    os._exit(1)


async def _work(job: CrawlProcessJob, node_id: str, connection: socket.socket) -> None:
    store = await connect_crawl_store(connection, _leave)
    archive = open_archive(Path(job.archive)) if job.archive else None
    options = msgspec.structs.replace(job.engine, node_id=node_id)
    plan = CrawlPlan(job.crawl_id, job.definition, dedup=job.dedup)
    engine = make_engine(store, plan, options, job.fetching, archive)
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, engine.stop)
    spare_long_lived_objects()
    try:
        await engine.run()
    finally:
        if archive is not None:
            archive.close()
        await store.aclose()


if __name__ == "__main__":
    crawl(sys.argv[1], socket.socket(fileno=int(sys.argv[2])), sys.stdin.buffer.read())
