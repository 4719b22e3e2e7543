"""What only a store that several masters share can get wrong."""

import asyncio
import struct
from urllib.parse import urlsplit

import asyncpg
import msgspec
import pytest

from crawlmesh.adapters.postgres.control import PostgresControlStore
from crawlmesh.adapters.postgres.control.leading import check_leader
from crawlmesh.adapters.postgres.control.transaction import Transaction
from crawlmesh.errors import InvalidError, NotLeaderError, StoreError
from crawlmesh.migrations import upgrade
from crawlmesh.model.change import TaskChange
from crawlmesh.model.event import Event, EventType
from crawlmesh.model.execution import Execution, ExecutionStatus
from crawlmesh.model.log_line import LogLine
from crawlmesh.model.query import EventQuery, Submission
from crawlmesh.model.task import Task, TaskStatus
from crawlmesh.testing.servers import PostgresServer

_LONG = 60.0  # seconds; nothing here takes that long


def _task(number: int, **fields: object) -> Task:
    task = Task(id=f"task-{number:04}", task_type="web_crawl", parameters={}, queue="plain")
    return msgspec.structs.replace(task, **fields)


def _event(number: int) -> Event:
    return Event(type=EventType.TASK_CREATED, at=float(number), data={"number": number})


async def _execute(dsn: str, statement: str) -> None:
    connection = await asyncpg.connect(dsn)
    try:
        await connection.execute(statement)
    finally:
        await connection.close()


async def test_a_reader_that_follows_misses_no_event_while_masters_write_at_once(
    store: PostgresControlStore, other: PostgresControlStore, dsn: str
) -> None:
    seen: list[int] = []

    async def follow() -> None:
        after = 0
        while len(seen) < 200:
            mark = store.mark("events")
            for event in await store.events(EventQuery(after=after)):
                after = event.id
                seen.append(event.data["number"])
            if len(seen) < 200:
                await store.wait("events", mark, _LONG)

    async def write(master: PostgresControlStore, numbers: range) -> None:
        await asyncio.gather(*(master.append_events([_event(number)]) for number in numbers))

    await asyncio.wait_for(
        asyncio.gather(follow(), write(store, range(100)), write(other, range(100, 200))), _LONG
    )
    assert sorted(seen) == list(range(200))
    assert await other.last_event_id() == 200


async def test_masters_that_change_the_same_tasks_take_each_change_once(
    store: PostgresControlStore, other: PostgresControlStore
) -> None:
    tasks = [_task(number) for number in range(50)]
    await store.submit([Submission(task=task) for task in tasks], 0.0)

    def placing(master: str, order: int) -> list[TaskChange]:
        return [
            TaskChange(
                task=msgspec.structs.replace(task, fence=2, status=TaskStatus.ASSIGNED, open_places=0),
                executions=(
                    Execution(id=f"execution-{master}-{task.id}", task_id=task.id, node_id=master, fence=2),
                ),
            )
            for task in tasks[::order]
        ]

    answers = await asyncio.gather(
        *(store.change_tasks(placing(f"node-a{number}", 1)) for number in range(5)),
        *(other.change_tasks(placing(f"node-b{number}", -1)) for number in range(5)),
    )
    assert sum(sum(answer) for answer in answers) == len(tasks)
    assert (await store.count_tasks()).by_status == {"assigned": len(tasks)}
    assert sum((await store.node_loads()).values()) == len(tasks)
    assert await other.queue_heads() == []


async def test_a_master_hears_what_another_one_told(
    store: PostgresControlStore, other: PostgresControlStore
) -> None:
    mark = store.mark("tasks")
    waiting = asyncio.create_task(store.wait("tasks", mark, _LONG))
    await other.submit([Submission(task=_task(1))], 0.0)
    assert await waiting > mark


