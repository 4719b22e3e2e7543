"""Showing a task of a cluster while it runs."""

import asyncio
from collections import deque
from typing import TYPE_CHECKING

from crawlmesh.cli.display import Screen, Snapshot, choose_screen
from crawlmesh.model.crawl import CrawlProgress

if TYPE_CHECKING:
    from crawlmesh.client import Client
    from crawlmesh.client.answers import Task
    from crawlmesh.client.tasks import WatchedTask

_RATE_WINDOW = 10.0  # seconds over which pages per second are measured
_SHOWN_HOSTS = 5


async def watch_task(client: "Client", task_id: str, *, quiet: bool = False) -> "Task":
    """Show a task until it has ended."""
    screen = None if quiet else choose_screen()
    try:
        return await _Watcher(client, screen).watch(task_id)
    finally:
        if screen is not None:
            screen.close()


class _Watcher:
    def __init__(self, client: "Client", screen: Screen | None) -> None:
        self._client = client
        self._screen = screen
        self._status = ""
        self._seen: deque[tuple[float, int]] = deque()
        self._begun: float | None = None

    async def watch(self, task_id: str) -> "Task":
        interval = min(self._screen.interval, 1.0) if self._screen else 0.5
        shown_at = -1e9
        async for moment in self._client.tasks.watch(task_id, interval=interval):
            now = asyncio.get_running_loop().time()
            if self._screen is None:
                continue
            self._tell_status(moment.task, self._screen)
            if moment.progress is not None and now - shown_at >= self._screen.interval:
                shown_at = now
                self._screen.show(await self._snapshot(moment, moment.progress, now))
        return moment.task

    def _tell_status(self, task: "Task", screen: Screen) -> None:
        if task.status != self._status:
            self._status = task.status
            reason = f": {task.reason}" if task.reason else ""
            screen.tell(f"{task.id} is {task.status}{reason}")

    async def _snapshot(self, moment: "WatchedTask", progress: CrawlProgress, now: float) -> Snapshot:
        if self._begun is None:
            self._begun = now
        hosts = [] if moment.task.ended else await self._client.tasks.hosts(moment.task.id, _SHOWN_HOSTS)
        return Snapshot(
            progress=progress,
            hosts=list(hosts),
            elapsed=now - self._begun,
            pages_per_second=self._rate(now, progress.pages),
            remaining=None,
        )

    def _rate(self, now: float, pages: int) -> float:
        self._seen.append((now, pages))
        while self._seen[0][0] < now - _RATE_WINDOW and len(self._seen) > 2:
            self._seen.popleft()
        then, before = self._seen[0]
        return (pages - before) / (now - then) if now > then else 0.0
