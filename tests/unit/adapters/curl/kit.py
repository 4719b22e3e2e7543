"""What the tests of this folder share."""

from collections.abc import Awaitable, Callable

from crawlmesh.adapters.curl import CurlFetcher
from crawlmesh.testing.conformance.fetcher import Answer, ScriptedServer

OpenFetcher = Callable[..., Awaitable[CurlFetcher]]
Serve = Callable[[Answer], Awaitable[ScriptedServer]]


def header_of(request: bytes, name: str) -> str | None:
    for line in request.decode("latin-1").split("\r\n")[1:]:
        key, _, value = line.partition(": ")
        if key.lower() == name:
            return value
    return None