async def test_a_master_does_not_wake_itself_twice(store: PostgresControlStore, dsn: str) -> None:
    await store.append_events([_event(1)])
    mark = store.mark("events")
    await _execute(dsn, "SELECT pg_notify('crawlmesh_control', E'somebody\\nlogs:other')")
    await store.wait("logs:other", 0, _LONG)  # notices come in their order, so that of the event is through
    assert store.mark("events") == mark


async def test_everybody_is_woken_when_the_listener_was_cut_off_and_it_listens_again(
    store: PostgresControlStore, other: PostgresControlStore, dsn: str
) -> None:
    mark = store.mark("node:node-1")
    waiting = asyncio.create_task(store.wait("node:node-1", mark, _LONG))
    await asyncio.sleep(0)
    await _execute(
        dsn,
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
        "WHERE datname = current_database() AND query LIKE 'LISTEN%'",
    )
    assert await waiting > mark
    mark = store.mark("tasks")
    waiting = asyncio.create_task(store.wait("tasks", mark, _LONG))
    await other.submit([Submission(task=_task(1))], 0.0)
    assert await waiting > mark


async def test_the_lead_cannot_change_hands_while_its_holder_changes_tasks(
    store: PostgresControlStore, dsn: str
) -> None:
    lead = await store.lead("first", 10.0, now=100.0)
    assert lead is not None
    connection = await asyncpg.connect(dsn)
    async with connection.transaction():
        await connection.execute(
            "UPDATE leadership SET holder = 'second', fence = fence + 1, expires_at = 200"
        )
        change = TaskChange(task=_task(1))
        changing = asyncio.create_task(store.change_tasks([change], leader_fence=lead.fence, now=105.0))
        await asyncio.wait([changing], timeout=0.05)
        assert not changing.done()
    await connection.close()
    with pytest.raises(NotLeaderError):
        await changing
    assert await store.tasks_by_id(["task-0001"]) == []


async def test_values_that_postgresql_cannot_hold_are_refused_and_spare_the_calls_beside_them(
    store: PostgresControlStore,
) -> None:
    answers = await asyncio.gather(
        *(store.submit([Submission(task=_task(number))], 0.0) for number in range(3)),
        store.submit([Submission(task=_task(7, priority=2**40))], 0.0),
        store.submit([Submission(task=_task(8, parameters={"text": "\ud800"}))], 0.0),
        return_exceptions=True,
    )
    assert [isinstance(answer, InvalidError) for answer in answers] == [False, False, False, True, True]
    assert (await store.count_tasks()).by_status == {"pending": 3}


async def test_documents_come_back_as_they_were(store: PostgresControlStore) -> None:
    parameters = {"z": "\\u0000", "a": [1.0, 10**20, 1e300, None, True], "ä": {"2": 1, "1": 2}}
    await store.submit([Submission(task=_task(1, parameters=parameters))], 0.0)
    (task,) = await store.tasks_by_id(["task-0001"])
    assert msgspec.json.encode(task.parameters) == msgspec.json.encode(parameters)


async def test_a_zero_character_does_not_lose_what_it_stands_in(store: PostgresControlStore) -> None:
    line = LogLine(task_id="task-1", execution_id="execution-1", at=1.0, level="INFO", message="\\\0\0b")
    await store.append_logs([line])
    assert [line.message for line in await store.logs("task-1")] == ["\\\ufffd\ufffdb"]
    await store.submit([Submission(task=_task(1, parameters={"text": "\0"}))], 0.0)
    (task,) = await store.tasks_by_id(["task-0001"])
    assert task.parameters == {"text": "\ufffd"}


async def test_a_server_that_went_away_is_an_error_and_the_store_recovers_with_it(
    postgres_server: PostgresServer,
) -> None:
    dsn = postgres_server.dsn()
    await upgrade(dsn)
    store = await PostgresControlStore.open(dsn, migrate=False)
    try:
        await store.submit([Submission(task=_task(1))], 0.0)
        mark = store.mark("events")
        postgres_server.stop()
        for _ in range(2):
            with pytest.raises(StoreError, match="Try again"):
                await store.submit([Submission(task=_task(2))], 0.0)
        postgres_server.start()
        await store.submit([Submission(task=_task(2))], 0.0)
        assert (await store.count_tasks()).by_status == {"pending": 2}
        assert await store.wait("events", mark, _LONG) > mark
    finally:
        await store.aclose()


