"""Conditions of a query that is put together from what was asked."""

from typing import Any


class Conditions:
    """Conditions that must all hold, with their values."""

    def __init__(self) -> None:
        self.values: list[Any] = []
        self._texts: list[str] = []

    def add(self, text: str, *values: Any) -> None:
        """Add a condition; {} stands for a value, {0}, {1} … for one that is used more than once."""
        self._texts.append(self.text(text, *values))

    def text(self, text: str, *values: Any) -> str:
        """A condition as it is written, where it does not stand in `where`."""
        numbers = [f"${len(self.values) + number}" for number in range(1, len(values) + 1)]
        self.values.extend(values)
        return text.format(*numbers)

    def equal(self, **wanted: Any) -> None:
        """Columns that must have a value; None is no condition."""
        for column, value in wanted.items():
            if value is not None:
                self.add(column + " = {}", value)

    def value(self, value: Any) -> str:
        """The place of a value that is no condition."""
        self.values.append(value)
        return f"${len(self.values)}"

    @property
    def where(self) -> str:
        """The WHERE clause."""
        return "WHERE " + " AND ".join(self._texts) if self._texts else ""
