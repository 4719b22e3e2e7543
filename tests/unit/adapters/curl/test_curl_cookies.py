import asyncio

from crawlmesh.testing.conformance.fetcher import fetch, plain_answer
from tests.unit.adapters.curl.kit import OpenFetcher, Serve, header_of


async def test_cookies_belong_to_a_crawl(open_fetcher: OpenFetcher, serve: Serve) -> None:
    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        cookie = b"Set-Cookie: session=1; Path=/\r\n" if b"/login" in request else b""
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + cookie + b"\r\n")

    server = await serve(answer)
    fetcher = await open_fetcher()
    await fetch(fetcher, server.url("/login"), crawl_id="one")
    await fetch(fetcher, server.url("/a"), crawl_id="one")
    await fetch(fetcher, server.url("/b"), crawl_id="two")
    await fetch(fetcher, server.url("/c"), crawl_id="one")
    cookies = [header_of(request, "cookie") for request in server.requests]
    assert cookies == [None, "session=1", None, "session=1"]


async def test_initial_cookies_go_to_every_host_and_can_be_replaced(
    open_fetcher: OpenFetcher, serve: Serve
) -> None:
    async def answer(request: bytes, writer: asyncio.StreamWriter) -> None:
        cookie = b"Set-Cookie: a=new; Path=/\r\n" if b"/change" in request else b""
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n" + cookie + b"\r\n")

    server = await serve(answer)
    fetcher = await open_fetcher(cookies=("a=1", "b=2; host=localhost"))
    urls = [server.url(), server.url(host="localhost"), server.url("/change"), server.url("/after")]
    for url in urls:
        await fetch(fetcher, url, crawl_id="one")
    await fetch(fetcher, server.url(), crawl_id="two")
    cookies = [header_of(request, "cookie") or "" for request in server.requests]
    assert [sorted(cookie.split("; ")) for cookie in cookies] == [
        ["a=1"],
        ["a=1", "b=2"],
        ["a=1"],
        ["a=new"],
        ["a=1"],
    ]


async def test_many_crawls_do_not_pile_up(open_fetcher: OpenFetcher, serve: Serve) -> None:
    server = await serve(plain_answer(b"ok"))
    fetcher = await open_fetcher()
    fetcher._jars._limit = 3
    for number in range(10):
        assert (await fetch(fetcher, server.url(), crawl_id=str(number))).status == 200
    assert len(fetcher._jars._jars) == 3
