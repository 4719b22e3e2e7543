"""Answers the health checks of the masters."""

import asyncio
from collections.abc import Callable

import msgspec

from crawlmesh.errors import SettingError

_PATIENCE = 5.0  # seconds for a request to come
_LARGEST_REQUEST = 16 * 1024  # bytes


class HealthServer:
    """A web server with one page: `GET /health` answers with what `state` returns."""

    def __init__(self, host: str, port: int, state: Callable[[], dict[str, str]]) -> None:
        self._host = host
        self._wanted_port = port
        self._state = state
        self._server: asyncio.Server | None = None
        self.port = 0  # where it listens

    async def start(self) -> None:
        """Listen; port 0 takes one that is free."""
        try:
            self._server = await asyncio.start_server(
                self._serve, self._host, self._wanted_port, limit=_LARGEST_REQUEST
            )
        except OSError as error:
            raise SettingError(
                f"The worker cannot listen at {self._host}:{self._wanted_port} ({error.strerror}); "
                "choose another port, or 0 for any that is free."
            ) from error
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Listen no longer. Twice is fine."""
        if self._server is not None:
            server, self._server = self._server, None
            server.close()
            await server.wait_closed()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), _PATIENCE)
            writer.write(self._answer(head.split(b"\r\n", 1)[0]))
            await asyncio.wait_for(writer.drain(), _PATIENCE)
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
            pass  # whoever asks like that gets nothing
        finally:
            writer.close()

    def _answer(self, request_line: bytes) -> bytes:
        parts = request_line.split()
        if len(parts) == 3 and parts[1].partition(b"?")[0] == b"/health":
            if parts[0] in (b"GET", b"HEAD"):
                body = msgspec.json.encode(self._state())
                return _response(b"200 OK", body, with_body=parts[0] == b"GET")
            return _response(b"405 Method Not Allowed", b'{"error":{"code":"method_not_allowed"}}')
        return _response(b"404 Not Found", b'{"error":{"code":"not_found"}}')


def _response(status: bytes, body: bytes, *, with_body: bool = True) -> bytes:
    head = b"HTTP/1.1 %b\r\nContent-Type: application/json\r\nContent-Length: %d\r\nConnection: close\r\n\r\n"
    return head % (status, len(body)) + (body if with_body else b"")
