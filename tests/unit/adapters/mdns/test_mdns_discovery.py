import pytest
from zeroconf.asyncio import AsyncZeroconf

from crawlmesh.adapters.mdns import MdnsDiscovery

LOOPBACK = ["127.0.0.1"]


@pytest.fixture
def impossible(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_arguments: object, **_keywords: object) -> AsyncZeroconf:
        raise OSError("Network is unreachable")

    monkeypatch.setattr("crawlmesh.adapters.mdns.discovery.AsyncZeroconf", refuse)


async def test_who_listens_hears_of_a_master_that_announced_itself() -> None:
    master, worker = MdnsDiscovery(LOOPBACK), MdnsDiscovery(LOOPBACK)
    try:
        if not await master.announce(["127.0.0.1"], 8000, tls=False):
            pytest.skip("this machine does not allow multicast")
        assert await worker.find(5.0) == ["http://127.0.0.1:8000"]
    finally:
        await master.aclose()
        await worker.aclose()
    await master.aclose()


async def test_a_master_with_tls_is_announced_as_such() -> None:
    master = MdnsDiscovery(LOOPBACK)
    try:
        if not await master.announce(["127.0.0.1"], 8443, tls=True):
            pytest.skip("this machine does not allow multicast")
        assert await MdnsDiscovery(LOOPBACK).find(5.0) == ["https://127.0.0.1:8443"]
    finally:
        await master.aclose()


@pytest.mark.usefixtures("impossible")
async def test_a_network_without_multicast_fails_nothing() -> None:
    discovery = MdnsDiscovery()
    assert not await discovery.announce(["10.0.0.1"], 8000, tls=False)
    assert await discovery.find(0.1) == []
    await discovery.aclose()


async def test_silence_ends_the_listening() -> None:
    assert await MdnsDiscovery(LOOPBACK).find(0.01) == []
