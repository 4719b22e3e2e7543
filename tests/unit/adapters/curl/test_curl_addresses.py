import pytest

from crawlmesh.adapters.curl.addresses import is_private_address, is_private_host
from crawlmesh.adapters.curl.urls import host_of
from crawlmesh.model.page import FailureKind
from crawlmesh.testing.conformance.fetcher import fetch, never, plain_answer
from tests.unit.adapters.curl.kit import OpenFetcher, Serve

PRIVATE = (
    "0.0.0.0", "10.1.2.3", "100.64.0.1", "100.100.100.200", "127.0.0.1", "127.9.9.9", "169.254.169.254",
    "172.16.0.1", "172.31.255.255", "192.0.0.192", "192.168.1.1", "198.18.0.1", "203.0.113.9", "224.0.0.1",
    "239.255.255.255", "240.0.0.1", "255.255.255.255", "::", "::1", "::ffff:127.0.0.1", "::ffff:10.0.0.1",
    "::127.0.0.1", "64:ff9b::7f00:1", "64:ff9b:1::1", "100::1", "2001::1", "2001:db8::1", "2002:7f00:1::",
    "fc00::1", "fd00:ec2::254", "fe80::1", "fe80::1%eth0", "fec0::1", "ff02::1", "not an address",
)  # fmt: skip
PUBLIC = (
    "1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.0.1", "172.32.0.1", "192.0.1.1",
    "::ffff:8.8.8.8", "64:ff9b::808:808", "2002:808:808::1", "2001:4860:4860::8888", "2606:4700::1111",
)  # fmt: skip


@pytest.mark.parametrize("address", PRIVATE)
def test_private(address: str) -> None:
    assert is_private_address(address)


@pytest.mark.parametrize("address", PUBLIC)
def test_public(address: str) -> None:
    assert not is_private_address(address)


@pytest.mark.parametrize(
    "host", ["127.0.0.1", "127.1", "0x7f.1", "2130706433", "0177.0.0.1", "[::1]", "localhost", "a.localhost."]
)
def test_every_spelling_of_a_private_host(host: str) -> None:
    assert is_private_host(host_of(f"http://{host}/"))


def test_names_and_public_addresses_are_not_private_hosts() -> None:
    assert not is_private_host("example.org")
    assert not is_private_host("8.8.8.8")


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "2130706433", "0", "[::ffff:127.0.0.1]", "[::1]"])
async def test_a_private_address_is_refused_before_anything_is_sent(
    open_fetcher: OpenFetcher, serve: Serve, host: str
) -> None:
    server = await serve(never)
    fetcher = await open_fetcher(allow_private_networks=False)
    response = await fetch(fetcher, server.url(host=host))
    assert response.failure is FailureKind.PRIVATE_ADDRESS
    assert "--allow-private" in response.detail
    assert server.connections == 0


async def test_the_refusal_names_the_address(open_fetcher: OpenFetcher, serve: Serve) -> None:
    server = await serve(never)
    fetcher = await open_fetcher(allow_private_networks=False)
    response = await fetch(fetcher, server.url(host="localhost"))
    assert "localhost" in response.detail
    assert "127.0.0.1" in response.detail or "::1" in response.detail


async def test_a_refusal_does_not_stick_to_the_next_request(open_fetcher: OpenFetcher, serve: Serve) -> None:
    server = await serve(plain_answer(b"ok"))
    fetcher = await open_fetcher(allow_private_networks=False)
    assert (await fetch(fetcher, server.url())).failure is FailureKind.PRIVATE_ADDRESS
    assert (await fetch(fetcher, "http://name.invalid/")).failure is FailureKind.DNS


async def test_sockets_opened_by_the_guard_work(
    open_fetcher: OpenFetcher, serve: Serve, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("crawlmesh.adapters.curl.addresses.is_private_address", lambda _: False)
    server = await serve(plain_answer(b"ok"))
    fetcher = await open_fetcher(allow_private_networks=False)
    assert (await fetch(fetcher, server.url())).body == b"ok"
    assert (await fetch(fetcher, server.url())).body == b"ok"
    assert server.connections == 1
