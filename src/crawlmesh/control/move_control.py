"""Moving tasks, nodes, keys and events from one control store into another, and comparing what both hold."""

from collections.abc import Sequence
from contextlib import aclosing
from typing import Any

from crawlmesh.control.move_crawls import Tell, one_ahead
from crawlmesh.errors import StoreError
from crawlmesh.ports.control_transfer import ControlTransfer
from crawlmesh.rules.copy_checksums import Tally

_BY_STATUS = {"crawler_tasks": "tasks", "crawler_task_executions": "executions", "crawler_nodes": "nodes"}

Columns = dict[str, list[str]]


async def common_columns(source: ControlTransfer, target: ControlTransfer) -> Columns:
    """The columns that both have, by table. Raises StoreError where their tables are not the same."""
    theirs, ours = await source.tables(), await target.tables()
    if theirs.keys() != ours.keys():
        odd = ", ".join(sorted(theirs.keys() ^ ours.keys()))
        raise StoreError(
            f"The control stores do not have the same tables: {odd}. Name an empty database, or one that "
            "only Crawlmesh uses."
        )
    return {
        table: [column for column in columns if column in ours[table]] for table, columns in theirs.items()
    }


async def tally_control(store: ControlTransfer, columns: Columns, tell: Tell = lambda _, __: None) -> Tally:
    """Count everything that a control store holds, and its checksums."""
    tally = Tally()
    for table, names in columns.items():
        await _through(store, table, names, tally, tell, None)
    return tally


async def move_control(
    source: ControlTransfer, target: ControlTransfer, columns: Columns, tell: Tell = lambda _, __: None
) -> Tally:
    """Put all rows of the source into the target, which is empty. Returns what was read."""
    await target.clear()
    tally = Tally()
    for table, names in columns.items():
        await _through(source, table, names, tally, tell, target)
    await target.finish()
    return tally


async def _through(
    source: ControlTransfer,
    table: str,
    columns: Sequence[str],
    tally: Tally,
    tell: Tell,
    target: ControlTransfer | None,
) -> None:
    through = 0
    status = columns.index("status") if table in _BY_STATUS else None
    async with aclosing(one_ahead(source.rows(table, columns))) as batches:
        async for batch in batches:
            for row in batch:
                tally.add(table, [_plain(value) for value in row])
                if status is not None:
                    tally.counts[f"{_BY_STATUS[table]} {row[status]}"] += 1
            if target is not None:
                await target.put_rows(table, columns, batch)
            through += len(batch)
            tell(table if target is not None else f"checking {table}", through)


def _plain(value: Any) -> Any:
    if isinstance(value, bytes):
        value = value.decode()
    if isinstance(value, str) and "\0" in value:
        return value.replace("\0", "\N{REPLACEMENT CHARACTER}")
    return value
