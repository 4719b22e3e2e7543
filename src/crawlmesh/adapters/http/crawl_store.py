"""The crawl store behind the masters."""

import asyncio
import random
import secrets
from collections import deque
from itertools import count
from typing import Any

import msgspec

from crawlmesh.adapters.http.answer_errors import error_of
from crawlmesh.adapters.http.master_addresses import MasterAddresses
from crawlmesh.adapters.http.node_credentials import NodeCredentials
from crawlmesh.errors import (
    CrawlmeshError,
    InvalidError,
    MasterUnreachableError,
    NotFoundError,
    StaleSessionError,
    StoreError,
    UnauthenticatedError,
)
from crawlmesh.protocol.called_crawl_store import CalledCrawlStore
from crawlmesh.protocol.crawl_calls import (
    ANSWERS_DECODER,
    ENCODER,
    Answer,
    Call,
    CallRequest,
    make_call,
    refusal,
    result_of,
)
from crawlmesh.rules.retry_delay import retry_delay

_HEADERS = {"Content-Type": "application/msgpack"}
_REQUESTS_AT_ONCE = 2  # further calls wait, and go together
_MOST_CALLS = 100  # in one request
_MOST_BYTES = 8 * 1024 * 1024  # in one request, unless one call has more
_TIMEOUT = 60.0  # seconds for an answer
_FIRST_PAUSE = 0.2  # seconds until the masters are asked again; doubles with each time
_LONGEST_PAUSE = 10.0


class _Waiting(msgspec.Struct):
    call: Call
    answered: asyncio.Future[Answer]


class HttpCrawlStore(CalledCrawlStore):
    """A `CrawlStore` that the masters own. See CrawlStore for what each call does.

    While no master answers, and while the node has to register again, calls simply take longer: they
    are sent again under their number, so that none of them happens twice. `aclose` ends the waiting.
    """

    def __init__(self, masters: MasterAddresses, credentials: NodeCredentials) -> None:
        self._masters = masters
        self._credentials = credentials
        self._client = secrets.token_hex(8)
        self._numbers = count(1)
        self._queue: deque[_Waiting] = deque()
        self._open: dict[int, None] = {}  # numbers of calls without an answer, in order
        self._sending: set[asyncio.Task[None]] = set()
        self._closed = False

    async def forward(self, call: Call) -> Answer:
        """Make somebody else's call, arguments and result unread."""
        try:
            answer = await self._send(Call(next(self._numbers), call.method, call.arguments))
        except StoreError as error:  # it was closed
            return refusal(call, error)
        return Answer(call.number, answer.result, answer.error, answer.message)

    async def aclose(self) -> None:
        """End all calls that still wait. Twice is fine; the connection belongs to others, too."""
        self._closed = True
        for task in list(self._sending):
            task.cancel()
        await asyncio.gather(*self._sending, return_exceptions=True)
        while self._queue:
            self._resolve(self._queue.popleft(), _closed_error())

    async def _call(self, method: str, *arguments: Any) -> Any:
        return result_of(method, await self._send(make_call(next(self._numbers), method, arguments)))

    async def _send(self, call: Call) -> Answer:
        if self._closed:
            raise _closed_error()
        waiting = _Waiting(call, asyncio.get_running_loop().create_future())
        self._open[call.number] = None
        self._queue.append(waiting)
        self._start()
        try:
            return await waiting.answered
        finally:
            self._open.pop(call.number, None)

    def _start(self) -> None:
        if self._queue and len(self._sending) < _REQUESTS_AT_ONCE and not self._closed:
            task = asyncio.get_running_loop().create_task(self._exchange())
            self._sending.add(task)
            task.add_done_callback(self._sent)

    def _sent(self, task: asyncio.Task[None]) -> None:
        self._sending.discard(task)
        self._start()

    async def _exchange(self) -> None:
        await asyncio.sleep(0)  # what is called in the same turn goes together
        batch = self._take()
        try:
            await self._deliver(batch)
        except asyncio.CancelledError:
            for waiting in batch:
                self._resolve(waiting, _closed_error())
            raise
        except Exception as error:
            problem = error if isinstance(error, CrawlmeshError) else StoreError(f"A call failed: {error!r}.")
            for waiting in batch:
                self._resolve(waiting, problem)

    def _take(self) -> list[_Waiting]:
        batch: list[_Waiting] = []
        size = 0
        while self._queue and len(batch) < _MOST_CALLS:
            size += len(bytes(self._queue[0].call.arguments))
            if batch and size > _MOST_BYTES:
                break
            batch.append(self._queue.popleft())
        return batch

    async def _deliver(self, batch: list[_Waiting]) -> None:
        try:
            answers = await self._insist([waiting.call for waiting in batch])
        except InvalidError as error:
            if len(batch) == 1:
                self._resolve(batch[0], StoreError(str(error)))
                return
            for waiting in batch:  # too large, or one of them is at fault
                await self._deliver([waiting])
            return
        by_number = {answer.number: answer for answer in answers}
        for waiting in batch:
            found = by_number.get(waiting.call.number)
            self._resolve(waiting, found or StoreError("The master left a call unanswered."))

    async def _insist(self, calls: list[Call]) -> list[Answer]:
        """Ask until a master answers."""
        for attempt in count(1):
            await self._credentials.wait_renewed()
            version = self._credentials.version
            try:
                return await self._ask(calls)
            except (StaleSessionError, UnauthenticatedError, NotFoundError):
                self._credentials.refused(version)
            except MasterUnreachableError:
                jitter = random.uniform(0.5, 1.0)  # noqa: S311
                await asyncio.sleep(retry_delay(attempt, _FIRST_PAUSE, _LONGEST_PAUSE, jitter))
        raise AssertionError

    async def _ask(self, calls: list[Call]) -> list[Answer]:
        credentials = self._credentials
        open_from = next(iter(self._open), calls[0].number)
        body = ENCODER.encode(CallRequest(self._client, min(open_from, calls[0].number), calls))
        path = f"/api/v1/nodes/{credentials.node_id}:crawl-store"
        answer = await self._masters.post(path, body, {**_HEADERS, **credentials.headers()}, _TIMEOUT)
        error = error_of(answer)
        if error is not None:
            raise error
        try:
            return ANSWERS_DECODER.decode(answer.body)
        except msgspec.DecodeError as problem:
            raise StoreError(f"The master's answer cannot be read: {problem}.") from problem

    def _resolve(self, waiting: _Waiting, outcome: Answer | CrawlmeshError) -> None:
        if waiting.answered.done():
            return
        if isinstance(outcome, CrawlmeshError):
            outcome = refusal(waiting.call, outcome)
        waiting.answered.set_result(outcome)


def _closed_error() -> StoreError:
    return StoreError("The connection to the master was closed.")
