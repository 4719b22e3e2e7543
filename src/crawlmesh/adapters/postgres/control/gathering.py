"""Calls that come while the database is busy go together in the next transaction."""

import asyncio
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Generic, TypeVar

from crawlmesh.errors import CrawlmeshError, RequestError

Call = TypeVar("Call")
Answer = TypeVar("Answer")

Handle = Callable[[Sequence[Call]], Awaitable[Sequence[Answer | CrawlmeshError]]]


class Gathering(Generic[Call, Answer]):
    """Runs one group of calls at a time: so a hundred callers cost a few commits, not a hundred.

    A request that cannot be, and that makes the database refuse the whole group, is found by running
    the calls of the group one by one.
    """

    def __init__(
        self, handle: Handle[Call, Answer], size: Callable[[Call], int], largest_group: int = 1_000
    ) -> None:
        """`size` is how many rows a call brings; a group is closed once it has the largest number."""
        self._handle = handle
        self._size = size
        self._largest_group = largest_group
        self._waiting: deque[tuple[Call, asyncio.Future[Answer]]] = deque()
        self._task: asyncio.Task[None] | None = None

    async def call(self, call: Call) -> Answer:
        """The answer to one call. A caller that gives up does not take its call back."""
        future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._waiting.append((call, future))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._run())
        return await future

    async def aclose(self) -> None:
        """Finish what was called. Twice is fine."""
        if self._task is not None:
            await asyncio.wait([self._task])

    async def _run(self) -> None:
        while self._waiting:
            await self._run_group(self._next_group())

    def _next_group(self) -> list[tuple[Call, asyncio.Future[Answer]]]:
        group = []
        room = self._largest_group
        while self._waiting and room > 0:
            group.append(self._waiting.popleft())
            room -= max(1, self._size(group[-1][0]))
        return group

    async def _run_group(self, group: list[tuple[Call, asyncio.Future[Answer]]]) -> None:
        try:
            answers = await self._handle([call for call, _ in group])
        except RequestError as error:
            if len(group) == 1:
                _settle(group[0][1], error)
            else:
                for alone in group:
                    await self._run_group([alone])
        except BaseException as error:
            for _, future in group:
                _settle(future, error)
            if not isinstance(error, Exception):
                raise
        else:
            for (_, future), answer in zip(group, answers, strict=True):
                _settle(future, answer)


def _settle(future: asyncio.Future[Answer], answer: Answer | BaseException) -> None:
    if future.done():
        return
    if isinstance(answer, asyncio.CancelledError):
        future.cancel()
    elif isinstance(answer, BaseException):
        future.set_exception(answer)
    else:
        future.set_result(answer)
