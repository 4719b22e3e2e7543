from itertools import pairwise

from crawlmesh.crawl.active_batch import ActiveBatch
from crawlmesh.crawl.dispatcher import BatchOver, Decision, Dispatcher, LinkRefused, PageStart, RobotsStart
from crawlmesh.crawl.host_gate import HostGate
from crawlmesh.model.host import HostState, RobotsFile
from crawlmesh.model.lease import HostBatch
from crawlmesh.model.link import LeasedLink
from crawlmesh.rules.robots import RobotsRules

ALLOWING = {"https": RobotsFile(0.0, 404, None), "http": RobotsFile(0.0, 404, None)}


def _batch(
    host: str,
    links: int,
    *,
    slots: int = 2,
    delay: float = 0.0,
    gate: HostGate | None = None,
    scheme: str = "https",
) -> ActiveBatch:
    state = HostState(host, delay=delay, robots=ALLOWING)
    leased = tuple(
        LeasedLink(number, "crawl", f"{scheme}://{host}/{number}", 0, 5, 1) for number in range(links)
    )
    return ActiveBatch(
        HostBatch(1, state, slots, 0.0, leased), gate or HostGate(state, "bot", 0.0), 2.0, 1_000.0, 20.0
    )


def _page(decision: Decision | None) -> str:
    assert isinstance(decision, PageStart)
    return decision.link.url


def test_hosts_take_turns() -> None:
    dispatcher = Dispatcher()
    for host in ("a", "b", "c"):
        dispatcher.offer(_batch(host, 2))
    urls = [_page(dispatcher.next(0.0)) for _ in range(6)]
    assert [url[8] for url in urls] == ["a", "b", "c", "a", "b", "c"]
    assert dispatcher.next(0.0) is None
    assert not dispatcher.has_ready


def test_no_more_requests_run_than_a_batch_has_slots() -> None:
    dispatcher = Dispatcher()
    batch = _batch("a", 5, slots=2)
    dispatcher.offer(batch)
    assert [_page(dispatcher.next(0.0))[-1] for _ in range(2)] == ["0", "1"]
    assert dispatcher.next(0.0) is None
    batch.under_way.pop()
    dispatcher.offer(batch)
    dispatcher.offer(batch)
    assert _page(dispatcher.next(0.0)).endswith("/2")
    assert dispatcher.next(0.0) is None


def test_a_delay_lies_between_two_starts_of_a_host_and_holds_up_no_other() -> None:
    dispatcher = Dispatcher()
    dispatcher.offer(_batch("a", 3, slots=4, delay=2.0))
    dispatcher.offer(_batch("b", 1))
    assert _page(dispatcher.next(10.0)) == "https://a/0"
    assert _page(dispatcher.next(10.0)) == "https://b/0"
    assert dispatcher.next(10.0) is None
    assert dispatcher.next_moment() == 12.0
    assert dispatcher.next(11.9) is None
    assert _page(dispatcher.next(12.0)) == "https://a/1"
    assert dispatcher.next(13.0) is None
    assert dispatcher.next_moment() == 14.0


def test_batches_of_one_host_share_its_delay() -> None:
    dispatcher = Dispatcher()
    first = _batch("a", 1, delay=2.0)
    dispatcher.offer(first)
    dispatcher.offer(_batch("a", 1, gate=first.gate))
    assert dispatcher.next(0.0) is not None
    assert dispatcher.next(1.0) is None
    assert dispatcher.next(2.0) is not None


def test_the_rate_over_all_hosts_is_kept() -> None:
    dispatcher = Dispatcher(requests_per_second=2.0)
    for host in ("a", "b", "c"):
        dispatcher.offer(_batch(host, 1))
    started = [now / 10 for now in range(40) if dispatcher.next(now / 10) is not None]
    assert len(started) == 3
    assert min(b - a for a, b in pairwise(started)) >= 0.5 - 1e-9


def test_a_rate_names_the_moment_of_the_next_request() -> None:
    dispatcher = Dispatcher(requests_per_second=2.0)
    dispatcher.offer(_batch("a", 2))
    assert dispatcher.next(10.0) is not None
    assert dispatcher.next(10.0) is None
    moment = dispatcher.next_moment()
    assert moment is not None
    assert dispatcher.next(max(moment, 10.5)) is not None


def test_robots_is_asked_for_once_and_its_batches_wait() -> None:
    dispatcher = Dispatcher()
    gate = HostGate(HostState("a"), "bot", 0.0)
    first, second = _batch("a", 1, gate=gate), _batch("a", 1, gate=gate)
    dispatcher.offer(first)
    dispatcher.offer(second)
    decision = dispatcher.next(0.0)
    assert isinstance(decision, RobotsStart)
    assert (decision.gate, decision.scheme) == (gate, "https")
    assert dispatcher.next(0.0) is None
    assert dispatcher.next_moment() is None
    gate.learn_robots("https", RobotsRules(404, None, "bot"), HostState("a"))
    dispatcher.robots_known(gate)
    assert isinstance(dispatcher.next(0.0), PageStart)
    assert isinstance(dispatcher.next(0.0), PageStart)


def test_robots_of_the_other_scheme_is_asked_for_too() -> None:
    dispatcher = Dispatcher()
    gate = HostGate(HostState("a", robots={"https": RobotsFile(0.0, 404, None)}), "bot", 0.0)
    dispatcher.offer(_batch("a", 1, gate=gate, scheme="http"))
    decision = dispatcher.next(0.0)
    assert isinstance(decision, RobotsStart)
    assert decision.scheme == "http"


def test_links_that_robots_forbids_are_refused() -> None:
    dispatcher = Dispatcher()
    file = RobotsFile(0.0, 200, "User-agent: *\nDisallow: /0")
    batch = _batch("a", 2, gate=HostGate(HostState("a", robots={"https": file}), "bot", 0.0))
    dispatcher.offer(batch)
    refused = dispatcher.next(0.0)
    assert isinstance(refused, LinkRefused)
    assert refused.link.url == "https://a/0"
    assert refused.rules is not None
    assert not refused.rules.unavailable
    assert _page(dispatcher.next(0.0)) == "https://a/1"
    assert batch.running == 1


def test_a_batch_that_closes_sends_nothing_more() -> None:
    dispatcher = Dispatcher()
    batch = _batch("a", 3)
    dispatcher.offer(batch)
    assert dispatcher.next(0.0) is not None
    batch.closing = True
    assert dispatcher.next(0.0) is None
    dispatcher.offer(batch)
    assert dispatcher.next(0.0) is None


def test_a_batch_that_would_only_wait_for_its_end_is_over() -> None:
    dispatcher = Dispatcher()
    batch = _batch("a", 2, delay=2_000.0)
    dispatcher.offer(batch)
    assert isinstance(dispatcher.next(0.0), PageStart)
    assert dispatcher.next(1.0) == BatchOver(batch)
    assert dispatcher.next(2.0) is None
