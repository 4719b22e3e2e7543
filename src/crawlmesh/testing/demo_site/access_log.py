"""The server's own record of what was asked of it, for tests of politeness and of repetition.

A line is written when a request starts and another when its answer is decided to the last byte, both
at once and unbuffered, so that the file tells the truth after any kill. Several server runs may
append to one file. The monotonic clock is the system's, and so is comparable between processes.
"""

import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import msgspec

from crawlmesh.testing.demo_site.duplicates import without_tracking
from crawlmesh.testing.demo_site.manifest import Manifest
from crawlmesh.testing.demo_site.page_kind import PageKind


class RequestStart(msgspec.Struct, frozen=True, tag="start", tag_field="event"):
    """A request arrived. `url` is canonical; `target` is what was asked, to the letter."""

    run: str  # of the server
    number: int  # within the run
    monotonic: float  # seconds
    wall: float  # Unix time, seconds
    host: str
    method: str
    target: str
    url: str
    user_agent: str
    late: float = 0.0  # seconds that it may have waited before the server saw it


class RequestEnd(msgspec.Struct, frozen=True, tag="end", tag_field="event"):
    """The request of this run and number is answered. `status` is 0 where nothing was sent."""

    run: str
    number: int
    monotonic: float
    wall: float
    status: int


class LoggedRequest(msgspec.Struct, frozen=True):
    """A request and how it ended. `end` is None while it runs, or where the server was killed."""

    start: RequestStart
    end: RequestEnd | None

    @property
    def status(self) -> int | None:
        """The status that was sent."""
        return self.end.status if self.end else None


_Event = RequestStart | RequestEnd


class AccessLog:
    """Collects requests in memory, and in a file if one is given. One thread writes, any may read."""

    def __init__(self, path: Path | None = None) -> None:
        self._file: BinaryIO | None = path.open("ab", buffering=0) if path else None
        self._encoder = msgspec.json.Encoder()
        self._events: list[_Event] = []
        self._run = f"{time.time_ns():x}"
        self._count = 0

    @classmethod
    def read(cls, path: Path) -> "AccessLog":
        """Reads a file that a server writes, or wrote; a line cut off by a kill is left out."""
        log = cls()
        decoder = msgspec.json.Decoder(_Event)
        for line in path.read_bytes().split(b"\n"):
            try:
                log._events.append(decoder.decode(line))
            except msgspec.DecodeError:
                continue
        return log

    def start(
        self, host: str, method: str, target: str, url: str, user_agent: str, late: float = 0.0
    ) -> RequestStart:
        """Notes that a request arrived, and maybe so many seconds ago."""
        self._count += 1
        now = time.monotonic()
        start = RequestStart(
            self._run, self._count, now, time.time(), host, method, target, url, user_agent, late
        )
        self._note(start)
        return start

    def end(self, start: RequestStart, status: int) -> None:
        """Notes that a request is answered."""
        self._note(RequestEnd(start.run, start.number, time.monotonic(), time.time(), status))

    def close(self) -> None:
        """Closes the file; what is in memory stays."""
        if self._file:
            self._file.close()
            self._file = None

    def clear(self) -> None:
        """Forgets what is in memory."""
        self._events.clear()

    def requests(self, host: str | None = None) -> list[LoggedRequest]:
        """All requests, or those to one host, in the order of arrival."""
        events = tuple(self._events)
        ends = {(event.run, event.number): event for event in events if isinstance(event, RequestEnd)}
        return [
            LoggedRequest(event, ends.get((event.run, event.number)))
            for event in events
            if isinstance(event, RequestStart) and host in (None, event.host)
        ]

    def paths(self, host: str | None = None) -> list[str]:
        """The targets as they were asked for, in the order of arrival."""
        return [request.start.target for request in self.requests(host)]

    def fetch_counts(self, *, tracking_ignored: bool = True) -> Counter[str]:
        """How often each canonical URL was asked for, failed answers included."""
        urls = (request.start.url for request in self.requests())
        return Counter(without_tracking(url) if tracking_ignored else url for url in urls)

    def min_gap(self, host: str, *, over: int = 1, with_robots: bool = False) -> float | None:
        """The shortest time from a start to the next, or to the one that comes `over` after it, in seconds.

        None where there are not so many. Where the server saw the first one late, that is in the client's
        favour. Requests for robots.txt are left out: the delay is not known before.
        """
        starts = sorted(
            (request.start.monotonic, request.start.late)
            for request in self.requests(host)
            if with_robots or request.start.target != "/robots.txt"
        )
        gaps = (
            second - first + late for (first, late), (second, _) in zip(starts, starts[over:], strict=False)
        )
        return min(gaps, default=None)

    def max_concurrency(self, host: str | None = None) -> int:
        """How many requests ran at once, at most. A request without an end ran as long as its server."""
        running = most = 0
        # At one moment starts count before ends, so that no request is too short to be seen.
        for _, change in sorted(self._changes(host), key=lambda item: (item[0], -item[1])):
            running += change
            most = max(most, running)
        return most

    def disallowed_requests(self, manifest: Manifest) -> list[LoggedRequest]:
        """Requests that robots.txt forbids."""
        forbidden = {entry.url for entry in manifest.of_kind(PageKind.DISALLOWED)}
        return [request for request in self.requests() if request.start.url in forbidden]

    def _changes(self, host: str | None) -> Iterator[tuple[float, int]]:
        last = {event.run: event.monotonic for event in tuple(self._events)}
        for request in self.requests(host):
            yield request.start.monotonic, 1
            yield request.end.monotonic if request.end else last[request.start.run], -1

    def _note(self, event: _Event) -> None:
        self._events.append(event)
        if self._file:
            self._file.write(self._encoder.encode(event) + b"\n")
