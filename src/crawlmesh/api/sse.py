"""Events as a stream (server-sent events): a listener that comes back goes on where it was."""

from collections.abc import AsyncIterator

import msgspec

from crawlmesh.api.services import Services, unless_closing
from crawlmesh.api.shapes.events import event_shape
from crawlmesh.model.event import Event
from crawlmesh.model.query import EventQuery

_HEARTBEAT = b": heartbeat\n\n"
_PAGE = 500
_RETRY_AFTER = 2000  # milliseconds until a listener that lost its connection comes back


async def event_stream(services: Services, query: EventQuery, *, follow: bool) -> AsyncIterator[bytes]:
    """The events that answer the query, from `query.after` on, until the server stops or the client goes.

    Without `follow`: until all are told that there are.
    """
    store = services.context.store
    listener = object()
    services.listeners.add(listener)
    try:
        yield b"retry: %d\n\n" % _RETRY_AFTER
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
    finally:
        services.listeners.discard(listener)


def _written(event: Event) -> bytes:
    data = msgspec.json.encode(event_shape(event))
    return b"id: %d\nevent: %s\ndata: %s\n\n" % (event.id, event.type.value.encode(), data)
