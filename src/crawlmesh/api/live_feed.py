"""What all listeners of the live stream are told: found out once for a master, not for each of them."""

import asyncio
from collections.abc import Callable
from itertools import count

import msgspec

from crawlmesh.api.options import ApiOptions
from crawlmesh.api.shapes.events import event_shape
from crawlmesh.api.shapes.live import LiveEvents, LiveSnapshot
from crawlmesh.api.shapes.series import cluster_point
from crawlmesh.api.shapes.system import overview_shape
from crawlmesh.control.context import ControlContext
from crawlmesh.control.overview import overview
from crawlmesh.control.series import newest_point
from crawlmesh.model.event import Event, EventType
from crawlmesh.model.query import EventQuery

_MOST_ITEMS = 200  # events in one message
_MOST_READ = 1000  # events that are looked at for one message
_SHARE_OF_TIME = 10.0  # snapshots take at most one part in so many of the time


class Snapshot(msgspec.Struct, frozen=True):
    """A snapshot as it is sent. Later ones have higher numbers."""

    number: int
    data: bytes


class LiveFeed:
    """Snapshots and events for many listeners. Costs nothing while there is none."""

    def __init__(
        self,
        context: ControlContext,
        options: ApiOptions,
        monotonic: Callable[[], float] | None = None,
    ) -> None:
        self._context = context
        self._options = options
        self._monotonic = monotonic or (lambda: asyncio.get_running_loop().time())
        self._numbers = count(1)
        self._reading = asyncio.Lock()
        self._snapshot: Snapshot | None = None
        self._good_until = float("-inf")
        self._events: list[Event] = []  # above `_read_after`, the newest last
        self._read_after = -1
        self._read_mark = -1

    async def snapshot(self) -> Snapshot:
        """The cluster as it was at most two seconds ago."""
        async with self._reading:
            begun = self._monotonic()
            if self._snapshot is None or begun >= self._good_until:
                data = msgspec.json.encode(await self._look())
                self._snapshot = Snapshot(next(self._numbers), data)
                took = self._monotonic() - begun
                self._good_until = begun + max(self._options.live_interval, took * _SHARE_OF_TIME)
            return self._snapshot

    async def _look(self) -> LiveSnapshot:
        found = await overview(self._context, leads=self._options.leads())
        point = await newest_point(self._context)
        return LiveSnapshot(overview_shape(found), None if point is None else cluster_point(point))

    async def events(self, after: int) -> LiveEvents | None:
        """What happened after an id; None where nothing did."""
        async with self._reading:
            await self._read_events()
        found = self._events
        if 0 <= after < self._read_after:
            found = await self._older(after)
        found = [event for event in found if event.id > after]
        if not found:
            return None
        last = found[-1].id
        kept = _most_telling(found)
        return LiveEvents([event_shape(event) for event in kept], last - after - len(kept), last)

    async def news(self, seen: int) -> None:
        """Return when there may be something to tell: events at most once in a second, or a snapshot."""
        pause = self._options.live_events_interval
        await asyncio.sleep(pause)
        rest = max(self._good_until - self._monotonic(), 0.0)
        await self._context.store.wait("events", seen, rest)

    async def _read_events(self) -> None:
        store = self._context.store
        mark = store.mark("events")
        if mark == self._read_mark:
            return
        last = await store.last_event_id()
        known = self._events[-1].id if self._events else self._read_after
        since = max(known, last - _MOST_READ) if known >= 0 else last
        found = await store.events(EventQuery(after=since, limit=_MOST_READ))
        self._events = [*self._events, *found][-_MOST_READ:] if since == known else found
        self._read_after = self._events[0].id - 1 if self._events else since
        self._read_mark = mark

    async def _older(self, after: int) -> list[Event]:
        """For a listener that was away for long."""
        store = self._context.store
        since = max(after, await store.last_event_id() - _MOST_READ)
        return await store.events(EventQuery(after=since, limit=_MOST_READ))


def _most_telling(events: list[Event]) -> list[Event]:
    """The newest; heartbeats are left out first."""
    if len(events) > _MOST_ITEMS:
        events = [event for event in events if event.type is not EventType.NODE_HEARTBEAT] or events
    return events[-_MOST_ITEMS:]
