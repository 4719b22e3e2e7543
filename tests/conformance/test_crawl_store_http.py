import asyncio
import socket
from pathlib import Path

import pytest
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from crawlmesh.adapters.http import HttpCrawlStore, MasterAddresses, NodeCredentials
from crawlmesh.adapters.memory import MemoryCrawlStore
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.protocol.crawl_call_answers import AnsweredCalls, answer_calls
from crawlmesh.protocol.crawl_calls import METHODS
from crawlmesh.testing.conformance.crawl_store import CrawlStoreSuite
from crawlmesh.testing.manual_clock import ManualClock


class ServedCrawlStore(HttpCrawlStore):
    """The node's end, which also takes the server and the store behind it down when it closes."""

    masters: MasterAddresses
    server: uvicorn.Server
    serving: asyncio.Task[None]
    behind: CrawlStore

    async def aclose(self) -> None:
        await super().aclose()
        await self.masters.aclose()
        self.server.should_exit = True
        await self.serving
        await self.behind.aclose()


def _application(store: CrawlStore) -> Starlette:
    remembered = AnsweredCalls()

    async def crawl_store(request: Request) -> Response:
        assert request.headers["authorization"] == "Bearer token"
        everything = frozenset(METHODS)
        body = await answer_calls(store, await request.body(), None, remembered, everything)
        return Response(body, media_type="application/msgpack")

    return Starlette(routes=[Route("/api/v1/nodes/node-1:crawl-store", crawl_store, methods=["POST"])])


async def _serve(application: Starlette) -> tuple[uvicorn.Server, "asyncio.Task[None]", int]:
    # With the protocol named, asyncio sets TCP_NODELAY; without, every answer would take 40 ms.
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listener.bind(("127.0.0.1", 0))
    listener.listen()
    server = uvicorn.Server(uvicorn.Config(application, log_level="critical", lifespan="off"))
    serving = asyncio.create_task(server.serve([listener]))
    return server, serving, listener.getsockname()[1]


class TestHttpCrawlStore(CrawlStoreSuite):
    durable = False

    @pytest.mark.parametrize("seed", range(1))  # a walk is thousands of calls; the store behind does them all
    async def test_random_walk(self, store: CrawlStore, clock: ManualClock, seed: int) -> None:
        await super().test_random_walk(store, clock, seed)

    async def open_store(self, clock: ManualClock, folder: Path) -> CrawlStore:
        behind = MemoryCrawlStore(clock)
        server, serving, port = await _serve(_application(behind))
        masters = MasterAddresses([f"http://127.0.0.1:{port}"])
        credentials = NodeCredentials()
        credentials.set("node-1", "token", 1)
        store = ServedCrawlStore(masters, credentials)
        store.masters, store.server, store.serving, store.behind = masters, server, serving, behind
        return store
