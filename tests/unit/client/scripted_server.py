"""A server whose answers the test writes down beforehand."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from aiohttp import web

Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]


class ScriptedServer:
    """Answers each request with the next handler, the last one again and again; keeps what was asked."""

    def __init__(self) -> None:
        self.requests: list[web.Request] = []
        self.bodies: list[bytes] = []
        self.handlers: list[Handler] = []
        self.url = ""

    async def answer(self, request: web.Request) -> web.StreamResponse:
        self.requests.append(request)
        self.bodies.append(await request.read())
        handler = self.handlers.pop(0) if len(self.handlers) > 1 else self.handlers[0]
        return await handler(request)


@asynccontextmanager
async def scripted_server(*handlers: Handler) -> AsyncIterator[ScriptedServer]:
    server = ScriptedServer()
    server.handlers = list(handlers)
    application = web.Application()
    application.router.add_route("*", "/{path:.*}", server.answer)
    runner = web.AppRunner(application, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    port = runner.addresses[0][1]
    server.url = f"http://127.0.0.1:{port}"
    try:
        yield server
    finally:
        await runner.cleanup()


def says(text: str, status: int = 200) -> Handler:
    async def handle(_request: web.Request) -> web.StreamResponse:
        return web.Response(text=text, status=status, content_type="application/json")

    return handle


async def hangs_up(request: web.Request) -> web.StreamResponse:
    assert request.transport is not None
    request.transport.close()
    await asyncio.sleep(0)
    return web.Response()


def streams(text: str) -> Handler:
    async def handle(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Type": "text/event-stream"})
        await response.prepare(request)
        await response.write(text.encode())
        return response

    return handle
