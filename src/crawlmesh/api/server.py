"""The server of the interfaces: uvicorn, taught to end long polls and streams when it stops."""

import asyncio
import socket

import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from crawlmesh.api.services import services_of_app

_GRACE = 10.0  # seconds for requests under way


class PromptProtocol(HttpToolsProtocol):
    """Sends what is written at once.

    asyncio sees to that only for sockets that name their protocol, which listeners made by
    `socket.create_server` do not: each answer on a kept connection would wait 40 ms to be acknowledged.
    """

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """A client is there."""
        connection = transport.get_extra_info("socket")
        if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        super().connection_made(transport)


class ApiServer(uvicorn.Server):
    """Ends what waits as soon as it is told to stop, so that stopping takes no longer than an answer."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let waiting requests end, then stop as uvicorn does."""
        app = self.config.app
        assert isinstance(app, FastAPI)
        services_of_app(app).closing.set()
        await super().shutdown(sockets)


def make_server(app: FastAPI, host: str, port: int) -> ApiServer:
    """A server that is not started yet: `await server.serve()`; `server.should_exit = True` stops it."""
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=PromptProtocol,
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=int(_GRACE),
        lifespan="off",
    )
    return ApiServer(config)
