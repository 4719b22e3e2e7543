"""Printing answers: tables for people, JSON for machines."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import Any

import click
import msgspec
from rich.table import Table
from rich.text import Text

from crawlmesh.cli.console import table_console

_STYLES = {
    "completed": "green",
    "online": "green",
    "healthy": "green",
    "active": "green",
    "processing": "cyan",
    "assigned": "cyan",
    "running": "cyan",
    "paused": "yellow",
    "waiting": "yellow",
    "draining": "yellow",
    "maintenance": "yellow",
    "degraded": "yellow",
    "failed": "red",
    "timeout": "red",
    "unresponsive": "red",
    "unhealthy": "red",
    "unreachable": "red",
}

_ANY_WIDTH = 10_000  # characters


def print_json(value: object) -> None:
    """One JSON value, indented."""
    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def print_json_line(value: object) -> None:
    """One JSON value on one line."""
    click.echo(msgspec.json.encode(value).decode())


def print_table(
    columns: Sequence[str], rows: Iterable[Sequence[Any]], none: str, *, leave_out: Sequence[str] = ()
) -> None:
    """Rows under a head; the sentence `none` where there are no rows.

    Where the terminal is too narrow, the columns of `leave_out` are, one after the other, until the rest
    fits. The first column has what people copy, and is never broken.
    """
    cells = [[_cell(value) for value in row] for row in rows]
    if not cells:
        click.echo(none)
        return
    console = table_console()
    shown = list(columns)
    for name in (None, *leave_out):
        shown = [column for column in shown if column != name]
        table = _table([columns.index(column) for column in shown], columns, cells)
        if console.measure(table, options=console.options.update(width=_ANY_WIDTH)).maximum <= console.width:
            break
    console.print(table)


def _table(numbers: Sequence[int], columns: Sequence[str], cells: Sequence[Sequence[Text]]) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for number in numbers:
        table.add_column(columns[number], overflow="fold", no_wrap=number == 0)
    for row in cells:
        table.add_row(*(row[number] for number in numbers))
    return table


def print_fields(fields: dict[str, Any]) -> None:
    """Names and values below each other; empty values are left out."""
    table = Table(show_header=False, box=None, padding=(0, 2, 0, 0))
    table.add_column(style="dim")
    table.add_column(overflow="fold")
    for name, value in fields.items():
        if value not in (None, "", (), {}, []):
            table.add_row(name, _cell(value))
    table_console().print(table)


def _cell(value: Any) -> Text:
    if isinstance(value, datetime):
        return Text(in_utc(value))
    if isinstance(value, dict | list | tuple):
        return Text(msgspec.json.encode(value).decode())
    text = "" if value is None else str(value)
    return Text(text, _STYLES.get(text, ""))


def in_utc(moment: datetime) -> str:
    """A moment for people."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def in_share(value: float) -> str:
    """A share of 1, in per cent."""
    return f"{value:.0%}"
