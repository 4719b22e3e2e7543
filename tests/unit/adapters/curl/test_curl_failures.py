import asyncio
import gzip
import socket
import time
from collections.abc import Iterator

import pytest

from crawlmesh.model.page import FailureKind, FetchRequest
from crawlmesh.testing.conformance.fetcher import Answer, collect, fetch, never, plain_answer
from tests.unit.adapters.curl.kit import OpenFetcher, Serve

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"


def raw_answer(data: bytes) -> Answer:
    async def answer(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(data)
        await writer.drain()
        writer.close()

    return answer


async def endless(_: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD + b"\r\n")
    while True:
        writer.write(b"x" * 10_000)
        await writer.drain()


async def dripping(_: bytes, writer: asyncio.StreamWriter) -> None:
    writer.write(HEAD + b"Content-Length: 100000\r\n\r\n")
    while True:
        writer.write(b"x")
        await writer.drain()
        await asyncio.sleep(0.02)


@pytest.fixture
def full_port() -> Iterator[int]:
    """A port that takes no more connections: its queue is full, so the kernel drops what comes."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    listener.listen(0)
    waiting = []
    for _ in range(4):
        client = socket.socket()
        client.setblocking(False)
        client.connect_ex(listener.getsockname())
        waiting.append(client)
    time.sleep(0.05)
    yield listener.getsockname()[1]
    for client in (*waiting, listener):
        client.close()


async def test_a_name_that_does_not_resolve(open_fetcher: OpenFetcher) -> None:
    response = await fetch(await open_fetcher(), "http://no-such-name.invalid/")
    assert response.failure is FailureKind.DNS
    assert "no-such-name.invalid" in response.detail


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"garbage\r\n\r\n",
        HEAD,
        HEAD + b"no colon\r\n\r\nabc",
        HEAD + b"Content-Length: 10\r\n\r\nabc",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\nzz\r\n",
        HEAD + b"Content-Encoding: gzip\r\n\r\nnot gzip",
    ],
)
async def test_what_is_not_http_or_breaks_off(open_fetcher: OpenFetcher, serve: Serve, data: bytes) -> None:
    response = await fetch(await open_fetcher(), (await serve(raw_answer(data))).url())
    assert (response.failure, response.status, response.body) == (FailureKind.PROTOCOL, 0, b"")
    assert "127.0.0.1" in response.detail


async def test_a_reset(open_fetcher: OpenFetcher, serve: Serve) -> None:
    async def answer(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        writer.close()

    response = await fetch(await open_fetcher(), (await serve(answer)).url())
    assert response.failure is FailureKind.PROTOCOL


async def test_the_connection_takes_too_long(open_fetcher: OpenFetcher, full_port: int) -> None:
    response = await fetch(await open_fetcher(connect_timeout=0.3), f"http://127.0.0.1:{full_port}/")
    assert response.failure is FailureKind.CONNECT_TIMEOUT
    assert 0.25 < response.elapsed < 5


async def test_the_first_byte_takes_too_long(open_fetcher: OpenFetcher, serve: Serve) -> None:
    server = await serve(never)
    response = await fetch(await open_fetcher(first_byte_timeout=0.3), server.url())
    assert response.failure is FailureKind.FIRST_BYTE_TIMEOUT
    assert 0.3 <= response.elapsed < 5
    assert "0.3 s" in response.detail


async def test_a_slow_body_is_not_silence(open_fetcher: OpenFetcher, serve: Serve) -> None:
    server = await serve(dripping)
    response = await fetch(await open_fetcher(first_byte_timeout=0.1, total_timeout=0.5), server.url())
    assert response.failure is FailureKind.BODY_TIMEOUT
    assert 0.45 < response.elapsed < 5


async def test_silence_is_counted_for_each_request(open_fetcher: OpenFetcher, serve: Serve) -> None:
    server = await serve(never)
    fetcher = await open_fetcher(first_byte_timeout=0.3)
    for token in range(5):
        fetcher.start(FetchRequest(token, server.url()))
        await asyncio.sleep(0.05)
    answers = await collect(fetcher, 5)
    assert {answer.failure for answer in answers.values()} == {FailureKind.FIRST_BYTE_TIMEOUT}
    assert all(0.3 <= answer.elapsed < 5 for answer in answers.values())


async def test_an_endless_body_ends_at_the_limit(open_fetcher: OpenFetcher, serve: Serve) -> None:
    response = await fetch(await open_fetcher(max_body_bytes=100_000), (await serve(endless)).url())
    assert (response.failure, response.body) == (FailureKind.TOO_LARGE, b"")
    assert "100,000 bytes" in response.detail


async def test_a_declared_size_above_the_limit_ends_it_before_the_body(
    open_fetcher: OpenFetcher, serve: Serve
) -> None:
    async def answer(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(HEAD + b"Content-Length: 1001\r\n\r\n")
        await writer.drain()
        await asyncio.Event().wait()

    fetcher = await open_fetcher(max_body_bytes=1000)
    assert (await fetch(fetcher, (await serve(answer)).url())).failure is FailureKind.TOO_LARGE


async def test_a_body_of_just_the_limit_is_taken(open_fetcher: OpenFetcher, serve: Serve) -> None:
    server = await serve(plain_answer(b"x" * 1000))
    assert len((await fetch(await open_fetcher(max_body_bytes=1000), server.url())).body) == 1000


async def test_a_decompression_bomb_ends_at_the_limit(open_fetcher: OpenFetcher, serve: Serve) -> None:
    bomb = gzip.compress(b"\0" * 50_000_000)
    server = await serve(plain_answer(bomb, "Content-Type: text/html", "Content-Encoding: gzip"))
    response = await fetch(await open_fetcher(max_body_bytes=1_000_000), server.url())
    assert response.failure is FailureKind.TOO_LARGE


async def test_a_handle_is_as_new_after_a_failure(open_fetcher: OpenFetcher, serve: Serve) -> None:
    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        if b"/endless" in request:
            await endless(request, writer)
        writer.write(HEAD + b"Content-Length: 2\r\n\r\nok")

    server = await serve(answer)
    fetcher = await open_fetcher(max_body_bytes=100_000)
    for _ in range(3):
        assert (await fetch(fetcher, server.url("/endless"))).failure is FailureKind.TOO_LARGE
        response = await fetch(fetcher, server.url("/"))
        assert (response.failure, response.detail, response.body) == (None, "", b"ok")


async def test_a_dead_host_does_not_slow_the_others_down(
    open_fetcher: OpenFetcher, serve: Serve, full_port: int
) -> None:
    server = await serve(plain_answer(b"ok"))
    fetcher = await open_fetcher()
    for token in range(400):
        fetcher.start(FetchRequest(1000 + token, f"http://127.0.0.1:{full_port}/{token}"))
    for token in range(100):
        fetcher.start(FetchRequest(token, server.url(f"/{token}")))
    answers = await collect(fetcher, 100)
    assert sorted(answers) == list(range(100))
    assert max(answer.elapsed for answer in answers.values()) < 5
