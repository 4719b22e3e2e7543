"""A TCP proxy whose connections can be cut, between workers and a master."""

import asyncio
from contextlib import suppress

_CHUNK = 65_536  # bytes


class TcpProxy:
    """Passes bytes on to a port on loopback, until it is told to cut."""

    def __init__(self, target_port: int) -> None:
        self._target_port = target_port
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._refusing = False
        self.port = 0

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        if self._server is not None:
            self._server.close()
            self.cut()
            await asyncio.gather(*self._connections, return_exceptions=True)

    def cut(self) -> None:
        """Break every connection, in the middle of whatever it carries."""
        for connection in self._connections:
            connection.cancel()

    def refuse(self, *, refusing: bool) -> None:
        """Whether new connections are broken at once, too."""
        self._refusing = refusing

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            if not self._refusing:
                await self._pass_on(reader, writer)
        except asyncio.CancelledError:
            pass
        finally:
            self._connections.discard(task)
            writer.transport.abort()

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there_reader, there_writer = await asyncio.open_connection("127.0.0.1", self._target_port)
        except OSError:
            return
        try:
            copies = [_copy(reader, there_writer), _copy(there_reader, writer)]
            tasks = [asyncio.ensure_future(copy) for copy in copies]
            try:
                await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            finally:
                for each in tasks:
                    each.cancel()
        finally:
            there_writer.transport.abort()


async def _copy(source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
    with suppress(OSError):
        while chunk := await source.read(_CHUNK):
            sink.write(chunk)
            await sink.drain()
