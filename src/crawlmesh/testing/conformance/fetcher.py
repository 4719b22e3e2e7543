"""What every fetcher must do, shown against a real server on loopback."""
# ruff: noqa: D102 - the names of the tests are sentences

import asyncio
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import Self

from crawlmesh.model.page import FailureKind, FetchRequest, FetchResponse
from crawlmesh.ports.fetcher import Fetcher

Answer = Callable[[bytes, asyncio.StreamWriter], Awaitable[None]]  # gets the request's head

_PATIENCE = 20.0  # seconds; what takes longer hangs


def plain_answer(body: bytes, *headers: str, status: str = "200 OK") -> Answer:
    """An ordinary answer, the same to every request."""
    lines = [f"HTTP/1.1 {status}", f"Content-Length: {len(body)}", *headers]
    head = "".join(line + "\r\n" for line in lines) + "\r\n"

    async def answer(_request: bytes, writer: asyncio.StreamWriter) -> None:
        writer.write(head.encode("latin-1") + body)

    return answer


async def never(_request: bytes, _writer: asyncio.StreamWriter) -> None:
    """No answer, ever."""
    await asyncio.Event().wait()


class ScriptedServer:
    """Answers every request by one function. Keeps the heads of the requests and counts connections."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._tasks: set[asyncio.Task[None]] = set()
        self.requests: list[bytes] = []
        self.connections = 0
        self.port = 0
        self._open = 0
        self._all_closed = asyncio.Event()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    def url(self, path: str = "/", host: str = "127.0.0.1") -> str:
        """The address of a page of this server."""
        return f"http://{host}:{self.port}{path}"

    async def all_connections_closed(self) -> None:
        """Wait until the other side has let go of every connection."""
        async with asyncio.timeout(_PATIENCE):
            await self._all_closed.wait()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        # A task of our own: the one that asyncio would make logs its cancellation as an error.
        task = asyncio.get_running_loop().create_task(self._serve(reader, writer))
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self._open += 1
        self._all_closed.clear()
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError):
                while not writer.is_closing():
                    head = await reader.readuntil(b"\r\n\r\n")
                    self.requests.append(head)
                    await self._answer(head, writer)
                    await writer.drain()
        finally:
            writer.close()
            with suppress(ConnectionError):
                await writer.wait_closed()
            self._open -= 1
            if not self._open:
                self._all_closed.set()


async def collect(fetcher: Fetcher, count: int) -> dict[int, FetchResponse]:
    """The next answers, by token."""
    answers: dict[int, FetchResponse] = {}
    async with asyncio.timeout(_PATIENCE):
        while len(answers) < count:
            for response in await fetcher.completed(None):
                assert response.token not in answers, "an answer came twice"
                answers[response.token] = response
    return answers


async def fetch(
    fetcher: Fetcher,
    url: str,
    *,
    crawl_id: str = "",
    headers: tuple[tuple[str, str], ...] = (),
    accept_types: bool = True,
) -> FetchResponse:
    """One request and its answer."""
    fetcher.start(FetchRequest(1, url, crawl_id, headers, accept_types))
    return (await collect(fetcher, 1))[1]


class FetcherConformance(ABC):
    """Subclass this as `Test…` and say how to make a fetcher that may connect to loopback."""

    @abstractmethod
    def new_fetcher(self) -> Fetcher:
        """The fetcher under test, not yet opened."""

    @asynccontextmanager
    async def opened(self) -> AsyncIterator[Fetcher]:
        """A fetcher for one test."""
        fetcher = self.new_fetcher()
        await fetcher.open()
        try:
            yield fetcher
        finally:
            await fetcher.aclose()

    async def test_a_response_comes_back_with_everything(self) -> None:
        answer = plain_answer(b"<p>hello", "Content-Type: text/html", "X-Two: 1", "x-two: 2")
        async with ScriptedServer(answer) as server, self.opened() as fetcher:
            fetcher.start(FetchRequest(token=7, url=server.url("/page?q=1"), headers=(("X-Own", "yes"),)))
            response = (await collect(fetcher, 1))[7]
        assert (response.failure, response.status, response.body) == (None, 200, b"<p>hello")
        assert response.url == server.url("/page?q=1")
        assert response.header("content-type") == "text/html"
        assert [value for name, value in response.headers if name == "x-two"] == ["1", "2"]
        assert response.http_version == "1.1"
        assert response.address == "127.0.0.1"
        assert 0 < response.sent_after <= response.elapsed < _PATIENCE
        assert not response.truncated
        assert server.requests[0].startswith(b"GET /page?q=1 HTTP/1.1\r\n")
        assert b"\r\nX-Own: yes\r\n" in server.requests[0]

    async def test_every_request_comes_back_exactly_once(self) -> None:
        async with ScriptedServer(plain_answer(b"ok")) as server, self.opened() as fetcher:
            for token in range(200):
                fetcher.start(FetchRequest(token=token, url=server.url(f"/{token}")))
            answers = await collect(fetcher, 200)
            assert await fetcher.completed(0.05) == []
        assert sorted(answers) == list(range(200))
        assert all(answers[token].url.endswith(f"/{token}") for token in answers)

    async def test_redirects_are_not_followed(self) -> None:
        answer = plain_answer(b"moved", "Location: /elsewhere", status="302 Found")
        async with ScriptedServer(answer) as server, self.opened() as fetcher:
            response = await fetch(fetcher, server.url())
        assert (response.status, response.header("location"), response.body) == (302, "/elsewhere", b"moved")
        assert len(server.requests) == 1

    async def test_an_error_page_is_a_response(self) -> None:
        answer = plain_answer(b"gone", status="404 Not Found")
        async with ScriptedServer(answer) as server, self.opened() as fetcher:
            response = await fetch(fetcher, server.url())
        assert (response.failure, response.status, response.body) == (None, 404, b"gone")

    async def test_a_useless_content_type_is_left_out(self) -> None:
        answer = plain_answer(b"x" * 999, "Content-Type: image/png")
        async with ScriptedServer(answer) as server, self.opened() as fetcher:
            left_out = await fetch(fetcher, server.url())
            read = await fetch(fetcher, server.url(), accept_types=False)
        assert (left_out.failure, left_out.status, left_out.body, left_out.truncated) == (
            None,
            200,
            b"",
            True,
        )
        assert (read.failure, read.truncated, len(read.body)) == (None, False, 999)

    async def test_a_failure_is_an_answer(self) -> None:
        async with ScriptedServer(never) as server:
            unused = server.url()
        async with self.opened() as fetcher:
            response = await fetch(fetcher, unused)
        assert (response.failure, response.status) == (FailureKind.CONNECT, 0)
        assert "127.0.0.1" in response.detail

    async def test_start_never_raises_for_a_bad_url(self) -> None:
        urls = (
            "",
            "http://",
            "nonsense",
            "http://[::1",
            "file:///etc/passwd",
            "http://a b/",
            "http://\ud800/",
        )
        async with self.opened() as fetcher:
            for token, url in enumerate(urls):
                fetcher.start(FetchRequest(token=token, url=url))
            answers = await collect(fetcher, len(urls))
        assert {answer.failure for answer in answers.values()} == {FailureKind.BAD_URL}
        assert all(answer.detail for answer in answers.values())

    async def test_completed_gives_up_after_its_timeout(self) -> None:
        async with ScriptedServer(never) as server, self.opened() as fetcher:
            fetcher.start(FetchRequest(token=1, url=server.url()))
            assert await fetcher.completed(0.05) == []
            assert await fetcher.completed(0) == []

    async def test_wake_ends_a_wait(self) -> None:
        async with self.opened() as fetcher:
            waiting = asyncio.create_task(fetcher.completed(None))
            await asyncio.sleep(0)
            fetcher.wake()
            assert await asyncio.wait_for(waiting, _PATIENCE) == []

    async def test_a_wake_before_the_wait_is_not_lost(self) -> None:
        async with self.opened() as fetcher:
            fetcher.wake()
            assert await asyncio.wait_for(fetcher.completed(None), _PATIENCE) == []
            assert await fetcher.completed(0.01) == []

    async def test_a_cancelled_wait_loses_no_answer(self) -> None:
        async with ScriptedServer(plain_answer(b"ok")) as server, self.opened() as fetcher:
            waiting = asyncio.create_task(fetcher.completed(None))
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
            assert (await fetch(fetcher, server.url())).status == 200

    async def test_closing_breaks_off_what_is_under_way(self) -> None:
        async with ScriptedServer(never) as server:
            fetcher = self.new_fetcher()
            await fetcher.open()
            for token in range(20):
                fetcher.start(FetchRequest(token=token, url=server.url()))
            async with asyncio.timeout(_PATIENCE):
                while len(server.requests) < 20:
                    assert await fetcher.completed(0.01) == []
            waiting = asyncio.create_task(fetcher.completed(None))
            await asyncio.sleep(0)
            await fetcher.aclose()
            assert await asyncio.wait_for(waiting, _PATIENCE) == []
            assert await asyncio.wait_for(fetcher.completed(None), _PATIENCE) == []
            await fetcher.aclose()

    async def test_closing_what_was_never_opened_is_fine(self) -> None:
        await self.new_fetcher().aclose()
