"""One writer thread that gathers what comes in and commits it together."""

import asyncio
import queue
import sqlite3
import threading
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any, TypeVar

from crawlmesh.adapters.sqlite.connection import store_errors
from crawlmesh.errors import CrawlmeshError, StoreError

Result = TypeVar("Result")

_LARGEST_GROUP = 64  # calls in one transaction


class GroupCommit:
    """Runs calls one after another in its own thread, several in one transaction.

    A call must raise a CrawlmeshError before it changes anything, or not at all: the rest of its
    group is committed. Any other failure rolls the group back and ends the writer, because what
    the owner keeps in memory no longer fits the file; the file itself stays as last committed.
    With `rolled_back`, which makes it fit again, the writer goes on: the calls of the group are made
    once more, each for itself, and only those that fail again fail.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        begin: str = "BEGIN IMMEDIATE",
        *,
        committing: Callable[[], None] | None = None,
        committed: Callable[[], None] | None = None,
        rolled_back: Callable[[], None] | None = None,
    ) -> None:
        """`committing` is called before each commit, `committed` after it and before any call is answered.

        Both run in the writer's thread; the first may write what the calls of a group have in common.
        """
        self._begin = begin
        self._committing = committing
        self._committed = committed
        self._rolled_back = rolled_back
        self._connection = connection
        self._path = path
        self._calls: queue.SimpleQueue[tuple[Future[Any], Callable[[], Any]] | None] = queue.SimpleQueue()
        self._broken: CrawlmeshError | None = None
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="crawlmesh-sqlite", daemon=True)
        self._thread.start()

    async def call(self, function: Callable[[], Result]) -> Result:
        """Run a function in the writer's transaction; returns after its commit."""
        if self._closed:
            raise StoreError(f"The store {self._path} is closed.")
        future: Future[Result] = Future()
        self._calls.put((future, function))
        return await asyncio.wrap_future(future)

    async def aclose(self) -> None:
        """Finish what was called and end the thread. Twice is fine."""
        if not self._closed:
            self._closed = True
            self._calls.put(None)
        await asyncio.to_thread(self._thread.join)

    def _run(self) -> None:
        while True:
            group, last = self._next_group()
            if group:
                self._commit(group)
            if last:
                return

    def _next_group(self) -> tuple[list[tuple[Future[Any], Callable[[], Any]]], bool]:
        call = self._calls.get()
        group = []
        while call is not None:
            group.append(call)
            if len(group) == _LARGEST_GROUP:
                return group, False
            try:
                call = self._calls.get_nowait()
            except queue.Empty:
                return group, False
        return group, True

    def _commit(self, group: list[tuple[Future[Any], Callable[[], Any]]]) -> None:
        try:
            if self._broken is not None:
                raise self._broken
            answers = self._transaction(group)
        except BaseException as error:
            self._fail(group, error)
        else:
            if self._committed is not None:
                self._committed()
            for future, result, refusal in answers:
                _answer(future, result, refusal)

    def _fail(self, group: list[tuple[Future[Any], Callable[[], Any]]], error: BaseException) -> None:
        refusal = error if isinstance(error, CrawlmeshError) else StoreError(str(error))
        if self._rolled_back is None:
            self._broken = refusal
        else:
            self._rolled_back()
            if len(group) > 1:
                for call in group:
                    self._commit([call])
                return
        for future, _ in group:
            _answer(future, None, error)

    def _transaction(
        self, group: list[tuple[Future[Any], Callable[[], Any]]]
    ) -> list[tuple[Future[Any], Any, CrawlmeshError | None]]:
        answers: list[tuple[Future[Any], Any, CrawlmeshError | None]] = []
        with store_errors(self._path):
            self._connection.execute(self._begin)
            try:
                for future, function in group:
                    try:
                        answers.append((future, function(), None))
                    except CrawlmeshError as error:
                        answers.append((future, None, error))
                if self._committing is not None:
                    self._committing()
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
        return answers


def _answer(future: Future[Any], result: Any, error: BaseException | None) -> None:
    if not future.set_running_or_notify_cancel():
        return
    if error is not None:
        future.set_exception(error)
    else:
        future.set_result(result)
