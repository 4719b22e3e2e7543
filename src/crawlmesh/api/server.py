"""The server of the interfaces: uvicorn, taught to end long polls and streams when it stops."""

import socket

import uvicorn
from fastapi import FastAPI

from crawlmesh.api.services import services_of_app

_GRACE = 10.0  # seconds for requests under way


class ApiServer(uvicorn.Server):
    """Ends what waits as soon as it is told to stop, so that stopping takes no longer than an answer."""

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        for listener in sockets or ():
            if listener.family in (socket.AF_INET, socket.AF_INET6):
                # asyncio does it only for sockets that name their protocol; without, each answer on a
                # connection that is kept waits 40 ms for an acknowledgement.
                listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        await super().startup(sockets)

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
        log_config=None,
        access_log=False,
        server_header=False,
        timeout_keep_alive=75,
        timeout_graceful_shutdown=int(_GRACE),
        lifespan="off",
    )
    return ApiServer(config)
