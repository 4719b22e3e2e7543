import asyncio
import http.client
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest

from crawlmesh.errors import SettingError
from crawlmesh.testing.demo_site import AccessLog, DemoSite, DemoSiteOptions
from tests.unit.testing.demo_site.fetching import fetch
from tests.unit.testing.demo_site.sizes import TINY


async def test_serves_while_the_loop_of_the_test_is_blocked() -> None:
    async with DemoSite(TINY) as site:
        assert fetch(site.portal_url).status == 200  # blocks the loop
        assert site.hosts == tuple(f"127.0.0.{number}:{site.manifest.port}" for number in (1, 2, 3))
    with pytest.raises(ConnectionRefusedError):
        await asyncio.to_thread(fetch, site.portal_url)


def test_start_and_stop_twice() -> None:
    before = set(threading.enumerate())
    site = DemoSite(TINY)
    site.stop()
    site.start()
    site.start()
    started = set(threading.enumerate()) - before
    assert [thread.name for thread in started] == ["demo-site"]
    site.stop()
    site.stop()
    assert not any(thread.is_alive() for thread in started)


def test_a_port_in_use_is_refused() -> None:
    with DemoSite(TINY) as site, pytest.raises(SettingError, match="cannot listen on port"):
        DemoSite(TINY, port=site.manifest.port).start()


def test_a_free_port_is_free_on_all_addresses() -> None:
    with DemoSite(TINY) as site, DemoSite(TINY) as other:
        assert site.manifest.port != other.manifest.port


@pytest.mark.parametrize("target", ["/hanging", "/endless"])
def test_stops_in_spite_of_open_answers(target: str) -> None:
    with DemoSite(TINY) as site:
        address, port = site.hosts[1].split(":")
        connection = http.client.HTTPConnection(address, int(port), timeout=20)
        connection.request("GET", target)
        if target == "/endless":
            response = connection.getresponse()
            assert len(response.read(1_000_000)) == 1_000_000
            response.close()
        else:
            while not site.log.requests(site.hosts[1]):
                fetch(site.portal_url)
    connection.close()
    assert site.log.requests(site.hosts[1])[0].status == (200 if target == "/endless" else 0)


def test_failing_once_survives_a_restart(tmp_path: Path) -> None:
    path = tmp_path / "first-times"
    with DemoSite(TINY, first_times=path) as site:
        port = site.manifest.port
        assert fetch(f"http://{site.hosts[1]}/flaky/1").status == 503
    with DemoSite(TINY, first_times=path, port=port) as site:
        assert fetch(f"http://{site.hosts[1]}/flaky/1").status == 200
        assert fetch(f"http://{site.hosts[1]}/flaky/3").status == 503


def test_log_queries(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    with DemoSite(TINY, access_log=path) as site:
        host, other = site.hosts[1], site.hosts[2]
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(fetch, [f"http://{host}/slow"] * 3))
        fetch(f"http://{host}/search?utm_source=x&b=2&a=1", {"User-Agent": "tester"})
        fetch(f"http://{host}/private/")
        for target in ("/robots.txt", "/", "/missing"):
            fetch(f"http://{other}{target}")
    for log in (site.log, AccessLog.read(path)):
        assert log.paths(other) == ["/robots.txt", "/", "/missing"]
        assert [request.status for request in log.requests(other)] == [200, 200, 404]
        assert log.requests(host)[3].start.user_agent == "tester"
        counts = log.fetch_counts()
        assert (counts[f"http://{host}/slow"], counts[f"http://{host}/search?a=1&b=2"]) == (3, 1)
        assert log.fetch_counts(tracking_ignored=False)[f"http://{host}/search?a=1&b=2&utm_source=x"] == 1
        assert (log.max_concurrency(host), log.max_concurrency(other)) == (3, 1)
        assert [request.start.target for request in log.disallowed_requests(site.manifest)] == ["/private/"]
        starts = [request.start for request in log.requests(other)]
        gaps = [b.monotonic - a.monotonic + a.late for a, b in pairwise(starts)]
        assert log.min_gap(other) == gaps[1]
        assert log.min_gap(other, with_robots=True) == min(gaps)
        assert log.min_gap(site.hosts[0]) is None


def test_latency_shows_requests_that_run_at_once() -> None:
    with DemoSite(DemoSiteOptions(shops=1, products=2, latency=0.3)) as site:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(fetch, [site.portal_url] * 4))
        assert site.log.max_concurrency(site.hosts[0]) == 4


def test_a_log_that_was_cut_off_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "access.log"
    for _ in range(2):  # two runs of a server share the file
        log = AccessLog(path)
        log.end(log.start("h", "GET", "/1", "http://h/1", ""), 200)
        log.start("h", "GET", "/2", "http://h/2", "")
        log.close()
    with path.open("ab") as file:
        file.write(b'{"event":"start","ru')
    read = AccessLog.read(path)
    assert [request.status for request in read.requests()] == [200, None, 200, None]
    assert read.max_concurrency("h") == 1
    assert read.fetch_counts() == {"http://h/1": 2, "http://h/2": 2}


def test_is_reached_by_the_address_whatever_the_host_header() -> None:
    with DemoSite(TINY) as site:
        fetched = fetch(f"http://{site.hosts[1]}/", {"Host": "shop.example"})
        assert b"Welcome to Shop 1" in fetched.body


def test_listens_on_loopback_addresses_only() -> None:
    with DemoSite(TINY) as site, socket.socket() as client:
        assert client.connect_ex(("127.0.0.99", site.manifest.port)) != 0
