"""SQL made from lists of columns: many rows written by one statement, many rows read as one text.

SQLite's Python module lets go of the interpreter lock at every step, and getting it back from a busy
event loop costs milliseconds. So rows are written some hundred at a time, and read in one step: as one
JSON array that msgspec decodes. Numbers with a fraction are bound as they are and printed with 17
digits, because SQLite's own JSON keeps 15 of them.
"""

import sqlite3
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Any, Literal, NamedTuple

import msgspec

_SIZES = (128, 16, 4, 1)  # rows of one statement: few sizes, because each is compiled once and kept

_encode = msgspec.json.Encoder().encode


class Column(NamedTuple):
    """A column and what is in it: text or a whole number, a number with a fraction, or JSON."""

    name: str
    kind: Literal["plain", "real", "json"] = "plain"


def columns(names: str, *, real: str = "", json: str = "") -> tuple[Column, ...]:
    """The columns of a table, in order; those named again under `real` and `json` are of that kind."""
    reals, jsons = set(real.split()), set(json.split())
    return tuple(
        Column(name, "real" if name in reals else "json" if name in jsons else "plain")
        for name in names.split()
    )


def as_object(all_columns: Iterable[Column], table: str, **nested: str) -> str:
    """An SQL expression for a row as a JSON object; `nested` adds keys with expressions of their own."""
    values = {column.name: _as_json(column, table) for column in all_columns} | nested
    keys = ",".join(f'"{name}":%s' for name in values)
    return f"printf('{{{keys}}}', {', '.join(values.values())})"


def _as_json(column: Column, table: str) -> str:
    name = f"{table}.{column.name}"
    if column.kind == "real":
        return f"iif({name} IS NULL, 'null', printf('%!.17g', {name}))"
    if column.kind == "json":
        return f"coalesce({name}, 'null')"
    return f"json_quote({name})"


def listed(expression: str, source: str) -> str:
    """A SELECT for all rows of a source as one JSON array. An order needs a LIMIT in the source."""
    rows = f"SELECT {expression} AS row {source}"
    return f"SELECT '[' || coalesce(group_concat(row, ','), '') || ']' FROM ({rows})"  # noqa: S608


class RowStatement:
    """A statement over many rows; `{rows}` in its text stands for them, as the body of VALUES."""

    def __init__(self, text: str, width: int) -> None:
        row = f"({', '.join('?' * width)})"
        self._texts = {size: text.replace("{rows}", ", ".join([row] * size)) for size in _SIZES}

    def run(self, connection: sqlite3.Connection, rows: Sequence[Sequence[Any]]) -> None:
        """Run it over all rows, in their order."""
        done = 0
        for size in _SIZES:
            while len(rows) - done >= size:
                values = tuple(chain.from_iterable(rows[done : done + size]))
                connection.execute(self._texts[size], values)
                done += size


def insert(table: str, names: Sequence[str], conflict: str = "") -> RowStatement:
    """An INSERT of whole rows."""
    return RowStatement(
        f"INSERT INTO {table} ({', '.join(names)}) VALUES {{rows}} {conflict}",  # noqa: S608
        len(names),
    )


def update(table: str, key: str, names: Sequence[str], condition: str = "") -> RowStatement:
    """An UPDATE of some columns; each row begins with the key. `given` is the row in the condition."""
    changes = ", ".join(f"{name} = given.column{number}" for number, name in enumerate(names, 2))
    return RowStatement(
        f"UPDATE {table} SET {changes} FROM (VALUES {{rows}}) AS given"  # noqa: S608
        f" WHERE {table}.{key} = given.column1 {condition}",
        len(names) + 1,
    )


def json_text(value: Any) -> str:
    """A value as JSON, for a column or for json_each."""
    return _encode(value).decode()


def optional_json(value: Any) -> str | None:
    """A value as JSON; None stays None."""
    return None if value is None else _encode(value).decode()


def object_text(value: Any) -> str:
    """A dict as JSON; most are empty."""
    return _encode(value).decode() if value else "{}"
