"""The tasks of a cluster."""

import asyncio
import uuid
from collections.abc import AsyncIterator, Iterable, Sequence
from itertools import islice
from typing import Any, BinaryIO

import msgspec

from crawlmesh.client.answers import (
    Execution,
    Explanation,
    Failure,
    LogLine,
    Record,
    SteeredTask,
    SubmittedTask,
    Task,
    UrlStory,
)
from crawlmesh.client.connection import Connection
from crawlmesh.client.paging import Page, all_items
from crawlmesh.client.paths import path_part
from crawlmesh.model.crawl import CrawlProgress, HostProgress
from crawlmesh.protocol.task_messages import NewTask

_BATCH = 1_000  # tasks in one request
_RECORDS = 500  # in one request
_LINES = 1_000  # in one request
_EXPORT_SILENCE = 900.0  # seconds: some formats are written whole before the first byte comes


class _Batch(msgspec.Struct):
    tasks: list[SubmittedTask]


class _Steered(msgspec.Struct):
    tasks: list[SteeredTask]


class _Items(msgspec.Struct):
    items: list[Any]


class WatchedTask(msgspec.Struct, frozen=True):
    """A task at one moment; `progress` where it is a crawl that has begun."""

    task: Task
    progress: CrawlProgress | None


class Tasks:
    """Submitting tasks, steering them, and looking at them."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    async def submit(self, task: NewTask | str, *, idempotency_key: str | None = None) -> SubmittedTask:
        """Submit a task; a text is the URL of a page to crawl.

        It is taken once, also when the connection breaks and the request is repeated.
        """
        new = NewTask(parameters={"url": task}) if isinstance(task, str) else task
        return await self._connection.ask(
            "POST",
            "/api/v1/tasks",
            SubmittedTask,
            body=_body(new),
            idempotency_key=idempotency_key or uuid.uuid4().hex,
        )

    async def submit_many(
        self, tasks: Iterable[NewTask], *, idempotency_key: str | None = None
    ) -> list[SubmittedTask]:
        """Submit tasks in batches."""
        key = idempotency_key or uuid.uuid4().hex
        waiting = iter(tasks)
        taken: list[SubmittedTask] = []
        while batch := [_body(task) for task in islice(waiting, _BATCH)]:
            answer = await self._connection.ask(
                "POST",
                "/api/v1/tasks:batch",
                _Batch,
                body={"tasks": batch},
                idempotency_key=f"{key}-{len(taken)}",
            )
            taken += answer.tasks
        return taken

    async def get(self, task_id: str) -> Task:
        """One task."""
        return await self._connection.ask("GET", _path(task_id), Task)

    async def page(self, *, cursor: str | None = None, limit: int = 50, **conditions: Any) -> Page[Task]:
        """A page of tasks. Conditions are those of the interface: status, project_id, sort and so on."""
        query = {**conditions, "cursor": cursor, "limit": limit}
        return await self._connection.ask("GET", "/api/v1/tasks", Page[Task], query=query)

    def list(self, *, page_size: int = 100, **conditions: Any) -> AsyncIterator[Task]:
        """All tasks that fulfil the conditions, page by page."""
        return all_items(self._connection, "/api/v1/tasks", Task, conditions, page_size)

    async def stats(self) -> dict[str, Any]:
        """How many tasks there are in which status."""
        return await self._connection.ask("GET", "/api/v1/tasks/stats", dict[str, Any])

    async def cancel(self, task_id: str) -> Task:
        """End a task for good."""
        return await self._steer(task_id, "cancel")

    async def pause(self, task_id: str) -> Task:
        """Stop a task so that it can go on where it was."""
        return await self._steer(task_id, "pause")

    async def resume(self, task_id: str) -> Task:
        """Go on with a paused task."""
        return await self._steer(task_id, "resume")

    async def retry(self, task_id: str) -> Task:
        """Take an ended task again."""
        return await self._steer(task_id, "retry")

    async def retry_failed(
        self, task_id: str, *, reason: str | None = None, urls: Sequence[str] | None = None
    ) -> Task:
        """Take the dead links of a crawl again: all, those that died for a reason, or these."""
        conditions = {"reason": reason, "urls": None if urls is None else list(urls)}
        body = {name: value for name, value in conditions.items() if value is not None}
        return await self._connection.ask("POST", _path(task_id, ":retry-failed"), Task, body=body)

    def failures(self, task_id: str, reason: str | None = None) -> AsyncIterator[Failure]:
        """The dead links of a crawl, in the order in which they were found."""
        return all_items(self._connection, _path(task_id, "/failures"), Failure, {"reason": reason}, _RECORDS)

    async def prioritize(self, task_ids: Sequence[str], priority: int) -> Sequence[SteeredTask]:
        """Give many tasks another priority; the answer says what became of each."""
        body = {"ids": list(task_ids), "priority": priority}
        answer = await self._connection.ask("POST", "/api/v1/tasks:prioritize", _Steered, body=body)
        return answer.tasks

    async def reprioritize(self, task_id: str, priority: int) -> Task:
        """Give a task another priority."""
        return await self._connection.ask("PATCH", _path(task_id), Task, body={"priority": priority})

    async def executions(self, task_id: str) -> Sequence[Execution]:
        """All goes at a task, oldest first."""
        answer = await self._connection.ask("GET", _path(task_id, "/executions"), _Items)
        return msgspec.convert(answer.items, type=list[Execution])

    async def progress(self, task_id: str) -> CrawlProgress:
        """The counters of a crawl."""
        return await self._connection.ask("GET", _path(task_id, "/progress"), CrawlProgress)

    async def hosts(self, task_id: str, limit: int = 100) -> Sequence[HostProgress]:
        """The hosts of a crawl, those with most dead links first, then the slowest."""
        answer = await self._connection.ask("GET", _path(task_id, "/hosts"), _Items, query={"limit": limit})
        return msgspec.convert(answer.items, type=list[HostProgress])

    async def why(self, task_id: str, url: str) -> UrlStory | None:
        """What became of one URL of a crawl; None where no page linked to it."""
        answer: Any = UrlStory | None
        story: UrlStory | None = await self._connection.ask(
            "GET", _path(task_id, "/why"), answer, query={"url": url}
        )
        return story

    async def explain(self, task_id: str) -> Explanation:
        """Why a task waits, or why it was given to its node."""
        return await self._connection.ask("GET", _path(task_id, "/explain"), Explanation)

    def records(self, task_id: str) -> AsyncIterator[Record]:
        """What the pages of a crawl yielded."""
        return all_items(self._connection, _path(task_id, "/records"), Record, {}, _RECORDS)

    async def export(self, task_id: str, file: BinaryIO, file_format: str = "jsonl") -> int:
        """Write all records into an open file: as `jsonl`, `csv` or `parquet`. Returns how many bytes."""
        path, query = _path(task_id, "/records:export"), {"format": file_format}
        size = 0
        async with self._connection.stream(path, query, {}, accept="*/*", silence=_EXPORT_SILENCE) as content:
            async for piece in content.iter_any():
                file.write(piece)
                size += len(piece)
        return size

    async def logs(
        self, task_id: str, *, execution_id: str | None = None, follow: bool = False, interval: float = 1.0
    ) -> AsyncIterator[LogLine]:
        """The lines of a task's log; with `follow` also those to come, until the task has ended."""
        after = 0
        while True:
            ended = not follow or (await self.get(task_id)).ended
            while lines := await self._log_lines(task_id, execution_id, after):
                for line in lines:
                    yield line
                after = lines[-1].id
            if ended:
                return
            await asyncio.sleep(interval)

    async def watch(self, task_id: str, *, interval: float = 0.5) -> AsyncIterator[WatchedTask]:
        """The task again and again (`interval` seconds apart) until it has ended."""
        while True:
            task = await self.get(task_id)
            yield WatchedTask(task, await self._progress_so_far(task))
            if task.ended:
                return
            await asyncio.sleep(interval)

    async def _progress_so_far(self, task: Task) -> CrawlProgress | None:
        if task.task_type != "web_crawl" or task.assigned_node is None:
            return None
        return await self.progress(task.id)

    async def _log_lines(self, task_id: str, execution_id: str | None, after: int) -> Sequence[LogLine]:
        query = {"after": after, "execution_id": execution_id, "limit": _LINES}
        answer = await self._connection.ask("GET", _path(task_id, "/logs"), _Items, query=query)
        return msgspec.convert(answer.items, type=list[LogLine])

    async def _steer(self, task_id: str, verb: str) -> Task:
        return await self._connection.ask("POST", _path(task_id, f":{verb}"), Task)


def _path(task_id: str, rest: str = "") -> str:
    return f"/api/v1/tasks/{path_part('task', task_id)}{rest}"


def _body(task: NewTask) -> dict[str, Any]:
    """The fields that were chosen; the rest is left to the master."""
    chosen: dict[str, Any] = msgspec.to_builtins(task)
    defaults = msgspec.to_builtins(NewTask())
    return {
        name: value
        for name, value in chosen.items()
        if name in {"task_type", "parameters"} or value != defaults[name]
    }
