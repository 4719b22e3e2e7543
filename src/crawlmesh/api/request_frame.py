"""Around every request: an id, a measurement, and an answer whatever happens inside."""

import time
import uuid
from typing import Any

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from crawlmesh.api.errors import error_answer, fault_answer, shown
from crawlmesh.api.options import ApiOptions
from crawlmesh.observability.metrics import REQUEST_SECONDS, REQUESTS

_ID_CHARACTERS = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:")
_LONGEST_ID = 100
_UNKNOWN_ROUTE = "unknown"
# These wait on purpose: their time says nothing.
_WAITING_ROUTES = frozenset({"/api/v1/nodes/{node_id}:pull", "/api/v1/events:stream"})


class RequestFrame:
    """Middleware, on the bare protocol: it costs microseconds, and streams pass through untouched."""

    def __init__(self, app: ASGIApp, options: ApiOptions) -> None:
        self._app = app
        self._measurements = options.measurements

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        scope["request_id"] = identity = _request_id(scope)
        started = time.perf_counter()
        status = 0

        async def send_framed(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message.setdefault("headers", [])
                message["headers"] = [*message["headers"], (b"x-request-id", identity.encode())]
            await send(message)

        try:
            await self._serve(scope, receive, send_framed)
        except Exception as error:
            if status:
                raise  # the answer has begun: the server can only cut it off
            await fault_answer(Request(scope), error)(scope, receive, send_framed)
        finally:
            self._measure(scope, status, time.perf_counter() - started)

    async def _serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        if "\x00" in scope["path"] or b"%00" in scope["query_string"]:
            message = f"The address {shown(scope['path'])} has the character NUL. Leave it out."
            await error_answer(Request(scope), 422, "invalid", message)(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _measure(self, scope: Scope, status: int, seconds: float) -> None:
        route: Any = scope.get("route")
        path = getattr(route, "path_format", _UNKNOWN_ROUTE)
        method = scope["method"] if route is not None else _UNKNOWN_ROUTE
        self._measurements.add(REQUESTS, 1, method, path, str(status))
        if path not in _WAITING_ROUTES:
            self._measurements.observe(REQUEST_SECONDS, seconds, method, path)


def _request_id(scope: Scope) -> str:
    for name, value in scope["headers"]:
        if name == b"x-request-id":
            given: str = value.decode("latin-1")
            if 0 < len(given) <= _LONGEST_ID and _ID_CHARACTERS.issuperset(given):
                return given
    return uuid.uuid4().hex
