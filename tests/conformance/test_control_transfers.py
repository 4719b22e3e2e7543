"""Rows of every table of the control store cross between the databases, and come back as they were."""

import sqlite3
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, closing
from pathlib import Path

import pytest_asyncio

from crawlmesh.adapters.postgres.control.control_transfer import PostgresControlTransfer
from crawlmesh.adapters.sqlite.transfer import SqliteControlTransfer
from crawlmesh.control.move_control import common_columns, move_control, tally_control
from crawlmesh.migrations import upgrade
from crawlmesh.ports.control_transfer import ControlTransfer

TEXTS = {
    "status": {
        "crawler_clusters": "active", "crawler_nodes": "online", "crawler_tasks": "processing",
        "crawler_task_executions": "running", "task_counts": "pending",
    },
    "kind": {"last_ids": "events"},
    "role": {"api_keys": "admin"},
    "health_status": {"crawler_nodes": "healthy"},
    "ended_by": {"crawler_task_executions": "node_lost"},
}  # fmt: skip
JSON = {
    "configuration", "capabilities", "resources", "task_types", "health_details", "usage", "active_tasks",
    "parameters", "min_resources", "content_features", "result", "metrics", "allocation", "data",
    "means",
}  # fmt: skip


async def source(folder: Path, rows: int = 3) -> SqliteControlTransfer:
    """A file that has some rows in every table."""
    path = folder / "control.db"
    await upgrade(f"sqlite:///{path}")
    transfer = await SqliteControlTransfer.open(path)
    tables = await transfer.tables()
    await transfer.clear()
    with closing(sqlite3.connect(path)) as connection:
        for table in tables:
            columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
            single = table in ("leadership", "last_ids", "task_counts")
            for number in range(1, 2 if single else rows + 1):
                values = [value(table, name, kind, number) for _, name, kind, *_ in columns]
                places = ", ".join("?" * len(values))
                connection.execute(f"INSERT INTO {table} VALUES ({places})", values)
        connection.commit()
    return transfer


def value(table: str, column: str, kind: str, number: int) -> object:
    if column in TEXTS and table in TEXTS[column]:
        return TEXTS[column][table]
    if column == "categories":
        return '["a","ü"]' if number > 1 else "[]"
    if column in JSON and kind.lower() == "text":
        return f'{{"b":{number}.0,"a":"\\u0000 ✓"}}'
    if kind.lower() == "text":
        return None if column in ("reason", "workflow_id", "stop") else f"{column} {number}\0"
    if kind.lower() in ("real", "double precision"):
        return number + 0.1
    return 1 if table == "leadership" or column == "open_places" else number


@pytest_asyncio.fixture
async def closing_all() -> AsyncIterator[AsyncExitStack]:
    async with AsyncExitStack() as stack:
        yield stack


async def test_rows_of_all_tables_cross_and_come_back(
    tmp_path: Path, postgres_dsn: str, closing_all: AsyncExitStack
) -> None:
    first = await source(tmp_path)
    closing_all.push_async_callback(first.aclose)
    await upgrade(postgres_dsn)
    server = await PostgresControlTransfer.open(postgres_dsn)
    closing_all.push_async_callback(server.aclose)
    (tmp_path / "back").mkdir()
    await upgrade(f"sqlite:///{tmp_path}/back/control.db")
    back = await SqliteControlTransfer.open(tmp_path / "back" / "control.db")
    closing_all.push_async_callback(back.aclose)
    there = await moved(first, server)
    here = await moved(server, back)
    assert there == here
    assert there["crawler_tasks"] == there["tasks processing"] == 3
    touched = [tuple(row) async for batch in back.rows("crawler_nodes", ["touched_at"]) for row in batch]
    assert sorted(touched) == [(1.1,), (2.1,), (3.1,)]
    assert not await back.is_empty()


async def moved(source: ControlTransfer, target: ControlTransfer) -> dict[str, int]:
    assert await target.is_empty()
    columns = await common_columns(source, target)
    assert len(columns) >= 15
    sent = await move_control(source, target, columns)
    found = await tally_control(target, columns)
    assert (found.counts, found.checksums()) == (sent.counts, sent.checksums())
    assert set(found.checksums()) == set(columns), "a table without rows"
    return dict(found.counts)
