"""libcurl's multi handle inside an asyncio event loop."""

import asyncio
import select
from collections.abc import Callable
from contextlib import suppress

import pycurl

_EPOLL_MASKS = {
    pycurl.POLL_IN: select.EPOLLIN,
    pycurl.POLL_OUT: select.EPOLLOUT,
    pycurl.POLL_INOUT: select.EPOLLIN | select.EPOLLOUT,
}
_ACTIONS = {select.EPOLLIN: pycurl.CSELECT_IN, select.EPOLLOUT: pycurl.CSELECT_OUT}


class MultiDriver:
    """Moves transfers on when their sockets are ready or their time has come.

    All sockets sit in one private epoll whose descriptor is the only one that the event loop
    watches: hundreds of ready sockets cost the loop one callback. libcurl is asked for its next
    deadline once after each round; its timer callback would report each of the many small moves.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop, on_progress: Callable[[int], None]) -> None:
        self._loop = loop
        self._on_progress = on_progress  # gets the number of transfers still running
        self._epoll = select.epoll()
        self._timer: asyncio.TimerHandle | None = None
        self._soon: asyncio.Handle | None = None
        self.multi = pycurl.CurlMulti()
        self.multi.setopt(pycurl.M_SOCKETFUNCTION, _socket_callback(self._epoll))
        loop.add_reader(self._epoll.fileno(), self._on_ready)

    def added(self) -> None:
        """A handle has been added to `multi`: begin its transfer soon, together with others."""
        if self._soon is None:
            self._soon = self._loop.call_soon(self._on_soon)

    def close(self) -> None:
        """Close all connections. No handle may be attached any more."""
        self._loop.remove_reader(self._epoll.fileno())
        self.multi.close()
        for pending in (self._timer, self._soon):
            if pending is not None:
                pending.cancel()
        self._timer = self._soon = None
        self._epoll.close()

    def _on_ready(self) -> None:
        socket_action = self.multi.socket_action
        running = -1
        for descriptor, mask in self._epoll.poll(0):
            _, running = socket_action(descriptor, _ACTIONS.get(mask) or _action_of(mask))
        if running >= 0:
            self._finish_round(running)

    def _on_soon(self) -> None:
        self._soon = None
        self._run_timeouts()

    def _on_deadline(self) -> None:
        self._timer = None
        self._run_timeouts()

    def _run_timeouts(self) -> None:
        _, running = self.multi.socket_action(pycurl.SOCKET_TIMEOUT, 0)
        self._finish_round(running)

    def _finish_round(self, running: int) -> None:
        self._on_progress(running)
        milliseconds = self.multi.timeout()
        if milliseconds == 0:
            self.added()
        elif milliseconds > 0:
            self._run_within(milliseconds / 1000)

    def _run_within(self, seconds: float) -> None:
        """Set the timer, unless it fires before that anyway: too early does no harm."""
        deadline = self._loop.time() + seconds
        if self._timer is not None:
            if self._timer.when() <= deadline:
                return
            self._timer.cancel()
        self._timer = self._loop.call_at(deadline, self._on_deadline)


def _socket_callback(epoll: select.epoll) -> Callable[[int, int, pycurl.CurlMulti, object], None]:
    """What libcurl calls, twice per request, to have a socket watched and forgotten."""
    register, unregister, modify = epoll.register, epoll.unregister, epoll.modify

    def on_socket(what: int, descriptor: int, _multi: pycurl.CurlMulti, _data: object) -> None:
        if what in _EPOLL_MASKS:
            try:
                register(descriptor, _EPOLL_MASKS[what])
            except FileExistsError:
                modify(descriptor, _EPOLL_MASKS[what])
        else:
            with suppress(OSError):  # closed already, and so gone from the epoll
                unregister(descriptor)

    return on_socket


def _action_of(mask: int) -> int:
    action = 0
    if mask & (select.EPOLLIN | select.EPOLLHUP | select.EPOLLERR):
        action |= pycurl.CSELECT_IN
    if mask & select.EPOLLOUT:
        action |= pycurl.CSELECT_OUT
    if mask & select.EPOLLERR:
        action |= pycurl.CSELECT_ERR
    return action
