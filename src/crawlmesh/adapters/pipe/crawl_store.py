"""The crawl process's end of the pipe."""

import asyncio
import socket
from collections.abc import Callable, Sequence
from itertools import count
from typing import Any, Self

import msgspec

from crawlmesh.adapters.pipe.messages import (
    ANSWER_DECODER,
    ENCODER,
    RESULT_DECODERS,
    Answer,
    Call,
    error_from,
    frame,
    read_frame,
)
from crawlmesh.errors import StoreError
from crawlmesh.model.crawl import Crawl, CrawlProgress, HostProgress
from crawlmesh.model.lease import LeaseGrant, LeaseRequest, Renewal, Settlement
from crawlmesh.model.link import NewLink, SkippedLink
from crawlmesh.model.record import LedgerEntry, Record


class PipeCrawlStore:
    """A `CrawlStore` that another process owns. See CrawlStore for what each call does."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        on_gone: Callable[[], None] | None = None,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._on_gone = on_gone
        self._numbers = count(1)
        self._waiting: dict[int, asyncio.Future[Answer]] = {}
        self._gone = False
        self._listener = asyncio.get_running_loop().create_task(self._listen())

    @classmethod
    async def open(cls, connection: socket.socket, on_gone: Callable[[], None] | None = None) -> Self:
        """Speak to the `StoreServer` at the other end of a socket; `on_gone` is called when it is gone."""
        reader, writer = await asyncio.open_connection(sock=connection)
        return cls(reader, writer, on_gone)

    async def create_crawl(self, crawl: Crawl) -> bool:
        """See CrawlStore.create_crawl."""
        return bool(await self._call("create_crawl", crawl))

    async def update_crawl(self, crawl: Crawl) -> None:
        """See CrawlStore.update_crawl."""
        await self._call("update_crawl", crawl)

    async def crawls(self) -> list[Crawl]:
        """See CrawlStore.crawls."""
        crawls: list[Crawl] = await self._call("crawls")
        return crawls

    async def delete_crawl(self, crawl_id: str) -> None:
        """See CrawlStore.delete_crawl."""
        await self._call("delete_crawl", crawl_id)

    async def add(self, links: Sequence[NewLink], skipped: Sequence[SkippedLink] = ()) -> int:
        """See CrawlStore.add."""
        return int(await self._call("add", links, skipped))

    async def lease(self, request: LeaseRequest) -> LeaseGrant:
        """See CrawlStore.lease."""
        grant: LeaseGrant = await self._call("lease", request)
        return grant

    async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        """See CrawlStore.settle."""
        taken: list[bool] = await self._call("settle", settlements)
        return taken

    async def renew(self, renewals: Sequence[Renewal]) -> list[bool]:
        """See CrawlStore.renew."""
        kept: list[bool] = await self._call("renew", renewals)
        return kept

    async def expire(self, *, node_id: str | None = None, everything: bool = False) -> int:
        """See CrawlStore.expire."""
        return int(await self._call("expire", node_id, everything))

    async def retry_dead(self, crawl_id: str) -> int:
        """See CrawlStore.retry_dead."""
        return int(await self._call("retry_dead", crawl_id))

    async def recrawl(self, crawl_id: str) -> int:
        """See CrawlStore.recrawl."""
        return int(await self._call("recrawl", crawl_id))

    async def progress(self, crawl_id: str) -> CrawlProgress:
        """See CrawlStore.progress."""
        progress: CrawlProgress = await self._call("progress", crawl_id)
        return progress

    async def hosts(self, crawl_id: str, limit: int = 100) -> list[HostProgress]:
        """See CrawlStore.hosts."""
        hosts: list[HostProgress] = await self._call("hosts", crawl_id, limit)
        return hosts

    async def records(self, crawl_id: str, after: int = 0, limit: int = 1000) -> list[Record]:
        """See CrawlStore.records."""
        records: list[Record] = await self._call("records", crawl_id, after, limit)
        return records

    async def explain(self, crawl_id: str, fingerprint: bytes) -> LedgerEntry | None:
        """See CrawlStore.explain."""
        entry: LedgerEntry | None = await self._call("explain", crawl_id, fingerprint)
        return entry

    async def aclose(self) -> None:
        """Hang up; the store itself stays open."""
        self._listener.cancel()
        await asyncio.gather(self._listener, return_exceptions=True)
        self._writer.close()

    async def _call(self, method: str, *arguments: Any) -> Any:
        if self._gone:
            raise StoreError("The process that owns the store is gone.")
        number = next(self._numbers)
        call = frame(ENCODER.encode(Call(number, method, msgspec.Raw(ENCODER.encode(arguments)))))
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answered
        self._writer.write(call)
        answer = await answered
        if answer.error:
            raise error_from(answer)
        return RESULT_DECODERS[method].decode(answer.result)

    async def _listen(self) -> None:
        try:
            while (payload := await read_frame(self._reader)) is not None:
                answer = ANSWER_DECODER.decode(payload)
                waiting = self._waiting.pop(answer.number, None)
                if waiting is not None and not waiting.done():
                    waiting.set_result(answer)
            if self._on_gone is not None:
                self._on_gone()
        finally:
            self._gone = True
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(StoreError("The process that owns the store is gone."))
