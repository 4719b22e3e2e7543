"""What every handler needs, and how it gets it."""

import asyncio
from collections.abc import Coroutine
from dataclasses import dataclass, field
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.requests import Request

from crawlmesh.api.live_feed import LiveFeed
from crawlmesh.api.options import ApiOptions
from crawlmesh.control.context import ControlContext
from crawlmesh.protocol.crawl_call_answers import AnsweredCalls

Answer = TypeVar("Answer")


@dataclass(frozen=True, slots=True)
class Services:
    """One for each app. `closing` is set when the server begins to stop: what waits then ends."""

    context: ControlContext
    options: ApiOptions
    closing: asyncio.Event = field(default_factory=asyncio.Event)
    crawl_calls: AnsweredCalls = field(default_factory=AnsweredCalls)
    listeners: set[object] = field(default_factory=set)  # to streams of events
    live: LiveFeed = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "live", LiveFeed(self.context, self.options))


def services_of(request: Request) -> Services:
    """The services of the app that a request came to."""
    return services_of_app(request.app)


def services_of_app(app: Starlette) -> Services:
    """The services of an app made by `make_app`."""
    services: Services = app.state.services
    return services


def context_of(request: Request) -> ControlContext:
    """What the use cases ask for."""
    return services_of(request).context


async def unless_closing(services: Services, work: Coroutine[Any, Any, Answer]) -> Answer | None:
    """The answer of something that may wait long, or None where the server stops before."""
    task = asyncio.ensure_future(work)
    closing = asyncio.ensure_future(services.closing.wait())
    try:
        await asyncio.wait({task, closing}, return_when=asyncio.FIRST_COMPLETED)
        return task.result() if task.done() else None
    finally:
        for future in (task, closing):
            future.cancel()
        await asyncio.gather(task, closing, return_exceptions=True)
