"""A master and workers to measure, as real processes."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import aiohttp
import psutil

from crawlmesh.testing.cluster_processes import ClusterProcesses, free_port

_PATIENCE = 60.0  # seconds until something that shall happen must have happened


class Deployment:
    """A master and any number of workers; ends with its `async with` block."""

    def __init__(
        self, folder: Path, control_store: str | None = None, crawl_store: str | None = None
    ) -> None:
        stores = {"control_store": control_store, "crawl_store": crawl_store}
        settings = {name: url for name, url in stores.items() if url}
        self._processes = ClusterProcesses(folder, settings | {"allow_ignoring_robots": "true"})
        self._workers = 0
        self.key = self._processes.key
        self.url = ""
        self.http: aiohttp.ClientSession

    async def __aenter__(self) -> Self:
        self.url = self._processes.start_master("master", free_port())
        headers = {"Authorization": f"Bearer {self.key}"}
        connector = aiohttp.TCPConnector(limit=0)
        self.http = aiohttp.ClientSession(self.url, headers=headers, connector=connector)
        try:
            await self._until(self._leads, "the master leads")
        except BaseException:
            await self.__aexit__(None, None, None)
            raise
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        await self.http.close()
        self._processes.__exit__(kind, error, traceback)

    async def start_workers(self, number: int, **settings: object) -> None:
        """Start workers and wait until all of them are online."""
        for _ in range(number):
            self._workers += 1
            self._processes.start_worker(f"worker-{self._workers}", self.url, **settings)

        async def all_online() -> bool:
            online = (await self.get("/api/v1/nodes?status=online&limit=200"))["items"]
            return len(online) >= self._workers

        await self._until(all_online, f"{self._workers} workers are online")

    async def get(self, path: str) -> Any:
        async with self.http.get(path) as response:
            response.raise_for_status()
            return await response.json()

    async def post(self, path: str, body: Any) -> Any:
        async with self.http.post(path, json=body) as response:
            if response.status >= 400:
                raise RuntimeError(f"{path}: {response.status} {await response.text()}")
            return await response.json()

    async def completed_tasks(self) -> int:
        """How many tasks are completed; none may have ended otherwise."""
        counts = (await self.get("/api/v1/tasks/stats"))["by_status"]
        other = sum(counts.get(status, 0) for status in ("failed", "timeout", "cancelled"))
        if other:
            raise RuntimeError(f"{other} tasks did not complete")
        return int(counts.get("completed", 0))

    def cpu_seconds(self, name: str | None = None) -> float:
        """User and system time so far, of one process and its children or of all."""
        running = self._processes.running
        return sum(_tree_seconds(running[each].pid) for each in ([name] if name else running))

    async def _leads(self) -> bool:
        try:
            async with self.http.get("/health") as response:
                return bool((await response.json()).get("leader"))
        except aiohttp.ClientError:
            return False

    async def _until(self, holds: Callable[[], Awaitable[bool]], what: str) -> None:
        deadline = time.monotonic() + _PATIENCE
        while not await holds():
            self._processes.raise_for_ended()
            if time.monotonic() > deadline:
                raise RuntimeError(f"after {_PATIENCE:.0f} seconds it is still not so that {what}")
            await asyncio.sleep(0.05)


def _tree_seconds(process_id: int) -> float:
    try:
        process = psutil.Process(process_id)
        members = [process, *process.children(recursive=True)]
    except psutil.Error:
        return 0.0
    total = 0.0
    for member in members:
        try:
            times = member.cpu_times()
        except psutil.Error:
            continue
        total += times.user + times.system
    return total
