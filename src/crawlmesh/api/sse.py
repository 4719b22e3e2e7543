"""Streams of server-sent events: a listener that comes back goes on where it was."""

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager

import msgspec
from starlette.responses import StreamingResponse

from crawlmesh.api.services import Services, unless_closing
from crawlmesh.api.shapes.events import event_shape
from crawlmesh.model.event import Event
from crawlmesh.model.query import EventQuery

_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
_HEARTBEAT = b": heartbeat\n\n"
_PAGE = 500
_RETRY = b"retry: 2000\n\n"  # milliseconds until a listener that lost its connection comes back


def streamed(stream: AsyncIterator[bytes]) -> StreamingResponse:
    """The answer that carries a stream."""
    return StreamingResponse(stream, headers=_HEADERS, media_type="text/event-stream")


async def event_stream(services: Services, query: EventQuery, *, follow: bool) -> AsyncIterator[bytes]:
    """The events that answer the query, from `query.after` on, until the server stops or the client goes.

    Without `follow`: until all are told that there are.
    """
    store = services.context.store
    with _listening(services):
        yield _RETRY
        while not (follow and services.closing.is_set()):
            seen = store.mark("events")
            events = await store.events(msgspec.structs.replace(query, limit=_PAGE))
            if events:
                yield b"".join(_written(event) for event in events)
                query = msgspec.structs.replace(query, after=events[-1].id)
            if len(events) == _PAGE:
                continue
            if not follow:
                return
            told = await unless_closing(
                services, store.wait("events", seen, services.options.stream_heartbeat)
            )
            if told == seen:
                yield _HEARTBEAT


async def live_stream(services: Services, after: int, *, follow: bool) -> AsyncIterator[bytes]:
    """Snapshots of the cluster, and what happened after an id, until the server stops or the client goes.

    Without `follow`: one of each. All listeners of a master share what is read for them.
    """
    feed = services.live
    number = 0
    with _listening(services):
        yield _RETRY
        while not (follow and services.closing.is_set()):
            seen = services.context.store.mark("events")
            snapshot = await feed.snapshot()
            if snapshot.number > number:
                number = snapshot.number
                yield _message("snapshot", snapshot.data)
            events = await feed.events(after)
            if events is not None:
                after = events.last_id
                yield _message("events", msgspec.json.encode(events), after)
            if not follow:
                return
            await unless_closing(services, feed.news(seen))


@contextmanager
def _listening(services: Services) -> Iterator[None]:
    listener = object()
    services.listeners.add(listener)
    try:
        yield
    finally:
        services.listeners.discard(listener)


def _written(event: Event) -> bytes:
    return _message(event.type.value, msgspec.json.encode(event_shape(event)), event.id)


def _message(name: str, data: bytes, position: int | None = None) -> bytes:
    place = b"" if position is None else b"id: %d\n" % position
    return b"%sevent: %s\ndata: %s\n\n" % (place, name.encode(), data)
