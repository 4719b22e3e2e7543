"""Requests to masters: the key, the errors, and the next address where one master is away."""

import asyncio
import ssl
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import aiohttp
import msgspec

from crawlmesh.client.faults import error_of
from crawlmesh.errors import MasterUnreachableError, RequestError

_AWAY = (aiohttp.ClientConnectionError, aiohttp.ClientPayloadError, asyncio.TimeoutError, ConnectionError)
_ROUNDS = 3  # goes through all addresses before a request is given up
_PAUSE = 0.2  # seconds before the second round; doubles with each
_UNAVAILABLE = 503

Answer = TypeVar("Answer")
Query = Mapping[str, Any]


class Connection:
    """Sends requests to one of several masters: the one that answered last, else the next."""

    def __init__(
        self,
        urls: Sequence[str],
        api_key: str | None,
        *,
        timeout: float,
        ssl_context: ssl.SSLContext | None = None,
    ) -> None:
        self._urls = [url.rstrip("/") for url in urls]
        self._current = 0
        self._headers = {"Accept": "application/json"} | (
            {"Authorization": f"Bearer {api_key}"} if api_key else {}
        )
        self._timeout = aiohttp.ClientTimeout(total=timeout, sock_connect=min(timeout, 5.0))
        self._ssl = ssl_context
        self._session: aiohttp.ClientSession | None = None

    @property
    def url(self) -> str:
        """The address of the master that is asked now."""
        return self._urls[self._current]

    async def ask(
        self,
        method: str,
        path: str,
        answer: type[Answer],
        *,
        query: Query | None = None,
        body: Any = None,
        idempotency_key: str | None = None,
    ) -> Answer:
        """Send a request and read its answer. Raises the error of `crawlmesh.errors` that it describes.

        A request that may be repeated without harm is sent to each master in turn, some times.
        """
        headers = {"Idempotency-Key": idempotency_key} if idempotency_key else {}
        data = None
        if body is not None:
            data = msgspec.json.encode(body)
            headers["Content-Type"] = "application/json"
        repeatable = method in {"GET", "PUT", "PATCH", "DELETE"} or idempotency_key is not None
        text = await self._try_all(method, path, _parameters(query), data, headers, repeatable)
        try:
            return msgspec.json.decode(text or b"null", type=answer)
        except msgspec.DecodeError as error:
            raise RequestError(
                f"The master at {self.url} answers {path} in a way that this version does not know: {error}."
            ) from error

    @asynccontextmanager
    async def stream(
        self,
        path: str,
        query: Query | None,
        headers: Mapping[str, str],
        *,
        accept: str = "text/event-stream",
        silence: float = 60.0,
    ) -> AsyncIterator[aiohttp.StreamReader]:
        """An answer without an end, or a long one, from the current master.

        Raises MasterUnreachableError when it breaks, or is silent for so many seconds.
        """
        timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=self._timeout.sock_connect, sock_read=silence
        )
        try:
            async with self._open().get(
                self.url + path,
                params=_parameters(query),
                headers={**headers, "Accept": accept},
                timeout=timeout,
            ) as response:
                if response.status >= 400:
                    raise error_of(response.status, await response.read())
                yield response.content
        except _AWAY as error:
            raise self._unreachable(error) from error

    def turn(self) -> None:
        """Ask the next master from now on."""
        self._current = (self._current + 1) % len(self._urls)

    async def aclose(self) -> None:
        """Close all connections. Twice is fine."""
        if self._session is not None:
            await self._session.close()
            self._session = None

    def _open(self) -> aiohttp.ClientSession:
        if self._session is None:
            self._session = aiohttp.ClientSession(
                headers=self._headers,
                timeout=self._timeout,
                connector=aiohttp.TCPConnector(ssl=self._ssl or True, limit=32),
            )
        return self._session

    async def _try_all(
        self,
        method: str,
        path: str,
        parameters: list[tuple[str, str]],
        data: bytes | None,
        headers: Mapping[str, str],
        repeatable: bool,
    ) -> bytes:
        problem: Exception | None = None
        for attempt in range(_ROUNDS * len(self._urls)):
            if attempt and attempt % len(self._urls) == 0:
                await asyncio.sleep(_PAUSE * 2 ** (attempt // len(self._urls) - 1))
            try:
                async with self._open().request(
                    method, self.url + path, params=parameters, data=data, headers=headers
                ) as response:
                    text = await response.read()
                if response.status < 400:
                    return text
                fault = error_of(response.status, text)
                if response.status != _UNAVAILABLE:
                    raise fault
                problem = fault
            except _AWAY as error:
                problem = error
                if not repeatable and not isinstance(error, aiohttp.ClientConnectorError):
                    break  # it may have been done
            self.turn()
        raise self._unreachable(problem) from problem

    def _unreachable(self, problem: Exception | None) -> MasterUnreachableError:
        where = ", ".join(self._urls)
        detail = f" ({problem})" if problem and str(problem) else ""
        return MasterUnreachableError(
            f"No master answers at {where}{detail}. Start one with `crawlmesh distribute`, or name another "
            "with --url or CRAWLMESH_MASTER_URL."
        )


def _parameters(query: Query | None) -> list[tuple[str, str]]:
    """The query, without what was not given; lists become repeated names."""
    found: list[tuple[str, str]] = []
    for name, value in (query or {}).items():
        values = value if isinstance(value, list | tuple) else (value,)
        found.extend((name, str(each)) for each in values if each is not None)
    return found
