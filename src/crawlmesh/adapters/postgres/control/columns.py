"""How objects become rows and rows become objects again.

Objects go to the server as one JSON text, however many there are: that costs half of what one array
for each column costs, on both sides.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from enum import Enum
from typing import Any

import msgspec

from crawlmesh.errors import InvalidError

_encoder = msgspec.json.Encoder()
_zero = re.compile(r"(?<!\\)((?:\\\\)*)\\u0000")  # but not an escaped backslash before "u0000"


class Column(msgspec.Struct, frozen=True):
    """A column: its name, its type in PostgreSQL, and how values come out (None: as they are)."""

    name: str
    type: str
    decode: Callable[[Any], Any] | None = None
    field: str = ""  # of the objects; "": the name
    part: str = ""  # of the field, where that is a document


class Table:
    """The columns of a table that are written and read together."""

    def __init__(self, name: str, columns: tuple[Column, ...]) -> None:
        self.name = name
        self.columns = columns
        self._keys = tuple(column.name for column in columns)
        self._decoded = [
            (number, column.decode) for number, column in enumerate(columns) if column.decode is not None
        ]

    @property
    def names(self) -> str:
        """The columns, for SELECT and INSERT."""
        return ", ".join(self._keys)

    def prefixed(self, alias: str) -> str:
        """The columns of an alias, for SELECT."""
        return ", ".join(f"{alias}.{name}" for name in self._keys)

    @property
    def fields(self) -> str:
        """The fields of the objects with their types."""
        found = {
            column.field or column.name: "json" if column.part else column.type for column in self.columns
        }
        return ", ".join(f"{name} {kind}" for name, kind in found.items())

    @property
    def insert(self) -> str:
        """INSERT of the objects in the JSON text $1."""
        values = ", ".join(_value(column) for column in self.columns)
        return (
            f"INSERT INTO {self.name} ({self.names})"  # noqa: S608
            f" SELECT {values} FROM json_to_recordset($1) AS given ({self.fields})"
        )

    def update(self, leave: Sequence[str] = ("id",)) -> str:
        """UPDATE by id of the objects in the JSON text $1, but for some columns."""
        changed = (column for column in self.columns if column.name not in leave)
        assignments = ", ".join(f"{column.name} = {_value(column)}" for column in changed)
        return (
            f"UPDATE {self.name} SET {assignments}"  # noqa: S608
            f" FROM json_to_recordset($1) AS given ({self.fields}) WHERE {self.name}.id = given.id"
        )

    @property
    def replace(self) -> str:
        """INSERT, or UPDATE where the id is there already."""
        names = (name for name in self._keys if name != "id")
        assignments = ", ".join(f"{name} = excluded.{name}" for name in names)
        return f"{self.insert} ON CONFLICT (id) DO UPDATE SET {assignments}"

    def values(self, row: Iterable[Any]) -> dict[str, Any]:
        """The values of a row, decoded, by column."""
        values = list(row)
        for number, decode in self._decoded:
            value = values[number]
            if value is not None:
                values[number] = decode(value)
        return dict(zip(self._keys, values, strict=True))


def document(objects: Iterable[Any]) -> str:
    """Objects as the JSON text that the statements of a table take.

    PostgreSQL's texts cannot hold U+0000, and pages, logs and results come from anywhere: it becomes
    U+FFFD, which stands for a character that could not be kept.
    """
    try:
        written = _encoder.encode(list(objects)).decode()
        return _zero.sub(r"\1\\ufffd", written) if "\\u0000" in written else written
    except UnicodeEncodeError as error:
        raise InvalidError(f"A text of the request is not valid Unicode: {error.reason}.") from error


def text(name: str) -> Column:
    """A text."""
    return Column(name, "text")


def texts(*names: str) -> tuple[Column, ...]:
    """Several texts."""
    return tuple(map(text, names))


def choice(name: str, kind: type[Enum], field: str = "", part: str = "") -> Column:
    """A text that is one of an enumeration."""
    members = {member.value: member for member in kind}
    return Column(name, "text", members.__getitem__, field, part)


def number(name: str) -> Column:
    """A whole number."""
    return Column(name, "bigint")


def moment(name: str) -> Column:
    """A moment in Unix seconds, or any other number with a fraction."""
    return Column(name, "double precision")


def json(name: str, kind: Any = None, field: str = "", part: str = "") -> Column:
    """A JSON document; `kind` is what it is decoded to."""
    return Column(name, "json", msgspec.json.Decoder(Any if kind is None else kind).decode, field, part)


def _value(column: Column) -> str:
    field = column.field or column.name
    if not column.part:
        return f"given.{field}"
    return f"(given.{field} ->> '{column.part}')::{column.type}"
