from itertools import pairwise

import msgspec
import pytest

from crawlmesh.model.page import FailureKind
from crawlmesh.testing.scripted_fetcher import failing, html, status
from tests.unit.crawl.kit import CrawlKit

A = "https://a.example"
B = "https://b.example"


def _gaps(starts: list[float]) -> list[float]:
    return [later - earlier for earlier, later in pairwise(starts)]


async def test_no_more_requests_run_at_once_than_allowed() -> None:
    kit = CrawlKit(concurrency=7, per_host=3, batch_slots=2)
    hosts = [f"h{number}.example" for number in range(5)]
    for host in hosts:
        kit.web.serve(f"https://{host}/", html(*(f"/{number}" for number in range(30))))
        kit.web.serve_all({f"https://{host}/{number}": html(takes=0.5) for number in range(30)})
    progress = await kit.crawl(*(f"https://{host}/" for host in hosts))
    assert progress.done == 5 * 31
    assert kit.web.most_over_all == 7
    assert max(kit.web.most_at_once.values()) == 3


async def test_all_slots_of_a_host_are_used() -> None:
    kit = CrawlKit(per_host=6, batch_slots=2)
    kit.web.serve(f"{A}/", html(*(f"/{number}" for number in range(200))))
    kit.web.serve_all({f"{A}/{number}": html(takes=0.5) for number in range(200)})
    await kit.crawl(f"{A}/")
    assert kit.web.most_at_once["a.example"] == 6


async def test_the_configured_delay_lies_between_all_request_starts() -> None:
    kit = CrawlKit(delay=2.0)
    kit.web.serve(f"{A}/", html(*(f"/{number}" for number in range(10))))
    kit.web.serve_all({f"{A}/{number}": html(takes=5.0) for number in range(10)})
    await kit.crawl(f"{A}/", limits={"default_delay": 2.0})
    starts = kit.web.starts("a.example")
    assert len(starts) == 12
    assert min(_gaps(starts)) >= 2.0


async def test_the_delay_counts_from_when_a_request_went_out() -> None:
    kit = CrawlKit(delay=2.0)
    slowly = msgspec.structs.replace(html("/next"), takes=1.6, connecting=1.5)  # a handshake that takes long
    kit.web.serve_all({f"{A}/robots.txt": status(404), f"{A}/": slowly, f"{A}/next": html()})
    await kit.crawl(f"{A}/", limits={"default_delay": 2.0})
    sent = {request.url: request.at for request in kit.web.requests}
    assert sent[f"{A}/next"] - (sent[f"{A}/"] + 1.5) >= 2.0


async def test_delays_of_hosts_do_not_add_up() -> None:
    kit = CrawlKit(delay=10.0)
    hosts = [f"https://h{number}.example" for number in range(20)]
    for host in hosts:
        kit.web.serve(f"{host}/", html("/1"))
        kit.web.serve(f"{host}/1", html())
    await kit.crawl(*(f"{host}/" for host in hosts), limits={"default_delay": 10.0})
    assert len(kit.web.requests) == 60
    assert max(sent.at for sent in kit.web.requests) < 35


async def test_the_rate_over_all_hosts_is_kept() -> None:
    kit = CrawlKit(requests_per_second=4.0)
    kit.web.serve_all({f"https://h{number}.example/": html() for number in range(10)})
    await kit.crawl(*(f"https://h{number}.example/" for number in range(10)))
    assert len(kit.web.requests) == 20
    assert min(_gaps([sent.at for sent in kit.web.requests])) >= 0.25 - 1e-9


@pytest.mark.parametrize("failure", [FailureKind.CONNECT_TIMEOUT, FailureKind.DNS, FailureKind.CONNECT])
async def test_a_dead_host_does_not_hold_up_the_others(failure: FailureKind) -> None:
    kit = CrawlKit(concurrency=4, per_host=2)
    dead = [f"https://dead.example/{number}" for number in range(30)]
    kit.web.serve("https://dead.example/robots.txt", status(404))
    for url in dead:
        kit.web.serve(url, failing(failure, takes=10.0))
    kit.web.serve(f"{A}/", html(*(f"/{number}" for number in range(50))))
    kit.web.serve_all({f"{A}/{number}": html(takes=0.1) for number in range(50)})
    await kit.crawl(*dead, f"{A}/")
    alive = kit.web.starts("a.example")
    assert len(alive) == 52
    assert max(alive) < 20


