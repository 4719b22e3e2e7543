"""How fast the crawls of this node get on, as its heartbeats tell it."""

import msgspec

from crawlmesh.model.sample import BYTES, ERRORS, PAGES
from crawlmesh.ports.clock import Clock
from crawlmesh.worker.crawl_engines import CrawlEngines
from crawlmesh.worker.work_done import WorkDone


class _Mark(msgspec.Struct, frozen=True):
    """What was done by a moment; monotonic seconds."""

    at: float
    done: WorkDone


class WorkRates:
    """Means since the last heartbeat: pages, bytes and failed requests per second.

    Regular heartbeats tell of all the time since the regular one before, because only they are kept. Those
    between them tell of the time since the last one of either kind, so that charts are up to date.
    """

    def __init__(self, engines: CrawlEngines | None, clock: Clock) -> None:
        self._engines = engines
        self._clock = clock
        self._regular = self._last = self._mark()
        self._was_busy = False

    def regular(self) -> dict[str, float]:
        """For a regular heartbeat; nothing where this node has no engines."""
        return {} if self._engines is None else _rates(self._regular, self._mark())

    def between(self) -> dict[str, float] | None:
        """For one between them; None where there is nothing to tell that is not known."""
        now = self._mark()
        busy = now.done != self._last.done
        return _rates(self._last, now) if self._engines is not None and (busy or self._was_busy) else None

    def told(self, *, regular: bool) -> None:
        """A master has heard it: the next rates begin here."""
        now = self._mark()
        self._was_busy = now.done != (self._regular if regular else self._last).done
        self._last = now
        if regular:
            self._regular = now

    def _mark(self) -> _Mark:
        done = WorkDone() if self._engines is None else self._engines.work_done()
        return _Mark(self._clock.monotonic(), done)


def _rates(since: _Mark, now: _Mark) -> dict[str, float]:
    seconds = now.at - since.at
    if seconds <= 0:
        return {PAGES: 0.0, BYTES: 0.0, ERRORS: 0.0}
    return {
        PAGES: (now.done.pages - since.done.pages) / seconds,
        BYTES: (now.done.bytes - since.done.bytes) / seconds,
        ERRORS: (now.done.errors - since.done.errors) / seconds,
    }
