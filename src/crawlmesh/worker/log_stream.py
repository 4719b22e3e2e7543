"""The way of log lines from executions to the master (X5)."""

import asyncio
from collections import deque

from crawlmesh.errors import InvalidError, MasterUnreachableError
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.master import Master
from crawlmesh.protocol.node_messages import LogMessage, NodeLogLine
from crawlmesh.worker.back_off import BackOff
from crawlmesh.worker.plain_results import readable

LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL")
_MOST_LINES = 10_000  # that wait; beyond that the oldest go
_LINES_AT_ONCE = 500
_LONGEST_LINE = 8_000  # characters
_PAUSE = 0.3  # seconds in which lines gather


class LogStream:
    """Keeps lines until the master has them, as far as there is room."""

    def __init__(self, master: Master, clock: Clock, most_lines: int = _MOST_LINES) -> None:
        self._master = master
        self._clock = clock
        self._most_lines = most_lines
        self._lines: deque[NodeLogLine] = deque()
        self._dropped = 0
        self._filled = asyncio.Event()
        self._empty = asyncio.Event()
        self._empty.set()

    def append(self, execution_id: str, task_id: str, level: str, message: str) -> None:
        """Add a line. Never waits, and takes whatever there is."""
        level, message = str(level).upper(), readable(message)
        line = NodeLogLine(
            execution_id=execution_id,
            task_id=task_id,
            at=self._clock.now(),
            level=level if level in LEVELS else "INFO",
            message=message if len(message) <= _LONGEST_LINE else message[:_LONGEST_LINE] + "…",
        )
        if len(self._lines) >= self._most_lines:
            self._lines.popleft()
            self._dropped += 1
        self._lines.append(line)
        self._filled.set()
        self._empty.clear()

    async def flushed(self) -> None:
        """Return when no line waits any more."""
        await self._empty.wait()

    async def run(self, session: int) -> None:
        """Send lines as they come. Raises what tells that the node must register again."""
        back_off = BackOff()
        while True:
            await self._filled.wait()
            await asyncio.sleep(_PAUSE)
            batch = self._batch()
            try:
                await self._master.logs(LogMessage(session=session, lines=batch))
            except MasterUnreachableError:
                await back_off.pause()
                continue
            except InvalidError:
                pass  # lines that the master does not want are of no use to anybody
            back_off.reset()
            self._sent(batch)

    def _batch(self) -> tuple[NodeLogLine, ...]:
        if self._dropped and self._lines:
            first = self._lines.popleft()
            text = f"{self._dropped + 1} lines before this were dropped: the master was away for too long."
            self._lines.appendleft(
                NodeLogLine(
                    execution_id=first.execution_id,
                    task_id=first.task_id,
                    at=first.at,
                    level="WARNING",
                    message=text,
                )
            )
            self._dropped = 0
        return tuple(self._lines)[:_LINES_AT_ONCE]

    def _sent(self, batch: tuple[NodeLogLine, ...]) -> None:
        gone = {id(line) for line in batch}  # some may have been dropped meanwhile
        while self._lines and id(self._lines[0]) in gone:
            self._lines.popleft()
        if not self._lines:
            self._filled.clear()
            self._empty.set()
