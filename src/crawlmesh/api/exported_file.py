"""Records on their way out: line by line, or as a file that is whole before it is sent."""

import asyncio
import os
from collections.abc import AsyncIterator, Coroutine, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

from starlette.requests import ClientDisconnect, Request
from starlette.responses import StreamingResponse
from starlette.types import Receive, Scope, Send

from crawlmesh.api.services import Services
from crawlmesh.errors import OutputError, StoreError

_PAGE = 500  # records
_PIECE = 256 * 1024  # bytes


async def exported_lines(services: Services, crawl_id: str) -> AsyncIterator[bytes]:
    """The records as JSON Lines, one page at a time."""
    after = 0
    while records := await services.context.crawl_store.records(crawl_id, after, _PAGE):
        yield services.options.record_export.lines(records)
        after = records[-1].link_id


async def exported_file(request: Request, services: Services, crawl_id: str, name: str) -> BinaryIO:
    """The records as a file in the format of its extension, open to be read. It is gone when it is closed.

    Raises StoreError where it cannot be written, and ClientDisconnect where nobody waits for it any more.
    """
    with TemporaryDirectory(prefix="crawlmesh-export-", ignore_cleanup_errors=True) as folder:
        path = Path(folder) / name
        try:
            await _while_wanted(request, _write(services, crawl_id, path))
        except OutputError as error:
            raise StoreError(f"The file with the records cannot be written: {error}") from error
        return path.open("rb")  # its name goes with the folder; what was written stays until it is closed


async def _write(services: Services, crawl_id: str, path: Path) -> None:
    writer = await asyncio.to_thread(services.options.record_export.open_writer, path)
    after = 0
    try:
        while records := await services.context.crawl_store.records(crawl_id, after, _PAGE):
            await _finished(asyncio.to_thread(writer.write, records))
            after = records[-1].link_id
        await _finished(asyncio.to_thread(writer.close))
    finally:
        writer.abort()  # does nothing to a file that is whole


async def _finished(work: Coroutine[Any, Any, None]) -> None:
    """Wait for a thread to its end, also when nobody wants what it does: it uses the files."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await asyncio.gather(task, return_exceptions=True)
        raise


async def _while_wanted(request: Request, work: Coroutine[Any, Any, None]) -> None:
    """Do the work as long as the client waits for it. Raises ClientDisconnect when it hangs up."""
    task = asyncio.ensure_future(work)
    gone = asyncio.ensure_future(_hang_up(request))
    try:
        await asyncio.wait({task, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        task.result()
    finally:
        for future in (task, gone):
            future.cancel()
        await asyncio.gather(task, gone, return_exceptions=True)


async def _hang_up(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass


class ExportedFile(StreamingResponse):
    """Sends a file, and closes it whatever happens."""

    def __init__(self, file: BinaryIO, headers: Mapping[str, str], media_type: str) -> None:
        size = os.fstat(file.fileno()).st_size
        super().__init__(
            _pieces(file), headers={**headers, "Content-Length": str(size)}, media_type=media_type
        )
        self._file = file

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send it."""
        with self._file:
            await super().__call__(scope, receive, send)


async def _pieces(file: BinaryIO) -> AsyncIterator[bytes]:
    while piece := await asyncio.to_thread(file.read, _PIECE):
        yield piece
