"""The executions that run on this node."""

import asyncio
from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Literal, NamedTuple

from crawlmesh.errors import UsageError
from crawlmesh.model.execution import Assignment, EndedBy
from crawlmesh.model.task import TaskResult
from crawlmesh.ports.clock import Clock
from crawlmesh.protocol.node_messages import ExecutionReport, StopOrder
from crawlmesh.worker.execution_context import ExecutionContext
from crawlmesh.worker.executors.base import Executor
from crawlmesh.worker.log_stream import LogStream
from crawlmesh.worker.plain_results import plain_result, readable
from crawlmesh.worker.worker_log import WorkerLog

_STOP_PATIENCE = 2.0  # seconds between the wish to stop and the cancellation
_REMEMBERED = 1_000  # executions that ended
_WORTH_TELLING = 0.2  # seconds of work until the begin of an execution is told


class WorkReadings(NamedTuple):
    """What a heartbeat says of the work on this node."""

    errors: int  # failed executions
    latencies: tuple[float, ...]  # seconds between arrival and begin, of each execution that began

    @property
    def latency(self) -> float:
        """The mean, in seconds; 0 where nothing began."""
        return sum(self.latencies) / len(self.latencies) if self.latencies else 0.0


class _Entry:
    """One execution: its task in the event loop, and what is known of it."""

    def __init__(self, assignment: Assignment, context: ExecutionContext, received_at: float) -> None:
        self.assignment = assignment
        self.context = context
        self.received_at = received_at
        self.begun = False
        self.begin_told = False
        self.dropped = False
        self.ended = False
        self.stop: EndedBy | None = None
        self.task: asyncio.Task[None] | None = None


