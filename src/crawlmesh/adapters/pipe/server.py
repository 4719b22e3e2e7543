"""The owner's end of the pipe."""

import asyncio
import socket
from functools import partial

from crawlmesh.adapters.pipe.messages import frame, read_frame
from crawlmesh.errors import StoreError
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.protocol.crawl_calls import CALL_DECODER, ENCODER, Call, RunCall, refusal, run_call


class CallServer:
    """Answers the calls that come over one socket, whoever makes them."""

    def __init__(self, run: RunCall) -> None:
        self._run = run

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
            payload = frame(ENCODER.encode(refusal(call, error)))
        if not writer.is_closing():
            writer.write(payload)


class StoreServer(CallServer):
    """Answers the calls that come over one socket with a store."""

    def __init__(self, store: CrawlStore) -> None:
        super().__init__(partial(run_call, store))