async def test_a_master_that_stands_still_does_not_hold_up_the_others(
    store: PostgresControlStore, other: PostgresControlStore, dsn: str
) -> None:
    await _execute(dsn, "INSERT INTO leadership (one, holder, fence, expires_at) VALUES (1, 'first', 1, 10)")
    holds, goes_on = asyncio.Event(), asyncio.Event()

    async def stand_still(transaction: Transaction) -> None:
        await transaction.connection.execute("SET LOCAL idle_in_transaction_session_timeout = '50ms'")
        await check_leader(transaction, 1, 5.0)
        holds.set()
        await goes_on.wait()
        await transaction.take_ids("events", 1)

    still = asyncio.create_task(store._database.write(stand_still))
    await holds.wait()
    assert await other.lead("second", 10.0, now=20.0) is not None
    goes_on.set()
    with pytest.raises(StoreError, match="Try again"):
        await still
    assert await other.last_event_id() == 0


def _message(kind: bytes, body: bytes) -> bytes:
    return kind + struct.pack("!I", len(body) + 4) + body


async def _stop_in_the_middle_of_a_statement(dsn: str) -> asyncio.StreamWriter:
    """A client that locks the row of the lead, sends one half of its next statement and is seen no more."""
    address = urlsplit(dsn)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    options = {"user": "postgres", "database": address.path[1:], "application_name": "crawlmesh"}
    start = b"".join(f"{name}\0{value}\0".encode() for name, value in options.items()) + b"\0"
    writer.write(struct.pack("!II", len(start) + 8, 196_608) + start)
    await reader.readuntil(b"Z\0\0\0\x05I")
    writer.write(_message(b"Q", b"BEGIN; SELECT 1 FROM leadership FOR SHARE\0"))
    await reader.readuntil(b"Z\0\0\0\x05T")
    writer.write(_message(b"P", b"\0SELECT 1\0\0\0") + _message(b"H", b""))
    await reader.readuntil(b"1\0\0\0\x04")
    return writer


async def test_one_that_is_stopped_with_a_statement_half_sent_is_cut_off(
    other: PostgresControlStore, dsn: str
) -> None:
    await _execute(dsn, "INSERT INTO leadership (one, holder, fence, expires_at) VALUES (1, 'first', 1, 10)")
    stopped = await _stop_in_the_middle_of_a_statement(dsn)
    other.standstill = 0.0
    assert await other.lead("second", 10.0, now=20.0) is not None
    stopped.transport.abort()


async def test_a_closed_store_says_so(dsn: str) -> None:
    store = await PostgresControlStore.open(dsn, migrate=False)
    await store.aclose()
    await store.aclose()
    with pytest.raises(StoreError, match="closed"):
        await store.leader()


async def test_executions_that_end_leave_a_place_for_others(store: PostgresControlStore) -> None:
    task = _task(1)
    await store.submit([Submission(task=task)], 0.0)
    going = msgspec.structs.replace(task, fence=2, status=TaskStatus.ASSIGNED, open_places=0)
    execution = Execution(id="execution-1", task_id=task.id, node_id="node-1", fence=2)
    await store.change_tasks([TaskChange(task=going, executions=(execution,))])
    mark = store.mark("tasks")
    over = msgspec.structs.replace(going, fence=3, status=TaskStatus.COMPLETED)
    ended = msgspec.structs.replace(execution, status=ExecutionStatus.COMPLETED)
    await store.change_tasks([TaskChange(task=over, executions=(ended,))])
    assert store.mark("tasks") > mark
    assert await store.node_loads() == {}
