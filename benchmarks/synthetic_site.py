"""An endless site without a network, behind the fetcher's port."""

import asyncio
import random
from collections.abc import Callable

from crawlmesh.model.page import FetchRequest, FetchResponse

_HEADERS = (("content-type", "text/html; charset=utf-8"),)


class SyntheticSite:
    """Answers every request at once with a page of links, of which a given share was never seen before."""

    def __init__(
        self, *, hosts: int, links_per_page: int, new_share: float, watch: Callable[[int, int], None]
    ) -> None:
        self._hosts = hosts
        self._links_per_page = links_per_page
        self._new_share = new_share
        self._watch = watch
        self._chooser = random.Random(5)
        self._answers: list[FetchResponse] = []
        self.known = hosts
        self.pages = 0

    def seeds(self) -> list[str]:
        return [self._url(number) for number in range(self._hosts)]

    async def open(self) -> None:
        """Nothing to get ready."""

    def start(self, request: FetchRequest) -> None:
        self.pages += 1
        self._answers.append(FetchResponse(request.token, request.url, 200, _HEADERS, self._page()))

    async def completed(self, patience: float | None) -> list[FetchResponse]:
        self._watch(self.known, self.pages)
        await asyncio.sleep(0 if self._answers else min(patience or 0.001, 0.001))
        answers, self._answers = self._answers, []
        return answers

    def wake(self) -> None:
        """Nobody waits for long."""

    async def aclose(self) -> None:
        """Nothing to let go of."""

    def _page(self) -> bytes:
        links = "".join(
            f'<li><a href="{self._url(self._next())}">A product</a></li>\n'
            for _ in range(self._links_per_page)
        )
        return f"<!doctype html><title>A page</title><ul>{links}</ul>".encode()

    def _next(self) -> int:
        if self._chooser.random() < self._new_share:
            self.known += 1
            return self.known - 1
        return self._chooser.randrange(self.known)

    def _url(self, number: int) -> str:
        host = f"host-{number % self._hosts}.example"
        return f"http://{host}/category-{number % 977}/some-product-name-{number}.html"
