"""Where answers wait until they are asked for."""

import asyncio

from crawlmesh.model.page import FetchResponse


class Mailbox:
    """Hands over answers in batches, from callbacks to one waiting coroutine."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._answers: list[FetchResponse] = []
        self._woken = False
        self._closed = False
        self._waiter: asyncio.Future[None] | None = None

    def put(self, answers: list[FetchResponse]) -> None:
        """Add answers, and wake whoever waits."""
        self._answers += answers
        self._notify()

    def wake(self) -> None:
        """End a wait with nothing; where nobody waits, the next wait ends at once."""
        self._woken = True
        self._notify()

    def close(self) -> None:
        """End the wait, and every later one at once."""
        self._closed = True
        self._notify()

    async def take(self, seconds: float | None) -> list[FetchResponse]:
        """All answers that are there, after the first one has come, or none after this many seconds."""
        if not (self._answers or self._woken or self._closed):
            await self._wait(seconds)
        self._woken = False
        answers, self._answers = self._answers, []
        return answers

    async def _wait(self, seconds: float | None) -> None:
        self._waiter = self._loop.create_future()
        timer = None if seconds is None else self._loop.call_later(seconds, self._notify)
        try:
            await self._waiter
        finally:
            self._waiter = None
            if timer is not None:
                timer.cancel()

    def _notify(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)
