"""One of several engine processes of a node, started by its agent.

Run as `python -m crawlmesh.engine_process NODE_ID STORE_DESCRIPTOR ORDERS_DESCRIPTOR`; its job comes over
standard input. It works on whatever crawls it is handed, until it is told to stop.
"""

import asyncio
import os
import signal
import socket
import sys

import msgspec

from crawlmesh.crawl.engine import Engine
from crawlmesh.crawl.tally import CrawlTally
from crawlmesh.errors import CrawlmeshError
from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.wiring import EngineOptions, FetchOptions, connect_crawl_store, make_fetcher, system_clock
from crawlmesh.worker.engine_messages import (
    LONGEST_LINE,
    TO_ENGINE,
    AddPlan,
    CrawlEnded,
    FromEngine,
    PlanRemoved,
    RemovePlan,
    Tallied,
    line_of,
    read_line,
)
from crawlmesh.worker.garbage import GarbageCare
from crawlmesh.worker.patient_crawl_store import PatientCrawlStore

_TALLY_INTERVAL = 1.0  # seconds


class EngineJob(msgspec.Struct, frozen=True):
    """How the process works."""

    engine: EngineOptions
    fetching: FetchOptions


def main(node_id: str, store_descriptor: int, orders_descriptor: int) -> None:
    """Crawl what the agent wants."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the agent says when to stop
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        job = msgspec.json.decode(sys.stdin.buffer.read(), type=EngineJob)
    except msgspec.DecodeError:
        sys.exit(1)  # cut off: the agent was killed
    sockets = (socket.socket(fileno=store_descriptor), socket.socket(fileno=orders_descriptor))
    try:
        asyncio.run(_work(job, node_id, *sockets))
    except CrawlmeshError as error:
        sys.exit(f"crawlmesh: {node_id}: {error}")


def _leave() -> None:
    """End at once: without the agent nobody knows which requests may still go out."""
    os._exit(1)


async def _work(job: EngineJob, node_id: str, to_store: socket.socket, to_agent: socket.socket) -> None:
    connection = await connect_crawl_store(to_store, _leave)
    store = PatientCrawlStore(connection)
    reader, writer = await asyncio.open_connection(sock=to_agent, limit=LONGEST_LINE)
    options = msgspec.structs.replace(job.engine, node_id=node_id)
    talk = _Talk(writer)
    engine = Engine(
        store, make_fetcher(job.fetching), system_clock(), {}, options, on_crawl_end=talk.crawl_ended
    )
    loop = asyncio.get_running_loop()
    tasks = [loop.create_task(talk.obey(reader, engine)), loop.create_task(talk.tell_tallies(engine))]
    try:
        await engine.run(until_finished=False)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        writer.close()
        await store.aclose()
        await connection.aclose()


class _Talk:
    """The conversation with the agent."""

    def __init__(self, writer: asyncio.StreamWriter) -> None:
        self._writer = writer
        self._tasks: set[asyncio.Task[None]] = set()
        self._crawls: dict[str, CrawlTally | None] = {}  # with what was told of them last
        self._has_crawls = asyncio.Event()
        self._garbage = GarbageCare()

    async def obey(self, reader: asyncio.StreamReader, engine: Engine) -> None:
        """Do what the agent says."""
        while (line := await read_line(reader)) is not None:
            message = TO_ENGINE.decode(line)
            if isinstance(message, AddPlan):
                engine.add_plan(message.order.plan())
                self._crawls[message.order.crawl_id] = None
                self._garbage.new_crawl(asyncio.get_running_loop().time())
                self._has_crawls.set()
            elif isinstance(message, RemovePlan):
                task = asyncio.get_running_loop().create_task(self._remove(engine, message.crawl_id))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
            else:
                engine.stop()
        _leave()

    def crawl_ended(self, crawl_id: str, progress: CrawlProgress | None) -> None:
        """Nothing is left of a crawl."""
        self._say(CrawlEnded(crawl_id, progress))

    async def tell_tallies(self, engine: Engine) -> None:
        """Tell from time to time what was done."""
        while True:
            await self._has_crawls.wait()
            await asyncio.sleep(_TALLY_INTERVAL)
            news: dict[str, CrawlTally] = {}
            for crawl_id, told in self._crawls.items():
                tally = engine.tally(crawl_id)
                if told != tally and tally != CrawlTally():
                    news[crawl_id] = self._crawls[crawl_id] = tally + CrawlTally()
            if news:
                self._say(Tallied(news))

    async def _remove(self, engine: Engine, crawl_id: str) -> None:
        tally = await engine.remove_plan(crawl_id)
        self._crawls.pop(crawl_id, None)
        if not self._crawls:
            self._has_crawls.clear()
        self._say(PlanRemoved(crawl_id, tally))

    def _say(self, message: FromEngine) -> None:
        if not self._writer.is_closing():
            self._writer.write(line_of(message))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
