"""The time-out for servers that take a request and do not begin to answer: libcurl has none for HTTP."""

import asyncio
from collections.abc import Callable, Mapping
from time import monotonic

import pycurl

from crawlmesh.adapters.curl.transfer import Transfer

_STEP = 0.01  # seconds between two looks; transfers that are due within it are handled together


class SilenceWatch:
    """Looks at the running transfers, oldest first, whenever the oldest one could be due."""

    def __init__(
        self,
        loop: asyncio.AbstractEventLoop,
        timeout: float,
        running: Mapping[pycurl.Curl, Transfer],
        on_silent: Callable[[list[Transfer]], None],
    ) -> None:
        self._loop = loop
        self._timeout = timeout  # seconds from the connection to the first byte
        self._running = running
        self._on_silent = on_silent
        self._timer: asyncio.TimerHandle | None = None

    def expect(self) -> None:
        """A transfer has been started."""
        if self._timer is None:
            self._timer = self._loop.call_later(self._timeout, self._look)

    def close(self) -> None:
        """Stop looking."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _look(self) -> None:
        self._timer = None
        now = monotonic()
        silent: list[Transfer] = []
        next_due = now + self._timeout
        for transfer in self._running.values():
            if transfer.started_at + self._timeout > now:
                next_due = min(next_due, transfer.started_at + self._timeout)
                break  # those that follow were started later still
            if not transfer.is_silent():
                continue
            due = self._due(transfer, now)
            if due <= now:
                silent.append(transfer)
            else:
                next_due = min(next_due, due)
        if silent:
            self._on_silent(silent)
        if self._running:
            self._timer = self._loop.call_later(max(next_due - now, _STEP), self._look)

    def _due(self, transfer: Transfer, now: float) -> float:
        """When the answer must have begun. Before the connection stands, other limits apply."""
        connected_after: float = transfer.handle.getinfo(pycurl.PRETRANSFER_TIME)
        if connected_after <= 0:
            return now + self._timeout
        return transfer.started_at + connected_after + self._timeout
