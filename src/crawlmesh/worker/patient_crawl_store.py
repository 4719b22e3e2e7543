"""A crawl store that is waited for while it is away."""

import asyncio
from contextlib import suppress
from typing import Any

from crawlmesh.errors import StoreError, StoreFullError, StoreUnavailableError
from crawlmesh.observability.logging import Tag, log_for
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.protocol.called_crawl_store import CalledCrawlStore
from crawlmesh.worker.back_off import BackOff

_OUTAGES = (StoreUnavailableError, StoreFullError)  # which end when somebody has repaired the store

_log = log_for(Tag.WORKER)


class PatientCrawlStore(CalledCrawlStore):
    """Makes every call again, with growing pauses, until the store answers; `aclose` ends the waiting.

    A call whose answer was lost may have happened. To make it again does no harm: what is known is not
    added twice, a lease nobody heard of runs out, and of a settlement that was taken the links are done.
    """

    def __init__(self, store: CrawlStore) -> None:
        self._store = store
        self._waiting = 0  # calls
        self._closed = asyncio.Event()

    async def aclose(self) -> None:
        """End all waiting. The store belongs to others, too. Twice is fine."""
        self._closed.set()

    async def _call(self, method: str, *arguments: Any) -> Any:
        try:
            return await self._once(method, *arguments)
        except _OUTAGES as error:
            return await self._insist(error, method, *arguments)

    async def _once(self, method: str, *arguments: Any) -> Any:
        if method == "expire":
            node_id, everything = arguments
            return await self._store.expire(node_id=node_id, everything=everything)
        return await getattr(self._store, method)(*arguments)

    async def _insist(self, error: StoreError, method: str, *arguments: Any) -> Any:
        if not self._waiting:
            _log.warning("The crawl store is away; crawls wait for it.", reason=error)
        self._waiting += 1
        back_off = BackOff()
        try:
            while True:
                await self._pause(back_off, error)
                try:
                    return await self._once(method, *arguments)
                except _OUTAGES as again:
                    error = again
        finally:
            self._waiting -= 1
            if not self._waiting:
                _log.info("Nothing waits for the crawl store any more.")

    async def _pause(self, back_off: BackOff, error: StoreError) -> None:
        """Wait a while. Raises the error where nobody shall wait any longer."""
        pause = asyncio.ensure_future(back_off.pause())
        closed = asyncio.ensure_future(self._closed.wait())
        try:
            await asyncio.wait([pause, closed], return_when=asyncio.FIRST_COMPLETED)
        finally:
            for waiting in (pause, closed):
                waiting.cancel()
                with suppress(asyncio.CancelledError):
                    await waiting
        if self._closed.is_set():
            raise error
