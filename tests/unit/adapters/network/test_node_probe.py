import asyncio
from contextlib import suppress

from crawlmesh.adapters.network import TcpNodeProbe
from crawlmesh.testing.cluster_processes import free_port
from crawlmesh.worker.health_server import HealthServer


async def test_a_worker_that_answers_is_reachable() -> None:
    server = HealthServer("127.0.0.1", 0, lambda: {"status": "online"})
    await server.start()
    try:
        assert await TcpNodeProbe().reachable("127.0.0.1", server.port, 5)
    finally:
        await server.stop()


async def test_nobody_listens() -> None:
    assert not await TcpNodeProbe().reachable("127.0.0.1", free_port(), 5)


async def test_a_server_that_says_nothing_is_given_up() -> None:
    over = asyncio.Event()

    async def keep_silent(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            await reader.read()
        writer.close()
        over.set()

    server = await asyncio.start_server(keep_silent, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        assert not await TcpNodeProbe().reachable("127.0.0.1", port, 0.05)
        await over.wait()
    finally:
        server.close()


async def test_another_server_is_no_worker() -> None:
    over = asyncio.Event()

    async def answer_otherwise(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 404 Not Found\r\n\r\n")
        writer.close()
        await writer.wait_closed()
        over.set()

    server = await asyncio.start_server(answer_otherwise, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        assert not await TcpNodeProbe().reachable("127.0.0.1", port, 5)
        await over.wait()
    finally:
        server.close()
