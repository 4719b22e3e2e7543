"""Speaks to an app without a socket."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any
from urllib.parse import urlencode

import msgspec
from fastapi import FastAPI


class Answer(msgspec.Struct, frozen=True):
    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return msgspec.json.decode(self.body)

    @property
    def error(self) -> dict[str, Any]:
        assert self.status >= 400, self
        assert self.headers["content-type"] == "application/json"
        body = self.json
        assert list(body) == ["error"]
        error: dict[str, Any] = body["error"]
        assert {"code", "message", "request_id"} <= error.keys() <= {"code", "message", "field", "request_id"}
        assert error["request_id"] == self.headers["x-request-id"]
        return error


class Stream:
    """An answer that comes piece by piece."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.pieces: asyncio.Queue[bytes] = asyncio.Queue()
        self.hang_up = asyncio.Event()
        self.ended = asyncio.Event()


class Client:
    def __init__(self, app: FastAPI, key: str | None = None) -> None:
        self.app = app
        self._key = key

    def with_key(self, key: str | None) -> "Client":
        return Client(self.app, key)

    async def get(self, path: str, **query: Any) -> Answer:
        return await self.request("GET", path, query=query)

    async def post(self, path: str, json: Any = None, **headers: str) -> Answer:
        return await self.request("POST", path, json=json, headers=headers)

    async def request(
        self,
        method: str,
        path: str,
        *,
        query: Mapping[str, Any] | None = None,
        json: Any = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> Answer:
        sent = body if body is not None else (b"" if json is None else msgspec.json.encode(json))
        scope = self.scope(method, path, query or {}, headers or {}, len(sent))
        messages = [{"type": "http.request", "body": sent, "more_body": False}]
        got: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            if not messages:
                await asyncio.Event().wait()  # the client stays until it has its answer
            return messages.pop(0)

        async def send(message: Any) -> None:
            got.append(message)

        await self.app(scope, receive, send)
        start = got[0]
        whole = b"".join(message.get("body", b"") for message in got[1:])
        return Answer(start["status"], _headers(start), whole)

    @asynccontextmanager
    async def stream(self, path: str, **query: Any) -> AsyncIterator[Stream]:
        headers = query.pop("headers", {})
        scope = self.scope("GET", path, query, headers, 0)
        stream = Stream()
        started = asyncio.Event()
        asked = False

        async def receive() -> dict[str, Any]:
            nonlocal asked
            if not asked:
                asked = True
                return {"type": "http.request", "body": b"", "more_body": False}
            await stream.hang_up.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                stream.status, stream.headers = message["status"], _headers(message)
                started.set()
            elif message.get("body"):
                await stream.pieces.put(message["body"])

        async def serve() -> None:
            await self.app(scope, receive, send)
            stream.ended.set()

        task = asyncio.create_task(serve())
        try:
            await started.wait()
            yield stream
        finally:
            stream.hang_up.set()
            await task

    def scope(
        self, method: str, path: str, query: Mapping[str, Any], headers: Mapping[str, str], size: int
    ) -> dict[str, Any]:
        sent = {"host": "master", **{name.lower(): value for name, value in headers.items()}}
        sent.setdefault("content-length", str(size))
        if self._key is not None:
            sent.setdefault("authorization", f"Bearer {self._key}")
        return {
            "type": "http",
            "asgi": {"version": "3.0"},
            "http_version": "1.1",
            "method": method,
            "scheme": "http",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": urlencode(query, doseq=True).encode(),
            "headers": [(name.encode(), value.encode("latin-1")) for name, value in sent.items()],
            "client": ("127.0.0.1", 50000),
            "server": ("127.0.0.1", 8000),
        }


def _headers(start: dict[str, Any]) -> dict[str, str]:
    headers: dict[str, str] = {}
    for name, value in start["headers"]:
        key = name.decode().lower()
        headers[key] = f"{headers[key]}, {value.decode()}" if key in headers else value.decode()
    return headers
