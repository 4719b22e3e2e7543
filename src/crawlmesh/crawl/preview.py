"""Looking at single pages, again and again, while people find the selectors for them."""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from http import HTTPStatus

import msgspec

from crawlmesh.crawl.extraction import Document
from crawlmesh.crawl.extraction.content_kind import DocumentKind
from crawlmesh.crawl.page_look import PageLook, PageYield, look_at, take_from
from crawlmesh.crawl.separate_look import SeparateLook, TooSlowError, has_expression, take_separately
from crawlmesh.errors import InvalidError
from crawlmesh.model.page import FailureKind, FetchResponse
from crawlmesh.model.preview import PagePreview, PreviewOrder
from crawlmesh.ports.clock import Clock
from crawlmesh.rules.url_identity import canonicalize

FetchPage = Callable[[str], Awaitable[FetchResponse]]

_OTHER_SCHEMES = ("mailto:", "tel:", "data:", "javascript:", "about:", "blob:", "file:")
_PATIENCE = 10.0  # seconds for regular expressions
_TOO_SLOW = f"The regular expression did not end within {_PATIENCE:g} seconds on this page. Make it simpler."

# Where the fetcher's own sentence would name an option of another command, or says nothing.
_PROBLEMS = {
    FailureKind.PRIVATE_ADDRESS: (
        "it lies in a private network; with the setting allow_private_networks masters and workers go there."
    ),
    FailureKind.TLS: "its certificate was refused; the setting verify_tls goes on without the check.",
    FailureKind.TOO_LARGE: "the page is larger than the setting max_body_bytes allows.",
}
_NO_TEXT = "it is neither HTML, XML, JSON nor text, so nothing can be extracted."


class PreviewLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How much is done at once, and how much is remembered."""

    at_once: int = 4
    kept_pages: int = 16
    kept_bytes: int = 64 * 1024 * 1024
    kept_for: float = 300.0  # seconds


class _Page(msgspec.Struct):
    response: FetchResponse
    until: float  # when it is to be fetched again
    look: PageLook | None = None


class PagePreviews:
    """Fetches pages and shows them. What was fetched is remembered for a while, within limits."""

    def __init__(self, fetch: FetchPage, clock: Clock, limits: PreviewLimits | None = None) -> None:
        self._fetch = fetch
        self._clock = clock
        self._limits = limits or PreviewLimits()
        self._places = asyncio.Semaphore(self._limits.at_once)
        self._pages: OrderedDict[str, _Page] = OrderedDict()  # by URL, that shown last at the end
        self._coming: dict[str, asyncio.Task[_Page]] = {}

    async def show(self, order: PreviewOrder) -> PagePreview:
        """One page. Raises InvalidError with the field `url` where it is no address."""
        url = _address(order.url)
        page = self._remembered(url) if not order.refresh else None
        async with self._places:
            page = page or await self._come(url)
            return await _shown(order, page)

    async def _come(self, url: str) -> _Page:
        """The page from its server; who asks for the same one meanwhile gets the same answer."""
        task = self._coming.get(url)
        if task is None:
            task = self._coming[url] = asyncio.create_task(self._fetched(url), name="preview")
            task.add_done_callback(lambda _: self._coming.pop(url, None))
        return await asyncio.shield(task)

    async def _fetched(self, url: str) -> _Page:
        response = await self._fetch(url)
        page = _Page(response, self._clock.monotonic() + self._limits.kept_for)
        if response.failure is None and response.status < HTTPStatus.BAD_REQUEST:
            self._remember(url, page)
        else:
            self._pages.pop(url, None)
        return page

    def _remembered(self, url: str) -> _Page | None:
        page = self._pages.get(url)
        if page is None or page.until <= self._clock.monotonic():
            self._pages.pop(url, None)
            return None
        self._pages.move_to_end(url)
        return page

    def _remember(self, url: str, page: _Page) -> None:
        self._pages[url] = page
        self._pages.move_to_end(url)
        sizes = [len(each.response.body) for each in self._pages.values()]
        while len(sizes) > self._limits.kept_pages or sum(sizes) > self._limits.kept_bytes:
            self._pages.popitem(last=False)
            del sizes[0]


async def _shown(order: PreviewOrder, page: _Page) -> PagePreview:
    response = page.response
    shown = _unseen(order, response)
    if response.failure is not None or response.truncated:
        return shown
    look = page.look if page.look is not None else await asyncio.to_thread(look_at, _document(page))
    page.look = look
    taken = await _taken(page, order)
    is_text = look.kind != DocumentKind.OTHER
    return msgspec.structs.replace(
        shown,
        kind=look.kind,
        title=look.title,
        data=taken.data if is_text else None,
        links=look.links,
        outline=look.outline,
        truncated=look.truncated,
        problem=shown.problem if is_text else f"{response.url}: {_NO_TEXT}",
        field_problems=taken.problems,
    )


def _unseen(order: PreviewOrder, response: FetchResponse) -> PagePreview:
    """What is known before anybody looks into the page."""
    return PagePreview(
        url=order.url,
        final_url=response.url,
        status=None if response.failure else response.status,
        content_type=response.header("content-type"),
        kind=None,
        bytes=len(response.body),
        title=None,
        elapsed=round(response.elapsed, 3),
        data=None,
        links=0,
        outline=[],
        truncated=False,
        problem=_problem(response),
        field_problems={},
    )


async def _taken(page: _Page, order: PreviewOrder) -> PageYield:
    """What the fields take. Those with regular expressions get their own process, and a time to end."""
    slow = {name: field for name, field in order.fields.items() if has_expression(field)}
    fields = order.fields
    problems: dict[str, str] = {}
    if slow:
        response = page.response
        look = SeparateLook(
            response.body, response.header("content-type"), response.url, fields, order.metadata
        )
        try:
            return await take_separately(look, _PATIENCE)
        except TooSlowError:
            fields = {name: field for name, field in fields.items() if name not in slow}
            problems = dict.fromkeys(slow, _TOO_SLOW)
    taken = await asyncio.to_thread(lambda: take_from(_document(page), fields, metadata=order.metadata))
    return PageYield(taken.data, {**taken.problems, **problems})


def _document(page: _Page) -> Document:
    response = page.response
    return Document(response.body, response.header("content-type"), response.url)


def _problem(response: FetchResponse) -> str | None:
    if response.failure is not None:
        sentence = _PROBLEMS.get(response.failure)
        return f"{response.url}: {sentence}" if sentence else response.detail
    if response.truncated:
        return f"{response.url}: {_NO_TEXT}"
    if response.status >= HTTPStatus.BAD_REQUEST:
        return f"{response.url}: the server answered with status {response.status}."
    return None


def _address(url: str) -> str:
    """The URL to request; as people type it, with or without https://."""
    plain = url.strip()
    is_other = plain.lower().startswith(_OTHER_SCHEMES)
    identity = None if is_other else canonicalize(plain if "://" in plain else f"https://{plain}")
    if identity is None:
        raise InvalidError(
            f"url is {url!r}, which is no address of a page. Give one such as https://example.com/products.",
            "url",
        )
    return identity.request_url
