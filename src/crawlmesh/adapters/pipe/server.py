"""The owner's end of the pipe."""

import asyncio
import socket

import msgspec

from crawlmesh.adapters.pipe.messages import (
    ARGUMENT_DECODERS,
    CALL_DECODER,
    ENCODER,
    Answer,
    Call,
    frame,
    read_frame,
)
from crawlmesh.errors import CrawlmeshError, StoreError
from crawlmesh.ports.crawl_store import CrawlStore

_NOTHING = msgspec.Raw(ENCODER.encode(None))


class StoreServer:
    """Answers the calls that come over one socket with a store."""

    def __init__(self, store: CrawlStore) -> None:
        self._store = store

    async def serve(self, connection: socket.socket) -> None:
        """Answer until the other end is gone. Calls run side by side; answers come as they are ready."""
        reader, writer = await asyncio.open_connection(sock=connection)
        try:
            async with asyncio.TaskGroup() as calls:
                while (payload := await read_frame(reader)) is not None:
                    calls.create_task(self._answer(CALL_DECODER.decode(payload), writer))
        finally:
            writer.close()

    async def _answer(self, call: Call, writer: asyncio.StreamWriter) -> None:
        answer = await self._run(call)
        try:
            payload = frame(ENCODER.encode(answer))
        except StoreError as error:  # too large
            payload = frame(ENCODER.encode(_refusal(call, error)))
        if not writer.is_closing():
            writer.write(payload)

    async def _run(self, call: Call) -> Answer:
        try:
            decoder = ARGUMENT_DECODERS.get(call.method)
            if decoder is None:
                raise StoreError(f"The store has no method {call.method!r}.")
            result = await self._invoke(call.method, decoder.decode(call.arguments))
        except CrawlmeshError as error:
            return _refusal(call, error)
        return Answer(call.number, msgspec.Raw(ENCODER.encode(result)))

    async def _invoke(self, method: str, arguments: tuple[object, ...]) -> object:
        if method == "expire":
            node_id, everything = arguments
            return await self._store.expire(node_id=_text_or_none(node_id), everything=bool(everything))
        return await getattr(self._store, method)(*arguments)


def _refusal(call: Call, error: CrawlmeshError) -> Answer:
    return Answer(call.number, _NOTHING, type(error).__name__, str(error))


def _text_or_none(value: object) -> str | None:
    return None if value is None else str(value)
