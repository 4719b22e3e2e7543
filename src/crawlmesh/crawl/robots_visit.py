"""Reading robots.txt before the first page of a host."""

import heapq
from collections.abc import Callable

import msgspec

from crawlmesh.crawl.dispatcher import Dispatcher
from crawlmesh.crawl.engine_options import EngineOptions
from crawlmesh.crawl.extraction import Document
from crawlmesh.crawl.host_gate import HostGate
from crawlmesh.crawl.lease_keeper import LeaseKeeper
from crawlmesh.model.host import RobotsFile
from crawlmesh.model.link import LeasedLink
from crawlmesh.model.page import FetchRequest, FetchResponse
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.fetcher import Fetcher
from crawlmesh.rules.politeness import after_response, with_robots
from crawlmesh.rules.retry_delay import retry_after
from crawlmesh.rules.robots import RobotsRules
from crawlmesh.rules.whatwg_parser import resolve_href

_MOST_REDIRECTS = 5  # as RFC 9309 asks for
_REMEMBERED_FAILURES = 10_000  # hosts


class _UnderWay(msgspec.Struct):
    gate: HostGate
    scheme: str
    redirects: int = 0


class RobotsVisit:
    """Fetches robots.txt files, and says what a host's links wait for when it cannot be had."""

    def __init__(
        self,
        fetcher: Fetcher,
        clock: Clock,
        options: EngineOptions,
        dispatcher: Dispatcher,
        keeper: LeaseKeeper,
    ) -> None:
        self._fetcher = fetcher
        self._clock = clock
        self._options = options
        self._dispatcher = dispatcher
        self._keeper = keeper
        self._under_way: dict[int, _UnderWay] = {}
        self._failures: dict[str, FetchResponse] = {}  # why a host's file could not be had
        self._later: list[tuple[float, int, str]] = []  # moment, token and URL of redirects that must wait

    @property
    def running(self) -> int:
        """Requests under way."""
        return len(self._under_way)

    def request(self, gate: HostGate, scheme: str, token: int) -> None:
        """Ask a host for its robots.txt."""
        self._under_way[token] = _UnderWay(gate, scheme)
        self._start(token, f"{scheme}://{gate.state.host}/robots.txt")

    def receive(self, response: FetchResponse, next_token: Callable[[], int]) -> None:
        """Take an answer, or follow where it leads."""
        under_way = self._under_way.pop(response.token, None)
        if under_way is None:
            return
        location = response.header("location") if 300 <= response.status < 400 else None
        target = resolve_href(location, response.url) if location else None
        if target and under_way.redirects < _MOST_REDIRECTS:
            under_way.redirects += 1
            self._follow(under_way, target, next_token())
            return
        self._finish(under_way, response)

    def start_due(self, now: float) -> None:
        """Send what had to wait for its host's delay."""
        while self._later and self._later[0][0] <= now:
            _, token, url = heapq.heappop(self._later)
            self._under_way[token].gate.started(now)
            self._start(token, url)

    def next_moment(self) -> float | None:
        """When `start_due` has something to send."""
        return self._later[0][0] if self._later else None

    def failure(self, gate: HostGate, link: LeasedLink) -> FetchResponse:
        """The answer that stands for a page whose robots.txt cannot be had."""
        response = self._failures.get(gate.state.host)
        return response or FetchResponse(0, link.url, 503)

    def _follow(self, under_way: _UnderWay, url: str, token: int) -> None:
        self._under_way[token] = under_way
        heapq.heappush(self._later, (under_way.gate.next_start, token, url))
        self.start_due(self._clock.monotonic())

    def _start(self, token: int, url: str) -> None:
        self._fetcher.start(FetchRequest(token, url, accept_types=False))

    def _finish(self, under_way: _UnderWay, response: FetchResponse) -> None:
        text = None
        if 200 <= response.status < 300:
            text = Document(response.body, response.header("content-type"), response.url).text
        status = None if response.failure else response.status
        if 300 <= response.status < 400:
            status = 404
        if status is None or status >= 500 or status == 429:
            self._give_up(under_way, response)
            return
        self._learn(under_way.gate, under_way.scheme, RobotsFile(self._clock.now(), status, text))

    def _give_up(self, under_way: _UnderWay, response: FetchResponse) -> None:
        """Nothing is known of the file, so nothing is kept; it is asked for again with the next lease."""
        gate = under_way.gate
        if len(self._failures) >= _REMEMBERED_FAILURES:
            self._failures.clear()
        self._failures[gate.state.host] = FetchResponse(
            0, response.url, response.status, failure=response.failure
        )
        state, rest = after_response(
            gate.state,
            response.status,
            response.failure,
            retry_after(response, self._clock.now()),
            gate.pace.delay,
            self._options.politeness,
        )
        gate.learn_robots(under_way.scheme, RobotsRules(None, None, self._options.robots_agent), state)
        gate.rest(self._clock.monotonic(), rest)
        self._dispatcher.robots_known(gate)

    def _learn(self, gate: HostGate, scheme: str, file: RobotsFile) -> None:
        rules = RobotsRules(file.status, file.text, self._options.robots_agent)
        state = with_robots(
            gate.state,
            scheme,
            file,
            rules.crawl_delay() or 0.0,
            gate.pace.delay,
            gate.pace.per_host,
            self._options.politeness,
        )
        gate.learn_robots(scheme, rules, state)
        gate.rest(self._clock.monotonic(), gate.delay)
        self._keeper.host_learnt(gate)
        self._dispatcher.robots_known(gate)
