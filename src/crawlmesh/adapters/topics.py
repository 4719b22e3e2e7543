"""What waits for news, and how it is woken: `mark` and `wait` of a control store, for every adapter."""

import asyncio
from collections.abc import Iterable

_MOST_TOPICS = 65_536  # that are remembered though nobody waits for them


class Topics:
    """Counts what is told under each topic, and wakes those who wait. Lives in one event loop.

    All topics share one growing number, and a mark is the number at which its topic was last told. A
    topic that is forgotten, to bound the memory, takes the highest number that was ever forgotten:
    whoever waits for it may be woken for nothing, but never misses anything.
    """

    def __init__(self, most_topics: int = _MOST_TOPICS) -> None:
        self._most_topics = most_topics
        self._last = 0
        self._forgotten = 0
        self._marks: dict[str, int] = {}  # the one that was told longest ago comes first
        self._waiters: dict[str, set[asyncio.Future[None]]] = {}

    def __len__(self) -> int:
        """How many topics are remembered."""
        return len(self._marks.keys() | self._waiters.keys())

    def mark(self, topic: str) -> int:
        """See ControlStore.mark."""
        return self._marks.get(topic, self._forgotten)

    async def wait(self, topic: str, seen: int, timeout: float) -> int:
        """See ControlStore.wait."""
        if self.mark(topic) > seen:
            return self.mark(topic)
        loop = asyncio.get_running_loop()
        waiter = loop.create_future()
        self._waiters.setdefault(topic, set()).add(waiter)
        alarm = loop.call_later(max(0.0, timeout), _wake, waiter)
        try:
            await waiter
        finally:
            alarm.cancel()
            self._leave(topic, waiter)
        return self.mark(topic)

    def tell(self, topics: Iterable[str]) -> None:
        """Raise the marks of topics and wake those who wait for them."""
        for topic in topics:
            self._last += 1
            self._marks.pop(topic, None)
            self._marks[topic] = self._last
            for waiter in self._waiters.get(topic, ()):
                _wake(waiter)
        while len(self._marks) > self._most_topics:
            oldest = next(iter(self._marks))
            self._forgotten = max(self._forgotten, self._marks.pop(oldest))

    def tell_all(self) -> None:
        """Raise every mark and wake everybody: something may have been told that was not heard here."""
        self._last += 1
        self._forgotten = self._last
        self._marks.clear()
        self.wake_all()

    def wake_all(self) -> None:
        """Wake everybody, because nothing more will come."""
        for waiters in self._waiters.values():
            for waiter in waiters:
                _wake(waiter)

    def _leave(self, topic: str, waiter: asyncio.Future[None]) -> None:
        waiters = self._waiters[topic]
        waiters.discard(waiter)
        if not waiters:
            del self._waiters[topic]


def _wake(waiter: asyncio.Future[None]) -> None:
    if not waiter.done():
        waiter.set_result(None)
