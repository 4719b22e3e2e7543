"""The ASGI application that serves a rendered site."""

import asyncio
import time
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any

from crawlmesh.testing.demo_site.access_log import AccessLog, RequestStart
from crawlmesh.testing.demo_site.answer import Answer, decide_answer
from crawlmesh.testing.demo_site.attendance import Attendance
from crawlmesh.testing.demo_site.duplicates import without_tracking
from crawlmesh.testing.demo_site.failures import not_found
from crawlmesh.testing.demo_site.first_times import FirstTimes
from crawlmesh.testing.demo_site.page_kind import Behaviour
from crawlmesh.testing.demo_site.resource import Resource
from crawlmesh.testing.demo_site.shop import Shop, loopback_address
from crawlmesh.testing.demo_site.site import Site
from crawlmesh.testing.demo_site.target_form import canonical_target
from crawlmesh.testing.demo_site.traps import trap_page

_Message = MutableMapping[str, Any]
_Receive = Callable[[], Awaitable[_Message]]
_Send = Callable[[_Message], Awaitable[None]]

_CHUNK_BYTES = 512
_ENDLESS_CHUNK = b"<p>And so on, and on, and on.</p>\n" * 512


class Application:
    """Answers requests. The host is known by the address that was connected to, not by a header."""

    def __init__(self, site: Site, log: AccessLog, first_times: FirstTimes, attendance: Attendance) -> None:
        self._resources = site.resources
        self._shops = {loopback_address(shop.number): shop for shop in site.hosts}
        self._log = log
        self._first_times = first_times
        self._attendance = attendance
        self.stopping = asyncio.Event()

    async def __call__(self, scope: MutableMapping[str, Any], receive: _Receive, send: _Send) -> None:
        """Answers one request."""
        late = self._attendance.away_until(time.monotonic())
        shop = self._shops[scope["server"][0]]
        headers: dict[bytes, bytes] = dict(scope["headers"])
        target = _target(scope)
        url, resource = self._find(shop, target)
        user_agent = headers.get(b"user-agent", b"").decode("latin-1")
        request = self._log.start(shop.host, scope["method"], target, url, user_agent, late)
        answer = decide_answer(shop, resource, headers, self._first_times)
        await _Delivery(self._log, request, answer, send).run(receive, self.stopping, shop)

    def _find(self, shop: Shop, target: str) -> tuple[str, Resource]:
        url = shop.url(target)
        resource = self._resources.get(url)
        if resource is not None:
            return url, resource
        canonical = canonical_target(target)
        url = shop.url(canonical)
        known = self._resources.get(url) or self._resources.get(without_tracking(url))
        return url, known or trap_page(shop, canonical) or not_found(url)


def _target(scope: MutableMapping[str, Any]) -> str:
    path: str = scope["raw_path"].decode("latin-1")
    query: str = scope["query_string"].decode("latin-1")
    return f"{path}?{query}" if query else path


class _Delivery:
    """Sends one answer and logs its end just before the last byte goes out.

    Later would be too late: the client could start its next request before the end is logged, and
    the log would show more requests at once than there were.
    """

    def __init__(self, log: AccessLog, request: RequestStart, answer: Answer, send: _Send) -> None:
        self._log = log
        self._request = request
        self._answer = answer
        self._send = send

    async def run(self, receive: _Receive, stopping: asyncio.Event, shop: Shop) -> None:
        if shop.options.latency:
            await _until_gone(asyncio.sleep(shop.options.latency), receive, stopping)
        match self._answer.behaviour:
            case Behaviour.ENDLESS:
                await _until_gone(self._endless(), receive, stopping)
                self._log.end(self._request, self._answer.status)
            case Behaviour.HANGING:
                await _until_gone(asyncio.Event().wait(), receive, stopping)
                self._log.end(self._request, 0)
            case Behaviour.SLOW:
                await _until_gone(asyncio.sleep(shop.options.slow_seconds), receive, stopping)
                await self._whole()
            case Behaviour.CHUNKED:
                await self._chunked()
            case _:
                await self._whole()

    async def _start(self, *more: tuple[bytes, bytes]) -> None:
        fields = [(name.encode(), value.encode("latin-1")) for name, value in self._answer.headers]
        headers = [*fields, *more]
        await self._send({"type": "http.response.start", "status": self._answer.status, "headers": headers})

    async def _piece(self, data: bytes, *, more: bool) -> None:
        await self._send({"type": "http.response.body", "body": data, "more_body": more})

    async def _whole(self) -> None:
        body = self._answer.body
        await self._start(*([] if self._answer.status == 304 else [(b"content-length", b"%d" % len(body))]))
        self._log.end(self._request, self._answer.status)
        await self._piece(body, more=False)

    async def _chunked(self) -> None:
        await self._start()
        body = self._answer.body
        for position in range(0, len(body), _CHUNK_BYTES):
            await self._piece(body[position : position + _CHUNK_BYTES], more=True)
        self._log.end(self._request, self._answer.status)
        await self._piece(b"", more=False)

    async def _endless(self) -> None:
        await self._start()
        while True:
            await self._piece(_ENDLESS_CHUNK, more=True)
            await asyncio.sleep(0)


async def _until_gone(work: Awaitable[object], receive: _Receive, stopping: asyncio.Event) -> None:
    """Works until it is done, the client hangs up or the server stops."""
    tasks = [
        asyncio.ensure_future(work),
        asyncio.ensure_future(_hung_up(receive)),
        asyncio.ensure_future(stopping.wait()),
    ]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


async def _hung_up(receive: _Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass
