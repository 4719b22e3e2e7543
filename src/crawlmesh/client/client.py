"""The client itself."""

import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Self

import msgspec

from crawlmesh.client.answers import Event, Overview
from crawlmesh.client.clusters import Clusters
from crawlmesh.client.connection import Connection
from crawlmesh.client.event_stream import event_stream
from crawlmesh.client.hosts import Hosts
from crawlmesh.client.keys import Keys
from crawlmesh.client.nodes import Nodes
from crawlmesh.client.tasks import Tasks
from crawlmesh.errors import UsageError
from crawlmesh.model.preview import PagePreview


class _Events(msgspec.Struct):
    items: list[Event]


class Client:
    """Talks to the masters of a cluster; an async context manager.

        async with Client("http://127.0.0.1:8000", api_key="…") as client:
            task = await client.tasks.submit("https://example.com/")
            async for moment in client.tasks.watch(task.id):
                print(moment.task.status)

    With several addresses, the next one is asked where one does not answer. Errors are those of
    `crawlmesh.errors`.
    """

    def __init__(
        self,
        url: str | Sequence[str],
        *,
        api_key: str | None = None,
        timeout: float = 30.0,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        urls = [url] if isinstance(url, str) else list(url)
        if not urls:
            raise UsageError("A client needs the address of a master, such as http://127.0.0.1:8000.")
        self._connection = Connection(urls, api_key, timeout=timeout, ssl_context=ssl_context)
        self.tasks = Tasks(self._connection)
        self.nodes = Nodes(self._connection)
        self.clusters = Clusters(self._connection)
        self.hosts = Hosts(self._connection)
        self.keys = Keys(self._connection)

    @property
    def url(self) -> str:
        """The address of the master that is asked now."""
        return self._connection.url

    async def health(self) -> dict[str, Any]:
        """Whether the master works; needs no key."""
        return await self._connection.ask("GET", "/health", dict[str, Any])

    async def overview(self) -> Overview:
        """The state of the whole system."""
        return await self._connection.ask("GET", "/api/v1/system/overview", Overview)

    async def whoami(self) -> dict[str, Any]:
        """The name and role behind the key."""
        return await self._connection.ask("GET", "/api/v1/whoami", dict[str, Any])

    def events(
        self,
        *,
        after: int | None = None,
        types: Sequence[str] = (),
        task_id: str | None = None,
        node_id: str | None = None,
        patience: float = 60.0,
        follow: bool = True,
    ) -> AsyncIterator[Event]:
        """Events as they happen; none is missed while a connection breaks. `after` 0: from the first on.

        Without `follow` it ends after what is stored, and begins with the first where `after` is not given.
        Raises MasterUnreachableError when no master has answered for `patience` seconds.
        """
        query = {"types": list(types), "task_id": task_id, "node_id": node_id}
        return event_stream(self._connection, query, after=after, patience=patience, follow=follow)

    async def recent_events(
        self,
        *,
        before: int | None = None,
        types: Sequence[str] = (),
        task_id: str | None = None,
        node_id: str | None = None,
        limit: int = 100,
    ) -> Sequence[Event]:
        """The newest events, or those before an id, newest first."""
        query = {
            "order": "desc",
            "before": before,
            "types": list(types),
            "task_id": task_id,
            "node_id": node_id,
            "limit": limit,
        }
        return (await self._connection.ask("GET", "/api/v1/events", _Events, query=query)).items

    async def preview(
        self,
        url: str,
        *,
        selectors: Mapping[str, str] | None = None,
        extraction: Mapping[str, Any] | None = None,
        metadata: bool = False,
        refresh: bool = False,
    ) -> PagePreview:
        """One page as a master sees it, and what selectors take from it."""
        body = {
            "url": url,
            "selectors": dict(selectors or {}),
            "extraction": dict(extraction or {}),
            "metadata": metadata,
            "refresh": refresh,
        }
        return await self._connection.ask("POST", "/api/v1/preview", PagePreview, body=body)

    async def aclose(self) -> None:
        """Close all connections. Twice is fine."""
        await self._connection.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()
