"""Servers in memory: scripted answers on a manual clock, so that tests need no network and no time."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import urlsplit

import msgspec

from crawlmesh.model.page import FailureKind, FetchRequest, FetchResponse
from crawlmesh.testing.manual_clock import ManualClock

_TURNS = 8  # of the event loop, in which calls to a store in memory come back
_ROUNDING = 1e-6  # seconds that sums of floating point numbers may be off
_SPIN = 0.001  # seconds
_LONGEST_CRAWL = 1_000_000.0  # seconds on the manual clock; a crawl that takes longer does not end


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What a server answers, and how many seconds it takes to."""

    status: int = 200
    headers: tuple[tuple[str, str], ...] = ()  # names in lower case
    body: bytes = b""
    failure: FailureKind | None = None
    takes: float = 0.01
    truncated: bool = False
    connecting: float = 0.0  # seconds of `takes` that pass before the request goes out


class SentRequest(msgspec.Struct, frozen=True):
    """A request as the server saw it."""

    at: float  # on the monotonic clock
    url: str
    headers: Mapping[str, str]

    @property
    def host(self) -> str:
        """Host and port."""
        return urlsplit(self.url).netloc


def html(*hrefs: str, head: str = "", takes: float = 0.01, **headers: str) -> Reply:
    """A page with links. Headers by name, with underscores for hyphens."""
    anchors = "".join(f'<a href="{href}">x</a>' for href in hrefs)
    return Reply(
        headers=(("content-type", "text/html"), *_headers(headers)),
        body=f"<html><head><title>t</title>{head}</head><body>{anchors}</body></html>".encode(),
        takes=takes,
    )


def redirect(location: str, status: int = 301) -> Reply:
    """A redirect."""
    return Reply(status=status, headers=(("location", location),))


def failing(failure: FailureKind = FailureKind.CONNECT, takes: float = 0.01) -> Reply:
    """No answer at all."""
    return Reply(status=0, failure=failure, takes=takes)


def status(code: int, takes: float = 0.01, **headers: str) -> Reply:
    """An answer without a body. Headers by name, with underscores for hyphens."""
    return Reply(status=code, headers=_headers(headers), takes=takes)


def text(content: str, content_type: str = "text/plain", takes: float = 0.01) -> Reply:
    """An answer with a body of some type."""
    return Reply(headers=(("content-type", content_type),), body=content.encode(), takes=takes)


def _headers(headers: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((name.replace("_", "-"), value) for name, value in headers.items())


class ScriptedWeb:
    """All servers of a test. URLs without a script answer with 404.

    The clock moves only while every fetcher waits, and then to the next moment that one waits for.
    """

    def __init__(self, clock: ManualClock) -> None:
        self.clock = clock
        self.requests: list[SentRequest] = []
        self.most_at_once: Counter[str] = Counter()  # requests, by host
        self.most_over_all = 0
        self.spins = 0  # times that a fetcher was asked without patience and had nothing
        self.on_request: Callable[[SentRequest], None] = _ignore
        self._scripts: dict[str, list[Reply]] = {}
        self._running: Counter[str] = Counter()
        self._waiting: dict[object, float] = {}

    def serve(self, url: str, *replies: Reply) -> None:
        """Answer a URL with these, one after another; the last one stays."""
        self._scripts[url] = list(replies)

    def serve_all(self, pages: Mapping[str, Reply]) -> None:
        """Answer several URLs."""
        for url, reply in pages.items():
            self.serve(url, reply)

    def urls(self, *, robots: bool = False) -> list[str]:
        """The URLs that were requested, in order; those of robots.txt only where asked for."""
        return [sent.url for sent in self.requests if robots or not sent.url.endswith("/robots.txt")]

    def starts(self, host: str) -> list[float]:
        """When requests to a host went out."""
        return [sent.at for sent in self.requests if sent.host == host]

    def start_of(self, url: str) -> float:
        """When a URL was requested for the first time."""
        return next(sent.at for sent in self.requests if sent.url == url)

    def receive(self, request: FetchRequest) -> Reply:
        """A request arrives."""
        sent = SentRequest(self.clock.monotonic(), request.url, dict(request.headers))
        self.requests.append(sent)
        self._running[sent.host] += 1
        self.most_at_once[sent.host] = max(self.most_at_once[sent.host], self._running[sent.host])
        self.most_over_all = max(self.most_over_all, self._running.total())
        self.on_request(sent)
        script = self._scripts.get(request.url, [Reply(status=404)])
        return script.pop(0) if len(script) > 1 else script[0]

    def answered(self, url: str) -> None:
        """A request is over."""
        self._running[urlsplit(url).netloc] -= 1

    def wait(self, fetcher: object, until: float) -> None:
        """Let time go on to a moment, once nobody waits for an earlier one."""
        self._waiting[fetcher] = until
        if until <= min(self._waiting.values()):
            assert until < _LONGEST_CRAWL, f"the crawl does not end; last: {self.requests[-5:]}"
            self.clock.advance(max(0.0, until - self.clock.monotonic()) + _ROUNDING)

    def spin(self) -> None:
        """An engine goes round without waiting: that takes a little time as well."""
        self.spins += 1
        self.clock.advance(_SPIN)

    def leave(self, fetcher: object) -> None:
        """A fetcher no longer waits."""
        self._waiting.pop(fetcher, None)


class ScriptedFetcher:
    """Implements `crawlmesh.ports.fetcher.Fetcher` on a scripted web."""

    def __init__(self, web: ScriptedWeb) -> None:
        self._web = web
        self._under_way: list[tuple[float, float, FetchRequest, Reply]] = []  # due, started
        self._woken = False
        self.opened = 0
        self.closed = 0

    async def open(self) -> None:
        """Get ready."""
        self.opened += 1

    def start(self, request: FetchRequest) -> None:
        """Send a request."""
        now = self._web.clock.monotonic()
        reply = self._web.receive(request)
        self._under_way.append((now + reply.takes, now, request, reply))

    async def completed(self, patience: float | None) -> list[FetchResponse]:
        """The answers whose time has come."""
        clock = self._web.clock
        deadline = clock.monotonic() + (_LONGEST_CRAWL if patience is None else patience)
        try:
            while True:
                for _ in range(_TURNS):
                    await asyncio.sleep(0)
                    if self._woken:
                        break
                responses = list(self._due())
                if responses or self._woken or clock.monotonic() >= deadline:
                    if not patience and not responses and not self._woken:
                        self._web.spin()
                    self._woken = False
                    return responses
                self._web.wait(self, min([deadline, *(due for due, *_ in self._under_way)]))
        finally:
            self._web.leave(self)

    def wake(self) -> None:
        """Make a waiting `completed` return."""
        self._woken = True

    async def aclose(self) -> None:
        """Break off what is under way."""
        for _, _, request, _ in self._under_way:
            self._web.answered(request.url)
        self._under_way = []
        self.closed += 1

    def _due(self) -> Iterable[FetchResponse]:
        now = self._web.clock.monotonic()
        due = [entry for entry in self._under_way if entry[0] <= now]
        self._under_way = [entry for entry in self._under_way if entry[0] > now]
        for _, started, request, reply in sorted(due, key=lambda entry: entry[0]):
            self._web.answered(request.url)
            yield FetchResponse(
                request.token,
                request.url,
                reply.status,
                reply.headers,
                reply.body,
                reply.failure,
                elapsed=now - started,
                sent_after=reply.connecting,
                truncated=reply.truncated,
            )


def _ignore(_: SentRequest) -> None:
    pass
