import asyncio
import gzip
from pathlib import Path

import pytest

from crawlmesh.model.page import FailureKind, FetchRequest
from crawlmesh.testing.conformance.fetcher import collect, fetch, plain_answer
from tests.unit.adapters.curl.kit import OpenFetcher, Serve, header_of

HTML = "Content-Type: text/html"


def open_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


async def test_one_connection_serves_requests_in_sequence(open_fetcher: OpenFetcher, serve: Serve) -> None:
    server = await serve(plain_answer(b"ok", HTML))
    fetcher = await open_fetcher()
    for number in range(10):
        assert (await fetch(fetcher, server.url(f"/{number}"))).status == 200
    assert (server.connections, len(server.requests)) == (1, 10)


async def test_the_body_is_decompressed(open_fetcher: OpenFetcher, serve: Serve) -> None:
    server = await serve(plain_answer(gzip.compress(b"hello" * 1000), HTML, "Content-Encoding: gzip"))
    response = await fetch(await open_fetcher(), server.url())
    assert response.body == b"hello" * 1000
    assert "gzip" in (header_of(server.requests[0], "accept-encoding") or "")


async def test_large_bodies_come_whole(open_fetcher: OpenFetcher, serve: Serve) -> None:
    body = bytes(range(256)) * 20_000
    server = await serve(plain_answer(body, HTML))
    assert (await fetch(await open_fetcher(), server.url())).body == body


async def test_interim_answers_trailers_and_odd_bytes(open_fetcher: OpenFetcher, serve: Serve) -> None:
    async def answer(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 103 Early Hints\r\nLink: </a.css>\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\nX-A: caf\xe9\r\nX-A: 2\r\nTransfer-Encoding: chunked\r\n\r\n")
        writer.write(b"5\r\nhello\r\n0\r\nX-Trailer: 1\r\n\r\n")

    server = await serve(answer)
    response = await fetch(await open_fetcher(), server.url())
    assert (response.status, response.body) == (200, b"hello")
    assert response.headers == (("x-a", "café"), ("x-a", "2"), ("transfer-encoding", "chunked"))


async def test_http_1_0_until_the_connection_closes(open_fetcher: OpenFetcher, serve: Serve) -> None:
    async def answer(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.0 200 OK\r\n\r\nold")
        writer.close()

    response = await fetch(await open_fetcher(), (await serve(answer)).url())
    assert (response.http_version, response.body, response.failure) == ("1.0", b"old", None)


@pytest.mark.parametrize("status", ["204 No Content", "304 Not Modified"])
async def test_answers_without_a_body(open_fetcher: OpenFetcher, serve: Serve, status: str) -> None:
    async def answer(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(f"HTTP/1.1 {status}\r\n\r\n".encode())

    response = await fetch(await open_fetcher(), (await serve(answer)).url())
    assert (response.failure, response.status, response.body) == (None, int(status[:3]), b"")


async def test_a_useless_type_is_known_at_the_header(open_fetcher: OpenFetcher, serve: Serve) -> None:
    async def answer(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 999999999999\r\nContent-Type: video/mp4\r\n\r\n")
        await writer.drain()
        await asyncio.Event().wait()

    response = await fetch(await open_fetcher(), (await serve(answer)).url())
    assert (response.failure, response.status, response.truncated, response.body) == (None, 200, True, b"")


async def test_without_a_type_the_body_is_read(open_fetcher: OpenFetcher, serve: Serve) -> None:
    response = await fetch(await open_fetcher(), (await serve(plain_answer(b"?"))).url())
    assert (response.body, response.truncated) == (b"?", False)


async def test_nothing_leaks_from_one_request_to_the_next(open_fetcher: OpenFetcher, serve: Serve) -> None:
    server = await serve(plain_answer(b"ok", HTML))
    fetcher = await open_fetcher(user_agent="me")
    with_user = server.url().replace("http://", "http://user:password@")
    await fetch(fetcher, with_user, headers=(("X-Own", "1"), ("User-Agent", "other")))
    await fetch(fetcher, server.url())
    first, second = server.requests
    assert header_of(first, "authorization")
    assert (header_of(first, "x-own"), header_of(first, "user-agent")) == ("1", "other")
    assert header_of(second, "authorization") is None
    assert (header_of(second, "x-own"), header_of(second, "user-agent")) == (None, "me")


async def test_an_unsendable_header_is_a_failure(open_fetcher: OpenFetcher) -> None:
    response = await fetch(await open_fetcher(), "http://127.0.0.1/", headers=(("X", "a\r\nb"),))
    assert response.failure is FailureKind.BAD_URL
    assert "'X'" in response.detail


async def test_odd_urls_are_sent_as_a_browser_sends_them(open_fetcher: OpenFetcher, serve: Serve) -> None:
    server = await serve(plain_answer(b"ok", HTML))
    fetcher = await open_fetcher()
    for path in ("/straße ü", "/\ud800", "/a%zz|{}", "/%ff", "/?q=<>\"'"):
        assert (await fetch(fetcher, server.url(path))).status == 200
    assert server.requests[0].startswith(b"GET /stra%C3%9Fe%20%C3%BC HTTP/1.1")
    assert server.requests[2].startswith(b"GET /a%zz|{} HTTP/1.1")


async def test_proxy_variables_of_the_environment_are_not_read(
    open_fetcher: OpenFetcher, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:1")
    monkeypatch.setenv("all_proxy", "http://127.0.0.1:1")
    server = await serve(plain_answer(b"ok", HTML))
    assert (await fetch(await open_fetcher(), server.url())).status == 200


async def test_a_kept_connection_that_the_server_closed_is_replaced(
    open_fetcher: OpenFetcher, serve: Serve
) -> None:
    async def answer(_: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
        await writer.drain()
        writer.close()

    server = await serve(answer)
    fetcher = await open_fetcher()
    for _ in range(5):
        assert (await fetch(fetcher, server.url())).body == b"ok"
        await asyncio.sleep(0.01)
    assert server.connections == 5


async def test_closing_leaves_nothing_behind(open_fetcher: OpenFetcher, serve: Serve) -> None:
    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n")
        if b"slow" not in request:
            writer.write(b"ok")

    server = await serve(answer)
    descriptors = open_descriptors()
    tasks = asyncio.all_tasks()
    fetcher = await open_fetcher()
    for token in range(50):
        fetcher.start(FetchRequest(token, server.url("/slow" if token % 2 else "/fast")))
    await collect(fetcher, 25)
    await fetcher.aclose()
    await server.all_connections_closed()
    await asyncio.sleep(0)
    assert open_descriptors() <= descriptors
    assert asyncio.all_tasks() <= tasks