async def test_a_slow_host_does_not_hold_up_the_others() -> None:
    kit = CrawlKit(concurrency=4, per_host=2)
    slow = [f"https://slow.example/{number}" for number in range(20)]
    kit.web.serve_all({url: html(takes=60.0) for url in slow})
    kit.web.serve(f"{A}/", html(*(f"/{number}" for number in range(50))))
    kit.web.serve_all({f"{A}/{number}": html(takes=0.1) for number in range(50)})
    progress = await kit.crawl(*slow, f"{A}/")
    assert progress.pages == 71
    assert max(kit.web.starts("a.example")) < 60
    assert len(kit.web.starts("slow.example")) == 21


async def test_the_engine_waits_while_all_connections_are_busy_and_its_buffer_is_full() -> None:
    kit = CrawlKit(concurrency=3, per_host=2)
    slow = [f"https://slow.example/{number}" for number in range(20)]
    kit.web.serve_all({url: html(takes=60.0) for url in slow})
    kit.web.serve_all({f"{A}/": html("/1", takes=1.0), f"{A}/1": html(takes=60.0)})
    await kit.crawl(*slow, f"{A}/")
    assert kit.web.spins < 100


async def test_retry_after_pauses_that_host_only() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/", html(*(f"/{number}" for number in range(8))))
    kit.web.serve_all({f"{A}/{number}": html() for number in range(8)})
    kit.web.serve(f"{A}/0", status(429, retry_after="50"), html())
    kit.web.serve(f"{B}/", html(*(f"/{number}" for number in range(100))))
    kit.web.serve_all({f"{B}/{number}": html(takes=0.2) for number in range(100)})
    progress = await kit.crawl(f"{A}/", f"{B}/")
    refused = kit.web.start_of(f"{A}/0")
    after = [start for start in kit.web.starts("a.example") if start > refused + 0.2]
    assert after
    assert min(after) >= refused + 50.0
    assert max(kit.web.starts("b.example")) < 20
    assert progress.dead == 0


async def test_a_batch_that_met_429_is_settled_early() -> None:
    kit = CrawlKit(settle_after=1_000.0, lease_duration=10_000.0)
    kit.web.serve(f"{A}/", html(*(f"/{number}" for number in range(20))))
    kit.web.serve_all({f"{A}/{number}": html() for number in range(20)})
    kit.web.serve(f"{A}/0", status(429, retry_after="50"), html())
    await kit.crawl(f"{A}/")
    rested = [settled for settled in kit.store.settled if settled.report.rest]
    assert [settled.report.rest for settled in rested] == [50.0]
    assert kit.store.taken == [True] * len(kit.store.taken)


async def test_pressure_slows_down_and_eases_again() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/", html(*(f"/{number}" for number in range(30))))
    kit.web.serve_all({f"{A}/{number}": html() for number in range(30)})
    kit.web.serve(f"{A}/0", status(503), html())
    await kit.crawl(f"{A}/")
    (host,) = await kit.store.hosts("crawl")
    assert host.state.pressure == 0.0
    assert host.state.delay == 0.0
    assert not host.state.exclusive


async def test_connection_failures_in_a_row_let_a_host_rest() -> None:
    kit = CrawlKit(per_host=1, batch_slots=1)
    kit.web.serve(f"{A}/", html(*(f"/{number}" for number in range(5))))
    kit.web.serve_all({f"{A}/{number}": failing(FailureKind.CONNECT) for number in range(5)})
    await kit.crawl(f"{A}/")
    assert max(_gaps(kit.web.starts("a.example"))) >= 30


async def test_the_links_of_a_dead_host_are_given_up_without_asking() -> None:
    kit = CrawlKit(per_host=1, batch_slots=1)
    kit.web.serve(f"{A}/", html(*(f"/{number}" for number in range(300))))
    kit.web.serve_all({f"{A}/{number}": failing(FailureKind.CONNECT) for number in range(300)})
    progress = await kit.crawl(f"{A}/")
    assert progress.by_reason["host_down"] > 250
    assert progress.dead == 300
    assert len(kit.web.requests) < 30
