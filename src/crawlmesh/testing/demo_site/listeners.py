"""Sockets on several loopback addresses that share one port."""

import socket
from contextlib import ExitStack

from crawlmesh.errors import SettingError
from crawlmesh.testing.demo_site.shop import loopback_address

_TRIES = 50
_BACKLOG = 1024


def open_listeners(hosts: int, port: int = 0) -> list[socket.socket]:
    """Listening sockets for the first `hosts` addresses; port 0 chooses one that is free on all."""
    for _ in range(1 if port else _TRIES):
        try:
            return _open_all(hosts, port)
        except OSError as error:
            failure = error
    wanted = f"port {port}" if port else "any port"
    raise SettingError(f"cannot listen on {wanted} of 127.0.0.1 … {loopback_address(hosts - 1)}: {failure}")


def _open_all(hosts: int, port: int) -> list[socket.socket]:
    with ExitStack() as stack:
        listeners: list[socket.socket] = []
        for number in range(hosts):
            # Named, because asyncio sets TCP_NODELAY only where the protocol is: answers take 40 ms else.
            opened = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP)
            listener = stack.enter_context(opened)
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            listener.bind((loopback_address(number), port))
            listener.listen(_BACKLOG)
            port = listener.getsockname()[1]
            listeners.append(listener)
        stack.pop_all()
        return listeners
