"""The crawl process's end of the pipe."""

import asyncio
import socket
from collections.abc import Callable
from itertools import count
from typing import Any, Self

from crawlmesh.adapters.pipe.messages import frame, read_frame
from crawlmesh.errors import StoreError
from crawlmesh.protocol.called_crawl_store import CalledCrawlStore
from crawlmesh.protocol.crawl_calls import ANSWER_DECODER, ENCODER, Answer, make_call, result_of


class PipeCrawlStore(CalledCrawlStore):
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

    async def aclose(self) -> None:
        """Hang up; the store itself stays open."""
        self._listener.cancel()
        await asyncio.gather(self._listener, return_exceptions=True)
        self._writer.close()

    async def _call(self, method: str, *arguments: Any) -> Any:
        if self._gone:
            raise StoreError("The process that owns the store is gone.")
        number = next(self._numbers)
        call = frame(ENCODER.encode(make_call(number, method, arguments)))
        answered: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting[number] = answered
        self._writer.write(call)
        return result_of(method, await answered)

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
