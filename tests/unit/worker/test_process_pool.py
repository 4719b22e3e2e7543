import asyncio
import gc
import socket
from collections.abc import Iterator
from pathlib import Path

import pytest

from crawlmesh.adapters.memory import MemoryCrawlStore
from crawlmesh.adapters.pipe import StoreServer
from crawlmesh.errors import StoreError
from crawlmesh.model.crawl import CrawlProgress
from crawlmesh.testing.builders import crawl, lease_request, new_links
from crawlmesh.testing.manual_clock import ManualClock
from crawlmesh.worker import process_pool
from crawlmesh.worker.process_pool import ProcessPool

# Each child has its node's name in argv[1], the number of its socket in argv[2], the job on stdin.
COUNTING = """
import pathlib, sys
runs = pathlib.Path(sys.stdin.read(), sys.argv[1])
runs.write_text(runs.read_text() + "x" if runs.exists() else "x")
"""
DYING_ONCE = COUNTING + "sys.exit(0 if runs.read_text() != 'x' else 9)"
DYING_ALWAYS = COUNTING + "sys.exit(7)"
WAITING = """
import signal, socket, sys
signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
connection = socket.socket(fileno=int(sys.argv[2]))
connection.send(b"ready")
while True:
    signal.pause()
"""
LEASING = """
import asyncio, socket, sys
from crawlmesh.adapters.pipe import PipeCrawlStore
from crawlmesh.testing.builders import all_fetched, lease_request

async def main():
    store = await PipeCrawlStore.open(socket.socket(fileno=int(sys.argv[2])))
    grant = await store.lease(lease_request(node_id=sys.argv[1], max_links=1))
    await store.settle([all_fetched(batch) for batch in grant.batches])
    await store.aclose()

asyncio.run(main())
"""


@pytest.fixture
async def store() -> MemoryCrawlStore:
    store = MemoryCrawlStore(ManualClock())
    await store.create_crawl(crawl())
    await store.add(new_links(4))
    return store


def _pool(store: MemoryCrawlStore, script: str, folder: Path, processes: int = 1) -> ProcessPool:
    return ProcessPool(store, StoreServer(store).serve, ["-c", script], str(folder).encode(), processes)


def _runs(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text() for path in folder.iterdir()}


@pytest.fixture(autouse=True)
def _leaks_warn() -> Iterator[None]:
    yield
    gc.collect()


async def test_processes_run_side_by_side_and_end(store: MemoryCrawlStore, tmp_path: Path) -> None:
    await _pool(store, COUNTING, tmp_path, processes=3).run()
    assert _runs(tmp_path) == {
        "process-1": "x",
        "process-2": "x",
        "process-3": "x",
    }


async def test_processes_speak_to_the_store(store: MemoryCrawlStore, tmp_path: Path) -> None:
    await _pool(store, LEASING, tmp_path).run()
    progress: CrawlProgress = await store.progress("crawl")
    assert (progress.done, progress.pending, progress.leased) == (1, 3, 0)


async def test_a_process_that_dies_is_replaced_and_its_leases_end(
    store: MemoryCrawlStore, tmp_path: Path
) -> None:
    await store.lease(lease_request(node_id="process-1", duration=10_000.0))
    assert (await store.progress("crawl")).leased == 4
    await _pool(store, DYING_ONCE, tmp_path, processes=2).run()
    assert (tmp_path / "process-1").read_text() == "xx"
    assert (await store.progress("crawl")).leased == 0


async def test_too_many_deaths_are_an_error(
    store: MemoryCrawlStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_pool, "_MOST_RESTARTS", 2)
    with pytest.raises(StoreError, match=r"ended 3 times with code 7\. What was stored is safe"):
        await _pool(store, DYING_ALWAYS, tmp_path).run()
    assert (tmp_path / "process-1").read_text() == "xxx"


async def test_an_error_of_one_process_ends_the_others(
    store: MemoryCrawlStore, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_pool, "_MOST_RESTARTS", 0)
    script = f"import sys\nif sys.argv[1] == 'process-2': sys.exit(1)\n{WAITING}"
    with pytest.raises(StoreError, match="code 1"):
        await _pool(store, script, tmp_path, processes=2).run()


class Greeting:
    """Stands in for the server of the store: says when a number of processes are ready."""

    def __init__(self, processes: int) -> None:
        self._ready = asyncio.Semaphore(0)
        self._processes = processes

    async def serve(self, connection: socket.socket) -> None:
        with connection:
            connection.setblocking(False)
            if await asyncio.get_running_loop().sock_recv(connection, 5):
                self._ready.release()
            await asyncio.get_running_loop().create_future()

    async def all_ready(self) -> None:
        for _ in range(self._processes):
            await self._ready.acquire()


def _waiting(store: MemoryCrawlStore, script: str, processes: int = 1) -> tuple[ProcessPool, Greeting]:
    greeting = Greeting(processes)
    return ProcessPool(store, greeting.serve, ["-c", script], b"", processes), greeting


async def test_stop_ends_all_processes(store: MemoryCrawlStore) -> None:
    pool, greeting = _waiting(store, WAITING, processes=2)
    running = asyncio.ensure_future(pool.run())
    await greeting.all_ready()
    pool.stop()
    pool.stop()
    await running


async def test_a_process_that_does_not_stop_is_killed(
    store: MemoryCrawlStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(process_pool, "_STOP_PATIENCE", 0.0)
    deaf = WAITING.replace("lambda *_: sys.exit(0)", "signal.SIG_IGN")
    pool, greeting = _waiting(store, deaf)
    running = asyncio.ensure_future(pool.run())
    await greeting.all_ready()
    pool.stop()
    await running


async def test_processes_are_killed_with_the_run(store: MemoryCrawlStore) -> None:
    pool, greeting = _waiting(store, WAITING)
    running = asyncio.ensure_future(pool.run())
    await greeting.all_ready()
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running


async def test_a_job_that_is_larger_than_a_pipe_arrives_whole(store: MemoryCrawlStore) -> None:
    script = "import sys; sys.exit(0 if len(sys.stdin.read()) == 3_000_000 else 1)"
    pool = ProcessPool(store, StoreServer(store).serve, ["-c", script], b"x" * 3_000_000, 1)
    await pool.run()


async def test_a_process_that_does_not_read_its_job_is_no_harm(store: MemoryCrawlStore) -> None:
    pool = ProcessPool(store, StoreServer(store).serve, ["-c", ""], b"x" * 3_000_000, 1)
    await pool.run()
