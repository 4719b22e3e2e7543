"""A master that really listens, in a thread of its own, on stores in memory."""

import asyncio
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from crawlmesh.adapters.files import FileRecordExport
from crawlmesh.adapters.memory import MemoryControlStore, MemoryCrawlStore
from crawlmesh.api.app import make_app
from crawlmesh.api.options import ApiOptions
from crawlmesh.api.server import ApiServer, make_server
from crawlmesh.control.context import ControlContext, ControlOptions
from crawlmesh.control.keys import create_key
from crawlmesh.control.register_node import register_node
from crawlmesh.control.submit_tasks import submit_tasks
from crawlmesh.crawl.preview import PagePreviews
from crawlmesh.model.access import Role
from crawlmesh.model.page import FetchResponse
from crawlmesh.protocol.node_messages import Registered, Registration
from crawlmesh.protocol.task_messages import NewTask
from crawlmesh.wiring.control import check_parameters, known_strategies
from crawlmesh.wiring.crawl import system_clock


class ServedMaster(NamedTuple):
    url: str
    admin_key: str
    node: Registered
    task_id: str


@contextmanager
def served_master() -> Iterator[ServedMaster]:
    """Listens from the first line of the block to the last."""
    thread = _MasterThread()
    thread.start()
    try:
        thread.ready.wait()
        assert thread.master is not None, thread.problem
        yield thread.master
    finally:
        thread.stop()
        thread.join()


class _MasterThread(threading.Thread):
    def __init__(self) -> None:
        super().__init__(name="master")
        self.ready = threading.Event()
        self.master: ServedMaster | None = None
        self.problem: BaseException | None = None
        self._server: ApiServer | None = None

    def run(self) -> None:
        try:
            asyncio.run(self._serve())
        except BaseException as problem:
            self.problem = problem
            raise
        finally:
            self.ready.set()

    def stop(self) -> None:
        if self._server is not None:
            self._server.should_exit = True

    async def _serve(self) -> None:
        clock = system_clock()
        context = ControlContext(
            store=MemoryControlStore(),
            crawl_store=MemoryCrawlStore(clock),
            clock=clock,
            options=ControlOptions(longest_pull=0.2),
            strategies=known_strategies(),
            check_parameters=check_parameters,
        )
        key = await create_key(context, "admin", Role.ADMIN)
        node = await register_node(context, Registration(name="worker", device_id="worker-001"))
        (task,) = await submit_tasks(context, [NewTask(parameters={"url": "https://example.com/"})])
        listener = socket.create_server(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        options = ApiOptions(record_export=FileRecordExport(), preview=PagePreviews(_fetch, clock).show)
        self._server = make_server(make_app(context, options), "127.0.0.1", port)
        self.master = ServedMaster(f"http://127.0.0.1:{port}", key.secret, node, task.id)
        self.ready.set()  # the socket listens already: who connects now is served in a moment
        await self._server.serve(sockets=[listener])


async def _fetch(url: str) -> FetchResponse:
    """The same page everywhere: nothing goes out into the world."""
    return FetchResponse(1, url, status=200, body=b"<title>A page</title><h1>Things</h1>")
