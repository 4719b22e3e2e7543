"""Several crawl processes on one store, watched over and replaced when they die."""

import asyncio
import signal
import socket
import sys
from collections.abc import Awaitable, Callable
from typing import Protocol

from crawlmesh.errors import StoreError
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.worker.forked_process import ForkedProcess

SAID_WHY = 3  # the exit code of a process that cannot go on and has told its user the reason
_MOST_RESTARTS = 10  # of one process
_STOP_PATIENCE = 15.0  # seconds until a process that was told to stop is killed

ServeStore = Callable[[socket.socket], Awaitable[None]]


class RunningProcess(Protocol):
    """What the pool asks of a process, however it was started."""

    @property
    def returncode(self) -> int | None:
        """None while it runs; negative where a signal ended it."""
        ...

    def send_signal(self, number: int, /) -> None:
        """Send it a signal."""
        ...

    async def wait(self) -> int:
        """Until it has ended; returns its code."""
        ...


def node_names(processes: int) -> list[str]:
    """The nodes as which so many processes work."""
    return [f"process-{number}" for number in range(1, processes + 1)]


class ProcessPool:
    """Starts crawl processes that speak to the store over a socket each.

    The first ones may be copies of this process that were made before; others are started with a command.
    A process that dies is replaced, and its leases end at once, so that its links go to others.
    """

    def __init__(
        self,
        store: CrawlStore,
        serve: ServeStore,
        command: list[str],
        job: bytes,
        processes: int,
        forked: dict[str, ForkedProcess] | None = None,
    ) -> None:
        self._store = store
        self._serve = serve
        self._command = command
        self._job = job
        self._node_ids = node_names(processes)
        self._forked = dict(forked or {})
        self._running: dict[str, RunningProcess] = {}
        self._stopping = False

    async def run(self) -> None:
        """Return when every process has found nothing left to do, or was told to stop."""
        try:
            async with asyncio.TaskGroup() as keepers:
                for node_id in self._node_ids:
                    keepers.create_task(self._keep(node_id))
        except ExceptionGroup as group:
            # Not `except*`: Python 3.11.2, which is Debian's, would wrap what is raised there again.
            raise _first_leaf(group) from None
        finally:
            self._kill()

    def stop(self) -> None:
        """Tell all processes to settle what they have and to end."""
        if not self._stopping:
            self._stopping = True
            for process in self._running.values():
                _signal(process, signal.SIGTERM)
            asyncio.get_running_loop().call_later(_STOP_PATIENCE, self._kill)

    def _kill(self) -> None:
        for process in self._running.values():
            _signal(process, signal.SIGKILL)

    async def _keep(self, node_id: str) -> None:
        for _ in range(_MOST_RESTARTS + 1):
            code = await self._run_one(node_id)
            await self._store.expire(node_id=node_id)
            if code == 0 or self._stopping:
                return
            if code == SAID_WHY:
                raise StoreError("A crawl process could not go on; what was stored is safe.")
        raise StoreError(
            f"A crawl process ended {_MOST_RESTARTS + 1} times with code {code}. What was stored is safe; "
            "run the same command with --processes 1 to see the reason."
        )

    async def _run_one(self, node_id: str) -> int:
        process, ours = await self._start(node_id)
        self._running[node_id] = process
        if self._stopping:
            _signal(process, signal.SIGTERM)
        serving = asyncio.ensure_future(self._serve(ours))
        try:
            code = await process.wait()
        finally:
            _signal(process, signal.SIGKILL)  # where the wait was cancelled
            await process.wait()
            del self._running[node_id]
            ours.close() if serving.done() else serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
        return code

    async def _start(self, node_id: str) -> tuple[RunningProcess, socket.socket]:
        if node_id in self._forked:
            forked = self._forked.pop(node_id)
            forked.give(self._job)
            return forked, forked.connection
        ours, theirs = socket.socketpair()
        with theirs:
            process = await asyncio.create_subprocess_exec(
                sys.executable,
                *self._command,
                node_id,
                str(theirs.fileno()),
                pass_fds=[theirs.fileno()],
                stdin=asyncio.subprocess.PIPE,
                process_group=0,  # a terminal's Ctrl-C is for this process, which tells the others
            )
        assert process.stdin is not None
        process.stdin.write(self._job)
        process.stdin.close()
        return process, ours


def _first_leaf(error: Exception) -> Exception:
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


def _signal(process: RunningProcess, number: signal.Signals) -> None:
    if process.returncode is None:
        process.send_signal(number)
