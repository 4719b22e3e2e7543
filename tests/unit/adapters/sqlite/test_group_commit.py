import asyncio
import sqlite3
import threading
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from crawlmesh.adapters.sqlite.group_commit import GroupCommit
from crawlmesh.errors import CrawlmeshError, StoreError, UnknownCrawlError


class Table:
    """A table of numbers behind a writer."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.connection = sqlite3.connect(path, isolation_level=None, check_same_thread=False)
        self.connection.execute("CREATE TABLE numbers (number INTEGER UNIQUE)")
        self.writer = GroupCommit(self.connection, path)

    def insert(self, number: int) -> int:
        self.connection.execute("INSERT INTO numbers VALUES (?)", (number,))
        return number

    async def add(self, number: int) -> int:
        return await self.writer.call(lambda: self.insert(number))

    def committed(self) -> list[int]:
        """What another reader of the file sees."""
        reader = sqlite3.connect(self.path)
        try:
            return [row[0] for row in reader.execute("SELECT number FROM numbers ORDER BY number")]
        finally:
            reader.close()


@pytest.fixture
async def table(tmp_path: Path) -> AsyncIterator[Table]:
    table = Table(tmp_path / "numbers.db")
    yield table
    await table.writer.aclose()
    table.connection.close()


class Gate:
    """Holds the writer inside a call, so that what comes next makes one group."""

    def __init__(self) -> None:
        self._open = threading.Event()
        self.entered = threading.Event()

    def __call__(self) -> None:
        self.entered.set()
        assert self._open.wait(30)

    def open(self) -> None:
        self._open.set()


async def test_a_call_returns_after_its_commit(table: Table) -> None:
    assert await table.add(5) == 5
    assert table.committed() == [5]


async def test_calls_that_wait_are_committed_together(table: Table) -> None:
    statements: list[str] = []
    gate = Gate()
    held = asyncio.ensure_future(table.writer.call(gate))
    await asyncio.to_thread(gate.entered.wait, 30)
    calls = [asyncio.ensure_future(table.add(number)) for number in range(10)]
    await asyncio.sleep(0)  # lets them reach the queue
    table.connection.set_trace_callback(statements.append)
    gate.open()
    await asyncio.gather(held, *calls)
    assert statements.count("BEGIN IMMEDIATE") == 1
    assert table.committed() == list(range(10))


async def test_a_refusal_does_not_disturb_its_group(table: Table) -> None:
    def refuse() -> int:
        raise UnknownCrawlError("no such crawl")

    gate = Gate()
    held = asyncio.ensure_future(table.writer.call(gate))
    await asyncio.to_thread(gate.entered.wait, 30)
    calls = [asyncio.ensure_future(call) for call in (table.add(1), table.writer.call(refuse), table.add(2))]
    await asyncio.sleep(0)
    gate.open()
    await held
    first, refused, second = await asyncio.gather(*calls, return_exceptions=True)
    assert (first, second) == (1, 2)
    assert isinstance(refused, UnknownCrawlError)
    assert table.committed() == [1, 2]
    assert await table.add(3) == 3


async def test_a_database_error_rolls_the_group_back_and_ends_the_writer(table: Table) -> None:
    await table.add(1)
    gate = Gate()
    held = asyncio.ensure_future(table.writer.call(gate))
    await asyncio.to_thread(gate.entered.wait, 30)
    calls = [asyncio.ensure_future(table.add(number)) for number in (2, 1, 3)]
    await asyncio.sleep(0)
    gate.open()
    await held
    errors = await asyncio.gather(*calls, return_exceptions=True)
    assert all(isinstance(error, StoreError) for error in errors)
    assert table.committed() == [1]
    with pytest.raises(StoreError) as caught:
        await table.add(4)
    assert caught.value is errors[0]
    assert table.committed() == [1]


async def test_any_other_error_ends_the_writer_too(table: Table) -> None:
    def fail() -> int:
        table.insert(9)
        raise ZeroDivisionError("by zero")

    with pytest.raises(ZeroDivisionError):
        await table.writer.call(fail)
    with pytest.raises(CrawlmeshError, match="by zero"):
        await table.add(1)
    assert table.committed() == []


async def test_closing_twice_is_fine_and_finishes_what_was_called(table: Table) -> None:
    calls = [asyncio.ensure_future(table.add(number)) for number in range(200)]
    await asyncio.sleep(0)
    await table.writer.aclose()
    await table.writer.aclose()
    assert await asyncio.gather(*calls) == list(range(200))
    assert table.committed() == list(range(200))


async def test_calls_after_the_close_are_refused(table: Table) -> None:
    await table.writer.aclose()
    with pytest.raises(StoreError, match="is closed"):
        await table.add(1)


async def test_a_caller_that_gives_up_disturbs_nobody(table: Table) -> None:
    gate = Gate()
    held = asyncio.ensure_future(table.writer.call(gate))
    await asyncio.to_thread(gate.entered.wait, 30)
    given_up, kept = asyncio.ensure_future(table.add(1)), asyncio.ensure_future(table.add(2))
    await asyncio.sleep(0)
    given_up.cancel()
    gate.open()
    await held
    assert await kept == 2


class Forgiving(Table):
    """A table behind a writer that goes on after a failure."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        self.commits = 0
        self.rollbacks = 0
        self.plain = self.writer
        self.writer = GroupCommit(
            self.connection, path, committed=self._count_commit, rolled_back=self._count_rollback
        )

    def _count_commit(self) -> None:
        self.commits += 1

    def _count_rollback(self) -> None:
        self.rollbacks += 1


async def test_a_writer_that_may_go_on_makes_the_calls_of_a_failed_group_one_by_one(tmp_path: Path) -> None:
    table = Forgiving(tmp_path / "numbers.db")
    await table.plain.aclose()
    gate = Gate()
    holding = asyncio.create_task(table.writer.call(gate))
    await asyncio.to_thread(gate.entered.wait)
    calls = [asyncio.create_task(table.add(number)) for number in (1, 2, 1, 3)]
    await asyncio.sleep(0)
    gate.open()
    await holding
    answers = await asyncio.gather(*calls, return_exceptions=True)
    assert [answer for answer in answers if not isinstance(answer, StoreError)] == [1, 2, 3]
    assert table.committed() == [1, 2, 3]
    assert (table.commits, table.rollbacks) == (4, 2)
    assert await table.add(4) == 4
    await table.writer.aclose()
    table.connection.close()
