"""Crawl processes that begin as copies of this one: they need not import everything again."""

import asyncio
import gc
import multiprocessing
import os
import socket
from collections.abc import Callable

_LENGTH_BYTES = 4

Work = Callable[[str, socket.socket, bytes], None]
"""What a copy does: with the name of its node, its end of the socket to the store, and its job."""


class ForkedProcess:
    """A copy of this process that waits for its job. Offers what the pool asks of any process."""

    def __init__(self, node_id: str, work: Work, not_its_own: list[socket.socket]) -> None:
        self.connection, theirs = socket.socketpair()
        # As long as a copy held an end of ours, it would not notice that this process is gone.
        ours = [*not_its_own, self.connection]
        with theirs:
            self._process = multiprocessing.get_context("fork").Process(
                target=_be_a_copy, args=(work, node_id, theirs, ours), daemon=True
            )
            self._process.start()

    @property
    def returncode(self) -> int | None:
        """As of `asyncio.subprocess.Process`."""
        return self._process.exitcode

    def give(self, job: bytes) -> None:
        """Let it begin."""
        try:
            self.connection.sendall(len(job).to_bytes(_LENGTH_BYTES) + job)
        except BrokenPipeError:
            return  # it is dead, which `wait` tells

    def send_signal(self, number: int) -> None:
        """As of `asyncio.subprocess.Process`."""
        if self._process.pid is not None and self._process.exitcode is None:
            os.kill(self._process.pid, number)

    async def wait(self) -> int:
        """As of `asyncio.subprocess.Process`."""
        if self._process.exitcode is None:
            await self._end_of_life()
            self._process.join()  # the kernel has closed its files, so that this takes no time
        assert self._process.exitcode is not None
        return self._process.exitcode

    async def _end_of_life(self) -> None:
        loop = asyncio.get_running_loop()
        ended = asyncio.Event()
        loop.add_reader(self._process.sentinel, ended.set)
        try:
            await ended.wait()
        finally:
            loop.remove_reader(self._process.sentinel)


def fork_processes(node_ids: list[str], work: Work) -> dict[str, ForkedProcess]:
    """Copies of this process, by the names of their nodes.

    To be called before there is an event loop or a thread: of those a copy would get a broken half.
    """
    gc.freeze()  # what is shared stays shared: the collector would write to it
    processes: dict[str, ForkedProcess] = {}
    for node_id in node_ids:
        earlier = [process.connection for process in processes.values()]
        processes[node_id] = ForkedProcess(node_id, work, earlier)
    return processes


def _be_a_copy(work: Work, node_id: str, connection: socket.socket, not_its_own: list[socket.socket]) -> None:
    os.setpgid(0, 0)  # a terminal's Ctrl-C is for the first process, which tells the others
    for other in not_its_own:
        other.close()
    length = connection.recv(_LENGTH_BYTES, socket.MSG_WAITALL)
    job = connection.recv(int.from_bytes(length), socket.MSG_WAITALL) if length else b""
    work(node_id, connection, job)
