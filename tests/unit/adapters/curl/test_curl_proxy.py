import asyncio
import base64

import pytest

from crawlmesh.model.page import FailureKind
from crawlmesh.testing.conformance.fetcher import fetch, never, plain_answer
from tests.unit.adapters.curl.kit import OpenFetcher, Serve, header_of


async def test_requests_go_through_the_proxy_which_may_be_private(
    open_fetcher: OpenFetcher, serve: Serve
) -> None:
    proxy = await serve(plain_answer(b"by proxy", "Content-Type: text/html"))
    address = proxy.url("").replace("http://", "http://user:word@")
    fetcher = await open_fetcher(proxy=address, allow_private_networks=False)
    response = await fetch(fetcher, "http://example.invalid/page")
    assert response.body == b"by proxy"
    assert proxy.requests[0].startswith(b"GET http://example.invalid/page HTTP/1.1")
    assert (
        header_of(proxy.requests[0], "proxy-authorization")
        == "Basic " + base64.b64encode(b"user:word").decode()
    )


@pytest.mark.parametrize("host", ["127.0.0.1", "169.254.169.254", "0x7f.1", "[::1]", "localhost"])
async def test_private_addresses_are_not_asked_for_through_a_proxy(
    open_fetcher: OpenFetcher, serve: Serve, host: str
) -> None:
    proxy = await serve(plain_answer(b"secret"))
    fetcher = await open_fetcher(proxy=proxy.url(""), allow_private_networks=False)
    response = await fetch(fetcher, f"http://{host}/")
    assert response.failure is FailureKind.PRIVATE_ADDRESS
    assert proxy.requests == []


async def test_a_dead_proxy(open_fetcher: OpenFetcher) -> None:
    response = await fetch(await open_fetcher(proxy="http://127.0.0.1:1"), "http://example.invalid/")
    assert response.failure is FailureKind.PROXY


async def test_a_proxy_whose_name_does_not_resolve(open_fetcher: OpenFetcher) -> None:
    response = await fetch(await open_fetcher(proxy="socks5://proxy.invalid:1080"), "http://127.0.0.1/")
    assert response.failure is FailureKind.PROXY


async def test_a_proxy_that_refuses_a_tunnel(open_fetcher: OpenFetcher, serve: Serve) -> None:
    proxy = await serve(plain_answer(b"", status="407 Proxy Authentication Required"))
    response = await fetch(await open_fetcher(proxy=proxy.url("")), "https://example.invalid/")
    assert response.failure is FailureKind.PROXY
    assert proxy.requests[0].startswith(b"CONNECT example.invalid:443")


async def test_a_proxy_that_is_silent_about_a_tunnel(open_fetcher: OpenFetcher, serve: Serve) -> None:
    proxy = await serve(never)
    fetcher = await open_fetcher(proxy=proxy.url(""), connect_timeout=0.3)
    async with asyncio.timeout(10):
        response = await fetch(fetcher, "https://example.invalid/")
    assert response.failure is FailureKind.CONNECT_TIMEOUT
    assert "through the proxy" in response.detail
