"""Events and lines of logs, numbered as they come."""

from collections.abc import Iterable, Iterator
from itertools import islice

import msgspec

from crawlmesh.model.event import Event
from crawlmesh.model.log_line import LogLine
from crawlmesh.model.query import EventQuery


class EventLog:
    """All events, by id."""

    def __init__(self) -> None:
        self.last_id = 0
        self._rows: dict[int, Event] = {}

    def append(self, events: Iterable[Event]) -> bool:
        """Number and keep events. Whether there were any."""
        before = self.last_id
        for event in events:
            self.last_id += 1
            self._rows[self.last_id] = msgspec.structs.replace(event, id=self.last_id)
        return self.last_id > before

    def read(self, query: EventQuery) -> list[Event]:
        """Events between two ids, oldest or newest first."""
        found = (event for event in self._between(query) if _matches(event, query))
        return list(islice(found, query.limit))

    def prune(self, moment: float, limit: int) -> int:
        """Forget events from before a moment; returns how many."""
        old = list(islice((event.id for event in self._rows.values() if event.at < moment), limit))
        for event_id in old:
            del self._rows[event_id]
        return len(old)

    def _between(self, query: EventQuery) -> Iterator[Event]:
        first = next(iter(self._rows), self.last_id + 1)
        end = self.last_id + 1 if query.before is None else min(query.before, self.last_id + 1)
        ids = range(max(query.after + 1, first), end)
        for event_id in reversed(ids) if query.newest_first else ids:
            event = self._rows.get(event_id)
            if event is not None:
                yield event


class LineLog:
    """All lines of logs, by task."""

    def __init__(self) -> None:
        self._last_id = 0
        self._of_task: dict[str, list[LogLine]] = {}

    def append(self, lines: Iterable[LogLine]) -> set[str]:
        """Number and keep lines. The ids of their tasks."""
        tasks = set()
        for line in lines:
            self._last_id += 1
            self._of_task.setdefault(line.task_id, []).append(msgspec.structs.replace(line, id=self._last_id))
            tasks.add(line.task_id)
        return tasks

    def read(self, task_id: str, execution_id: str | None, after: int, limit: int) -> list[LogLine]:
        """Lines above an id, oldest first."""
        matching = (
            line
            for line in self._of_task.get(task_id, ())
            if line.id > after and (execution_id is None or line.execution_id == execution_id)
        )
        return list(islice(matching, limit))

    def remove_of_task(self, task_id: str) -> None:
        """Forget the lines of a task."""
        self._of_task.pop(task_id, None)

    def prune(self, moment: float, limit: int) -> int:
        """Forget lines from before a moment; returns how many."""
        left = limit
        for task_id, lines in list(self._of_task.items()):
            old = {line.id for line in islice((line for line in lines if line.at < moment), left)}
            if not old:
                continue
            left -= len(old)
            self._of_task[task_id] = [line for line in lines if line.id not in old]
            if not self._of_task[task_id]:
                del self._of_task[task_id]
        return limit - left


def _matches(event: Event, query: EventQuery) -> bool:
    return (
        (not query.types or event.type in query.types)
        and (query.task_id is None or event.task_id == query.task_id)
        and (query.node_id is None or event.node_id == query.node_id)
    )
