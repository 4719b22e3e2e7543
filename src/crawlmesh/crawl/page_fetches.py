"""Single pages through one fetcher that many share."""

import asyncio
from collections.abc import Callable
from itertools import count

from crawlmesh.model.page import FailureKind, FetchRequest, FetchResponse
from crawlmesh.ports.fetcher import Fetcher
from crawlmesh.rules.whatwg_parser import resolve_href

_REDIRECTS = {301, 302, 303, 307, 308}


class PageFetches:
    """Fetches pages outside of any crawl. The fetcher is made when it is first needed."""

    def __init__(self, make_fetcher: Callable[[], Fetcher], max_redirects: int) -> None:
        self._make_fetcher = make_fetcher
        self._max_redirects = max_redirects
        self._tokens = count(1)
        self._waiting: dict[int, asyncio.Future[FetchResponse]] = {}
        self._fetcher: Fetcher | None = None
        self._answers: asyncio.Task[None] | None = None
        self._opening = asyncio.Lock()

    async def fetch(self, url: str) -> FetchResponse:
        """The page at a URL, or where its redirects lead."""
        for _ in range(self._max_redirects + 1):
            response = await self._ask(url)
            location = response.header("location")
            target = resolve_href(location, response.url) if location else None
            if response.status not in _REDIRECTS or target is None:
                return response
            url = target
        detail = f"More than {self._max_redirects} redirects in a row."
        return FetchResponse(0, url, failure=FailureKind.PROTOCOL, detail=detail)

    async def aclose(self) -> None:
        """Break off what is under way. Twice is fine."""
        if self._answers is not None:
            self._answers.cancel()
            await asyncio.gather(self._answers, return_exceptions=True)
        if self._fetcher is not None:
            await self._fetcher.aclose()
        for future in self._waiting.values():
            future.cancel()
        self._fetcher = self._answers = None
        self._waiting.clear()

    async def _ask(self, url: str) -> FetchResponse:
        fetcher = await self._opened()
        token = next(self._tokens)
        self._waiting[token] = asyncio.get_running_loop().create_future()
        fetcher.start(FetchRequest(token, url, crawl_id="preview"))
        try:
            return await self._waiting[token]
        finally:
            self._waiting.pop(token, None)

    async def _opened(self) -> Fetcher:
        async with self._opening:
            if self._fetcher is None:
                fetcher = self._make_fetcher()
                await fetcher.open()
                self._fetcher = fetcher
                self._answers = asyncio.create_task(self._hand_out(fetcher), name="answers to previews")
            return self._fetcher

    async def _hand_out(self, fetcher: Fetcher) -> None:
        while True:
            for response in await fetcher.completed(None):
                future = self._waiting.get(response.token)
                if future is not None and not future.done():
                    future.set_result(response)