class Executions:
    """Begins, stops and drops executions, and hands out what became of them."""

    def __init__(
        self,
        executors: Mapping[str, Executor],
        logs: LogStream,
        clock: Clock,
        folder: Path,
        stop_patience: float = _STOP_PATIENCE,
        log: WorkerLog | None = None,
    ) -> None:
        self._executors = executors
        self._logs = logs
        self._clock = clock
        self._folder = folder
        self._stop_patience = stop_patience
        self._log = log or WorkerLog(clock)
        self._entries: dict[str, _Entry] = {}  # until their report is answered
        self._over: OrderedDict[str, None] = OrderedDict()
        self._idle = asyncio.Event()
        self._idle.set()
        self._tasks: set[asyncio.Task[None]] = set()  # also of those that were dropped
        self._leaving = False
        self._errors = 0
        self._latencies: list[float] = []  # seconds
        self.on_end: Callable[[ExecutionReport], None] = _ignore
        self.on_over: Callable[[str], None] = _ignore_id  # it was answered or dropped

    @property
    def known(self) -> tuple[str, ...]:
        """All executions whose report the master has not answered."""
        return tuple(self._entries)

    @property
    def started(self) -> tuple[str, ...]:
        """Those that have been worked on for a while and whose begin the master does not know yet.

        What ends at once is told by its report alone.
        """
        since = self._clock.monotonic() - _WORTH_TELLING
        return tuple(name for name in self._untold_begins() if self._entries[name].received_at <= since)

    @property
    def beginning(self) -> bool:
        """Whether there are executions whose begin will have to be told soon."""
        return any(True for _ in self._untold_begins())

    def begins_told(self, execution_ids: Iterable[str]) -> None:
        """The master knows that these have begun."""
        for execution_id in execution_ids:
            if execution_id in self._entries:
                self._entries[execution_id].begin_told = True

    def _untold_begins(self) -> Iterator[str]:
        for name, entry in self._entries.items():
            if entry.begun and not entry.ended and not entry.begin_told:
                yield name

    @property
    def running_tasks(self) -> tuple[str, ...]:
        """The tasks that are worked on."""
        return tuple(entry.assignment.task.id for entry in self._entries.values() if not entry.ended)

    def readings(self) -> WorkReadings:
        """What happened since the last readings that were told."""
        return WorkReadings(self._errors, tuple(self._latencies))

    def told(self, readings: WorkReadings) -> None:
        """A master has these: the next ones begin after them."""
        self._errors -= readings.errors
        del self._latencies[: len(readings.latencies)]

    def take(self, assignment: Assignment) -> None:
        """Begin an execution, unless it is known, over, or this node is about to leave."""
        execution = assignment.execution
        if self._leaving or execution.id in self._entries or execution.id in self._over:
            return
        context = ExecutionContext(
            execution.id,
            partial(self._logs.append, execution.id, assignment.task.id),
            self._clock.now,
            self._folder,
            execution.allocation,
        )
        entry = self._entries[execution.id] = _Entry(assignment, context, self._clock.monotonic())
        self._idle.clear()
        self._log.took(assignment)
        entry.task = asyncio.get_running_loop().create_task(self._run(entry))
        self._tasks.add(entry.task)
        entry.task.add_done_callback(self._done)

    def stop(self, order: StopOrder) -> None:
        """Let an execution end soon, keeping what is done."""
        entry = self._entries.get(order.execution_id)
        if entry is None or entry.stop is not None or entry.ended:
            return
        entry.stop = order.reason
        entry.context.stop.set()
        assert entry.task is not None
        asyncio.get_running_loop().call_later(self._stop_patience, entry.task.cancel)

    def stop_all(self, reason: EndedBy) -> None:
        """Let all executions end soon."""
        for execution_id in self.known:
            self.stop(StopOrder(execution_id, reason))

    def let_finish(self) -> None:
        """Take nothing new. What others can go on with ends soon; the rest may come to its end."""
        self._leaving = True
        for execution_id, entry in list(self._entries.items()):
            if getattr(self._executors.get(entry.assignment.task.task_type), "resumable", False):
                self.stop(StopOrder(execution_id, EndedBy.RELEASED))

    def drop(self, execution_id: str) -> None:
        """Break an execution off, and say nothing of it: it is no longer ours."""
        entry = self._entries.pop(execution_id, None)
        if entry is None:
            return
        self._remember(execution_id)
        entry.dropped = True
        if entry.task is not None and not entry.task.done():
            entry.task.cancel()
        self._look_idle()

    def drop_all(self) -> None:
        """Drop every execution."""
        for execution_id in self.known:
            self.drop(execution_id)

    def answered(self, execution_id: str) -> None:
        """The master has the report of an execution."""
        if self._entries.pop(execution_id, None) is not None:
            self._remember(execution_id)

    async def idle(self) -> None:
        """Return when nothing runs."""
        await self._idle.wait()

    async def aclose(self) -> None:
        """Drop what runs, and wait until it is gone; what does not go is broken off."""
        self.drop_all()
        while self._tasks:
            await asyncio.wait(list(self._tasks), timeout=self._stop_patience)
            for task in self._tasks:
                task.cancel()

    def _done(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled():
            task.exception()  # nothing waits for it
        self._look_idle()

    async def _run(self, entry: _Entry) -> None:
        try:
            report = await self._execute(entry)
        finally:
            entry.ended = True
            entry.context.clean_up()
        if not entry.dropped:
            if report.outcome == "failed":
                self._errors += 1
            seconds = self._clock.monotonic() - entry.received_at
            self._log.ended(report, entry.assignment.task.id, seconds)
            self.on_end(report)

    async def _execute(self, entry: _Entry) -> ExecutionReport:
        task = entry.assignment.task
        entry.begun = True
        self._latencies.append(self._clock.monotonic() - entry.received_at)
        executor = self._executors.get(task.task_type)
        if executor is None:
            entry.context.retry = False
            return self._failure(
                entry, f"This node has no executor for tasks of the type {task.task_type!r}."
            )
        try:
            returned = await executor.execute(entry.assignment, entry.context)
            result = plain_result(returned, self._clock.now())
        except asyncio.CancelledError:
            if entry.dropped or (entry.stop is None and _was_cancelled()):
                raise
            return self._failure(entry, "The executor cancelled itself.")
        except UsageError as error:
            entry.context.retry = False
            return self._failure(entry, str(error))
        except (Exception, SystemExit) as error:
            return self._failure(
                entry, f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            )
        if entry.stop is not None and not entry.context.completed:
            return _report(entry, "stopped", result)
        if not result.success:
            self._logs.append(entry.context.execution_id, task.id, "ERROR", result.error or "It failed.")
        return _report(entry, "completed" if result.success else "failed", result)

    def _failure(self, entry: _Entry, error: str) -> ExecutionReport:
        if entry.stop is not None:
            return _report(entry, "stopped", None)
        self._logs.append(entry.context.execution_id, entry.assignment.task.id, "ERROR", error)
        told = TaskResult(success=False, error=readable(error), timestamp=self._clock.now())
        return _report(entry, "failed", told)

    def is_over(self, execution_id: str) -> bool:
        """Whether it was here, as far as that is remembered."""
        return execution_id in self._over

    def _remember(self, execution_id: str) -> None:
        self._over[execution_id] = None
        if len(self._over) > _REMEMBERED:
            self._over.popitem(last=False)
        self.on_over(execution_id)

    def _look_idle(self) -> None:
        if not self._tasks:
            self._idle.set()


def _was_cancelled() -> bool:
    """Whether somebody cancelled the task of the event loop that runs."""
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _ignore(_: ExecutionReport) -> None:
    pass


def _ignore_id(_: str) -> None:
    pass


def _report(
    entry: _Entry, outcome: Literal["completed", "failed", "stopped"], result: TaskResult | None
) -> ExecutionReport:
    execution = entry.assignment.execution
    return ExecutionReport(
        execution_id=execution.id,
        fence=execution.fence,
        outcome=outcome,
        result=result,
        retry=entry.context.retry,
    )
