"""The hosts that a cluster asks."""

from collections.abc import AsyncIterator
from typing import Any
from urllib.parse import quote

import msgspec

from crawlmesh.client.connection import Connection
from crawlmesh.client.paging import all_items
from crawlmesh.errors import NotFoundError

_PATH = "/api/v1/hosts"


class HostLimits(msgspec.Struct, frozen=True, kw_only=True):
    """What a user laid down for a host. None: nothing."""

    delay: float | None = None  # seconds between two requests at least
    slots: int | None = None  # requests at once at most
    blocked: bool = False


class Host(msgspec.Struct, frozen=True, kw_only=True):
    """A host over all crawls. `delay` and `slots` are what holds now, with the limits."""

    host: str
    blocked: bool
    delay: float  # seconds between two requests
    slots: int  # requests at once over the whole cluster
    limits: HostLimits = HostLimits()
    state: dict[str, Any] = {}  # what workers learnt of it, without the limits
    queued: int = 0
    running: int = 0  # requests that nodes may have under way
    done: int = 0
    dead: int = 0
    mean_elapsed: float = 0.0  # seconds per request
    ready_in: float = 0.0  # seconds until it may be asked again


class Hosts:
    """Looking at hosts over all crawls, and limiting how they are asked."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def list(self, *, search: str | None = None, page_size: int = 100) -> AsyncIterator[Host]:
        """All hosts that crawls met or that have limits, by name; with `search` those with it in the name."""
        return all_items(self._connection, _PATH, Host, {"search": search}, page_size)

    async def get(self, host: str) -> Host:
        """One host."""
        return await self._connection.ask("GET", _path(host), Host)

    async def limit(
        self, host: str, *, delay: float | None = None, slots: int | None = None, blocked: bool = False
    ) -> Host:
        """Lay limits down, in place of the former ones: seconds between two requests, requests at once."""
        body = {"delay": delay, "slots": slots, "blocked": blocked}
        return await self._connection.ask("PUT", _path(host, "/limits"), Host, body=body)

    async def free(self, host: str) -> None:
        """Take the limits away, a block too."""
        await self._connection.ask("DELETE", _path(host, "/limits"), object)

    async def block(self, host: str) -> Host:
        """Let nothing more be asked of a host; its links wait, its other limits stay."""
        return await self._set_blocked(host, blocked=True)

    async def unblock(self, host: str) -> Host:
        """Let a blocked host be asked again, under its other limits."""
        return await self._set_blocked(host, blocked=False)

    async def _set_blocked(self, host: str, *, blocked: bool) -> Host:
        try:
            limits = (await self.get(host)).limits
        except NotFoundError:
            return await self.limit(host, blocked=blocked)  # it was not met yet
        changed = msgspec.structs.replace(limits, blocked=blocked)
        return await self.limit(host, **msgspec.structs.asdict(changed))


def _path(host: str, rest: str = "") -> str:
    """The path of a host. Raises NotFoundError where it would be that of something else."""
    if not host.strip(".") or "/" in host or "\0" in host:
        raise NotFoundError(
            f"There is no host {host!r}. Name one as links do: example.com, or example.com:8080."
        )
    return f"{_PATH}/{quote(host, safe='')}{rest}"
