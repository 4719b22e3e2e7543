"""One engine process, seen from the agent."""

import asyncio
import signal
import socket
import sys
from collections.abc import Awaitable, Callable

from crawlmesh.crawl.tally import CrawlTally
from crawlmesh.worker.crawl_engines import PlanOrder
from crawlmesh.worker.engine_messages import (
    FROM_ENGINE,
    LONGEST_LINE,
    AddPlan,
    CrawlEnded,
    PlanRemoved,
    RemovePlan,
    StopEngine,
    ToEngine,
    line_of,
    read_line,
)

_STOP_PATIENCE = 15.0  # seconds until a process that was told to stop is killed

ServeStore = Callable[[socket.socket], Awaitable[None]]
OnCrawlEnd = Callable[[CrawlEnded], None]


class EngineChild:
    """Started with a socket to the store and one for orders; runs until it is stopped or dies."""

    def __init__(self, command: list[str], job: bytes, serve: ServeStore, on_crawl_end: OnCrawlEnd) -> None:
        self._command = command
        self._job = job
        self._serve = serve
        self._on_crawl_end = on_crawl_end
        self._process: asyncio.subprocess.Process | None = None
        self._orders: asyncio.StreamWriter | None = None
        self._removals: dict[str, asyncio.Future[CrawlTally]] = {}
        self._stopping = False
        self.tallies: dict[str, CrawlTally] = {}

    async def run(self, node_id: str, orders: list[PlanOrder]) -> int:
        """Start the process with these crawls, and return its exit code when it has ended."""
        store_here, store_there = socket.socketpair()
        orders_here, orders_there = socket.socketpair()
        try:
            process = self._process = await self._spawn(node_id, store_there, orders_there)
        except BaseException:
            store_here.close()
            orders_here.close()
            raise
        reader, self._orders = await asyncio.open_connection(sock=orders_here, limit=LONGEST_LINE)
        serving = asyncio.ensure_future(self._serve(store_here))
        listening = asyncio.ensure_future(self._listen(reader))
        try:
            assert process.stdin is not None
            process.stdin.write(self._job)
            process.stdin.close()
            for order in orders:
                self.add(order)
            if self._stopping:
                self._send(StopEngine())
            return await process.wait()
        finally:
            _signal(process, signal.SIGKILL)  # where the wait was cancelled
            await process.wait()
            self._orders.close()
            serving.cancel()
            await asyncio.gather(serving, listening, return_exceptions=True)
            store_here.close()  # it is open still where the serving had not begun
            self._give_up_removals()

    async def _spawn(
        self, node_id: str, store: socket.socket, orders: socket.socket
    ) -> asyncio.subprocess.Process:
        """The process, with its ends of both sockets; they are closed here."""
        with store, orders:
            descriptors = [store.fileno(), orders.fileno()]
            return await asyncio.create_subprocess_exec(
                sys.executable,
                *self._command,
                node_id,
                *(str(descriptor) for descriptor in descriptors),
                pass_fds=descriptors,
                stdin=asyncio.subprocess.PIPE,
                start_new_session=True,  # a terminal's Ctrl-C is for the agent, which tells the others
            )

    def add(self, order: PlanOrder) -> None:
        """Hand it a crawl."""
        self._send(AddPlan(order))

    async def remove(self, crawl_id: str) -> CrawlTally:
        """Take a crawl back; returns when all of it is settled, or the process is dead."""
        if self._orders is None or self._orders.is_closing():
            return self.tallies.pop(crawl_id, CrawlTally())
        removed = self._removals.get(crawl_id)
        if removed is None:
            removed = self._removals[crawl_id] = asyncio.get_running_loop().create_future()
            self._send(RemovePlan(crawl_id))
        return await asyncio.shield(removed)

    def stop(self) -> None:
        """Let it settle and end; kill it where it does not."""
        self._stopping = True
        self._send(StopEngine())
        if self._process is not None:
            process = self._process
            asyncio.get_running_loop().call_later(_STOP_PATIENCE, _signal, process, signal.SIGKILL)

    def _send(self, message: ToEngine) -> None:
        if self._orders is not None and not self._orders.is_closing():
            self._orders.write(line_of(message))

    async def _listen(self, reader: asyncio.StreamReader) -> None:
        while (line := await read_line(reader)) is not None:
            message = FROM_ENGINE.decode(line)
            if isinstance(message, CrawlEnded):
                self._on_crawl_end(message)
            elif isinstance(message, PlanRemoved):
                self.tallies.pop(message.crawl_id, None)
                removed = self._removals.pop(message.crawl_id, None)
                if removed is not None and not removed.done():
                    removed.set_result(message.tally)
            else:
                self.tallies.update(message.tallies)

    def _give_up_removals(self) -> None:
        for crawl_id, removed in self._removals.items():
            if not removed.done():
                removed.set_result(self.tallies.pop(crawl_id, CrawlTally()))
        self._removals.clear()


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    if process.returncode is None:
        process.send_signal(number)
