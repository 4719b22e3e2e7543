import asyncio
import sqlite3
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from crawlmesh import migrations
from crawlmesh.adapters.sqlite.control import listing, reading
from crawlmesh.adapters.sqlite.control_store import SqliteControlStore
from crawlmesh.errors import StoreCorruptError, StoreError, StoreFullError
from crawlmesh.model.change import NodeChange
from crawlmesh.model.query import EventQuery, TaskQuery
from crawlmesh.model.task import TaskStatus
from crawlmesh.testing.conformance.control_store.case import (
    NOW,
    add_tasks,
    all_events,
    assert_counted,
    new_event,
    new_node,
    new_task,
    snapshot,
)

_WRITER = Path(__file__).with_name("control_writer.py")


@pytest.fixture
async def path(tmp_path: Path) -> Path:
    path = tmp_path / "control.db"
    await migrations.upgrade(f"sqlite:///{path}")
    return path


@pytest.fixture
async def store(path: Path) -> AsyncIterator[SqliteControlStore]:
    store = await SqliteControlStore.open(path)
    yield store
    await store.aclose()


async def _run_until_killed(path: Path, run: int, batches: int) -> tuple[int, list[int]]:
    """The fence of a writer and the batches that it said were stored before it was killed."""
    writer = await asyncio.create_subprocess_exec(
        sys.executable, str(_WRITER), str(path), str(run), stdout=asyncio.subprocess.PIPE
    )
    assert writer.stdout is not None
    fence = int((await writer.stdout.readline()).split()[1])
    for _ in range(batches):
        await writer.stdout.readline()
    writer.kill()
    rest, _ = await writer.communicate()
    first = run * 1_000_000
    told = [int(line.split()[1]) for line in rest.splitlines() if line.startswith(b"stored ")]
    return fence, [*range(first, first + 20 * batches, 20), *told]


async def test_a_killed_process_loses_nothing_that_it_was_told_is_stored(path: Path) -> None:
    fences: list[int] = []
    for run in range(3):
        fence, stored = await _run_until_killed(path, run, batches=3 + 4 * run)
        fences.append(fence)
        store = await SqliteControlStore.open(path)
        tasks = await store.tasks_by_id([new_task(number).id for number in stored])
        assert len(tasks) == len(stored)
        assert {task.status for task in tasks} == {TaskStatus.ASSIGNED}
        found = await snapshot(store)
        assert_counted(found)
        assert len(found.tasks) % 20 == 0
        assert len(found.events) == len(found.tasks)
        assert found.leader is not None
        assert found.leader.fence == fence
        await store.aclose()
    assert fences == sorted(set(fences))


async def test_a_file_without_tables_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="has no tables of a control store"):
        await SqliteControlStore.open(tmp_path / "empty.db")


async def test_a_file_that_is_no_database_is_refused(path: Path) -> None:
    path.write_bytes(b"this is no database at all, " * 500)  # noqa: ASYNC240
    with pytest.raises(StoreCorruptError, match="is not a readable Crawlmesh database"):
        await SqliteControlStore.open(path)


async def test_a_closed_store_refuses_calls(store: SqliteControlStore) -> None:
    await store.aclose()
    for call in (store.count_tasks(), store.list_tasks(TaskQuery()), store.append_events([new_event()])):
        with pytest.raises(StoreError, match="is closed"):
            await call


async def test_a_call_that_cannot_be_stored_harms_no_other(store: SqliteControlStore) -> None:
    """Calls share a transaction; each of them must come out as if it had been alone."""
    bad = [NodeChange(node=new_node(9, port=99_999), events=(new_event(),))]
    calls = [store.append_events([new_event(data={"number": number})]) for number in range(20)]
    answers = await asyncio.gather(*calls[:10], store.change_nodes(bad), *calls[10:], return_exceptions=True)
    assert [answer for answer in answers if answer is not None] == [answers[10]]
    assert isinstance(answers[10], StoreError)
    events = await all_events(store)
    assert [event.data["number"] for event in events] == list(range(20))
    assert [event.id for event in events] == list(range(1, 21))
    assert await store.node("node-009") is None


async def test_a_number_that_fits_no_column_harms_nothing(store: SqliteControlStore) -> None:
    with pytest.raises(OverflowError):
        await add_tasks(store, new_task(1, max_nodes=2**70))
    await add_tasks(store, new_task(2))
    assert_counted(await snapshot(store))


async def test_a_full_disk_keeps_what_was_committed_and_goes_on_when_there_is_room(
    store: SqliteControlStore, path: Path
) -> None:
    await add_tasks(store, *(new_task(number) for number in range(50)))
    session = store._session
    session.run(f"PRAGMA max_page_count = {session.one('PRAGMA page_count') + 2}")
    mark = store.mark("tasks")
    with pytest.raises(StoreFullError, match=f"disk that holds {path} is full"):
        await add_tasks(store, *(new_task(1_000 + number) for number in range(2_000)))
    assert store.mark("tasks") == mark
    session.run("PRAGMA max_page_count = 1000000")
    await add_tasks(store, new_task(900))
    found = await snapshot(store)
    assert len(found.tasks) == 51
    assert_counted(found)


async def test_a_text_with_a_zero_in_it_is_kept(store: SqliteControlStore) -> None:
    task = new_task(reason="before\0after", parameters={"text": "before\0after"})
    await add_tasks(store, task)
    assert await store.tasks_by_id([task.id]) == [task]


HOT: dict[str, tuple[str, Any]] = {
    "tasks by id": (reading.TASKS_BY_ID, ("[]",)),
    "queue heads": (reading.QUEUE_HEADS, ()),
    "open tasks": (reading.OPEN_TASKS, ("q", "[]", 10)),
    "due tasks": (reading.DUE_TASKS, (NOW, 10)),
    "assignments": (reading.ASSIGNMENTS, ("[]",)),
    "assignments of a node": (reading.NODE_ASSIGNMENTS, ("node",)),
    "running executions": (reading.RUNNING_EXECUTIONS, ("[]",)),
    "overdue executions": (reading.OVERDUE, (NOW, 10)),
    "executions of a node": (reading.OLDER_OF_NODE, ("node", "x", 10)),
    "changed nodes": (reading.NODES_CHANGED, (NOW,)),
    "silent nodes": (reading.SILENT_NODES, {"statuses": "[]", "before": NOW, "limit": 10}),
    "heartbeats": (reading.HISTORY, ("node", NOW, 10)),
    "events of a task": reading.events_statement(EventQuery(task_id="task")),
    "lines": (reading.LINES_OF_TASK, {"task": "task", "after": 0, "limit": 10}),
    "newest tasks": listing.tasks_statement(TaskQuery()),
    "tasks by priority": listing.tasks_statement(TaskQuery(order="-priority")),
    "tasks of a status": listing.tasks_statement(TaskQuery(statuses=(TaskStatus.FAILED, TaskStatus.TIMEOUT))),
    "tasks of a project": listing.tasks_statement(TaskQuery(project_id="project")),
}


@pytest.mark.parametrize("question", HOT)
async def test_no_question_reads_a_whole_table(path: Path, question: str) -> None:
    sql, parameters = HOT[question]
    connection = sqlite3.connect(path)
    plan = [row[3] for row in connection.execute(f"EXPLAIN QUERY PLAN {sql}", parameters)]
    connection.close()
    tables = ("crawler_", "node_heartbeats", "cluster_events", "execution_logs")
    scans = [step for step in plan if step.startswith(tuple(f"SCAN {table}" for table in tables))]
    assert all("USING" in step and "INDEX" in step for step in scans), plan
