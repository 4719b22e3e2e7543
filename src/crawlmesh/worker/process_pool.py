"""Several crawl processes on one store, watched over and replaced when they die."""

import asyncio
import signal
import socket
import sys
from collections.abc import Awaitable, Callable

from crawlmesh.errors import StoreError
from crawlmesh.ports.crawl_store import CrawlStore

SAID_WHY = 3  # the exit code of a process that cannot go on and has told its user the reason
_MOST_RESTARTS = 10  # of one process
_STOP_PATIENCE = 15.0  # seconds until a process that was told to stop is killed

ServeStore = Callable[[socket.socket], Awaitable[None]]


class ProcessPool:
    """Starts crawl processes that speak to the store over a socket each.

    A process that dies is replaced, and its leases end at once, so that its links go to others.
    """

    def __init__(
        self, store: CrawlStore, serve: ServeStore, command: list[str], job: bytes, processes: int
    ) -> None:
        self._store = store
        self._serve = serve
        self._command = command
        self._job = job
        self._number = processes
        self._running: dict[str, asyncio.subprocess.Process] = {}
        self._stopping = False

    async def run(self) -> None:
        """Return when every process has found nothing left to do, or was told to stop."""
        try:
            async with asyncio.TaskGroup() as keepers:
                for number in range(self._number):
                    keepers.create_task(self._keep(f"process-{number + 1}"))
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
        self._running[node_id] = process
        if self._stopping:
            _signal(process, signal.SIGTERM)
        serving = asyncio.ensure_future(self._serve(ours))
        try:
            assert process.stdin is not None
            process.stdin.write(self._job)
            process.stdin.close()
            code = await process.wait()
        finally:
            _signal(process, signal.SIGKILL)  # where the wait was cancelled
            await process.wait()
            del self._running[node_id]
            ours.close() if serving.done() else serving.cancel()
            await asyncio.gather(serving, return_exceptions=True)
        return code


def _first_leaf(error: Exception) -> Exception:
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    if process.returncode is None:
        process.send_signal(number)
