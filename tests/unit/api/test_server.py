import asyncio
import socket

import aiohttp
import pytest
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from crawlmesh.api.server import make_server
from tests.unit.api.master import Master


async def test_stopping_ends_streams_and_pulls(master: Master) -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    server = make_server(master.app, "127.0.0.1", port)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    base = f"http://127.0.0.1:{port}"
    key = {"Authorization": f"Bearer {master.keys['viewer']}"}
    token = {"Authorization": f"Bearer {master.node.token}"}
    async with aiohttp.ClientSession() as session:
        path = f"{base}/api/v1/nodes/{master.node.node_id}:pull"
        async with session.post(path, json={"session": 1, "wait": 0}, headers=token) as first:
            assert first.status == 200
        pulling = asyncio.create_task(_pull(session, path, token))
        async with session.get(f"{base}/api/v1/events:stream", headers=key) as stream:
            assert await stream.content.readline() == b"retry: 2000\n"
            server.should_exit = True
            rest = await stream.read()
        assert b"event:" not in rest
        assert await pulling in (200, 0)
    await serving
    listener.close()


async def test_answers_are_not_held_back_by_the_kernel(
    master: Master, monkeypatch: pytest.MonkeyPatch
) -> None:
    accepted: list[int] = []
    made = HttpToolsProtocol.connection_made

    def note(self: HttpToolsProtocol, transport: asyncio.Transport) -> None:
        connection = transport.get_extra_info("socket")
        accepted.append(connection.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY))
        made(self, transport)

    monkeypatch.setattr(HttpToolsProtocol, "connection_made", note)
    listener = socket.create_server(("127.0.0.1", 0))
    port = listener.getsockname()[1]
    server = make_server(master.app, "127.0.0.1", port)
    serving = asyncio.create_task(server.serve(sockets=[listener]))
    async with aiohttp.ClientSession() as session, session.get(f"http://127.0.0.1:{port}/health") as answer:
        assert answer.status == 200
    server.should_exit = True
    await serving
    listener.close()
    assert accepted
    assert all(accepted)


async def _pull(session: aiohttp.ClientSession, path: str, headers: dict[str, str]) -> int:
    try:
        async with session.post(path, json={"session": 1, "wait": 60}, headers=headers) as answer:
            return answer.status
    except aiohttp.ClientConnectionError:
        return 0  # it had not been accepted yet
