"""What the writer of the file keeps in memory beside it, and its short ways to the tables."""

import sqlite3
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from crawlmesh.adapters.sqlite.control.rows import EVENT, LINE, event_row, line_row, names
from crawlmesh.adapters.sqlite.control.statements import RowStatement, insert, json_text
from crawlmesh.model.event import Event
from crawlmesh.model.log_line import LogLine

_INSERT_EVENTS = insert("cluster_events", names(EVENT))
_INSERT_LINES = insert("execution_logs", names(LINE))

_COUNTED = {
    "task_counts": ("status", "tasks"),
    "queue_counts": ("queue", "tasks"),
    "node_loads": ("node_id", "running"),
}
_COUNT = {
    table: f"INSERT INTO {table} ({key}, {number})"  # noqa: S608
    " SELECT value->>0, value->>1 FROM json_each(?) WHERE true"
    f" ON CONFLICT ({key}) DO UPDATE SET {number} = {number} + excluded.{number}"
    for table, (key, number) in _COUNTED.items()
}
_FORGET_ZEROS = {
    table: f"DELETE FROM {table} WHERE {number} = 0"  # noqa: S608
    f" AND {key} IN (SELECT value->>0 FROM json_each(?))"
    for table, (key, number) in _COUNTED.items()
}

_KEEP_IDS = "UPDATE last_ids SET id = value->>1 FROM json_each(?) WHERE kind = value->>0"


class Session:
    """The writer's connection, the last ids given, and the topics of what is told with the next commit.

    It is changed only by the writer's thread. Counters and last ids are written by `flush`, once for all
    calls that are committed together; after a rollback, `reset` makes it read the ids again.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        self.connection = connection
        self.told: set[str] = set()
        self._last_ids: dict[str, int] = {}
        self._ids_taken = False
        self._differences: dict[str, Counter[str]] = {table: Counter() for table in _COUNTED}

    def reset(self) -> None:
        """Forget what was not committed."""
        self.told.clear()
        self._last_ids.clear()
        self._ids_taken = False
        for differences in self._differences.values():
            differences.clear()

    def flush(self) -> None:
        """Write the counters that differ and the ids that were taken."""
        if self._ids_taken:
            self.run(_KEEP_IDS, json_text(list(self._last_ids.items())))
            self._ids_taken = False
        for table, differences in self._differences.items():
            if differences:
                self._write_counts(table, differences)
                differences.clear()

    def one(self, sql: str, *parameters: Any) -> Any:
        """The first column of the first row, or None."""
        row = self.connection.execute(sql, parameters).fetchone()
        return None if row is None else row[0]

    def run(self, sql: str, *parameters: Any) -> int:
        """Run one statement; returns how many rows it changed."""
        return self.connection.execute(sql, parameters).rowcount

    def write(self, statement: RowStatement, rows: Sequence[Sequence[Any]]) -> None:
        """Run a statement over many rows."""
        statement.run(self.connection, rows)

    def append_events(self, events: Sequence[Event]) -> None:
        """Number and write events."""
        if events:
            first = self._take_ids("events", len(events))
            rows = [event_row(first + number, event) for number, event in enumerate(events)]
            self.write(_INSERT_EVENTS, rows)
            self.told.add("events")

    def append_lines(self, lines: Sequence[LogLine]) -> None:
        """Number and write lines of logs."""
        if lines:
            first = self._take_ids("logs", len(lines))
            self.write(_INSERT_LINES, [line_row(first + number, line) for number, line in enumerate(lines)])
            self.told.update(f"logs:{line.task_id}" for line in lines)

    def count(self, table: str, differences: Mapping[str, int]) -> None:
        """Add to counters; those that come to zero are forgotten."""
        self._differences[table].update(differences)

    def _write_counts(self, table: str, differences: Counter[str]) -> None:
        rows = [(key, number) for key, number in differences.items() if number]
        if rows:
            text = json_text(rows)
            self.run(_COUNT[table], text)
            if any(number < 0 for _, number in rows):
                self.run(_FORGET_ZEROS[table], text)

    def _take_ids(self, kind: str, number: int) -> int:
        last = self._last_ids.get(kind)
        if last is None:
            last = self.one("SELECT id FROM last_ids WHERE kind = ?", kind)
        self._last_ids[kind] = last + number
        self._ids_taken = True
        return int(last) + 1


def json_list(values: Iterable[str]) -> str:
    """Texts as a JSON array, for json_each."""
    return msgspec.json.encode(list(values)).decode()
