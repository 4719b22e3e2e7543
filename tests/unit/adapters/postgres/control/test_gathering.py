import asyncio
from collections.abc import Sequence

import pytest

from crawlmesh.adapters.postgres.control.gathering import Gathering
from crawlmesh.errors import CrawlmeshError, InvalidError, StoreError


def _size(call: int) -> int:
    return 600 if call > 100 else 1


class Database:
    """Doubles numbers, slowly: a group goes on when `go_on` is set."""

    def __init__(self) -> None:
        self.groups: list[list[int]] = []
        self.go_on = asyncio.Event()
        self.busy = asyncio.Event()

    async def handle(self, calls: Sequence[int]) -> list[int | CrawlmeshError]:
        self.groups.append(list(calls))
        self.busy.set()
        await self.go_on.wait()
        if -1 in calls:
            raise InvalidError("a value cannot be stored")
        if -2 in calls:
            raise StoreError("the connection was lost")
        return [StoreError("seven") if call == 7 else 2 * call for call in calls]


async def run(*calls: int) -> tuple[Database, list[int | BaseException]]:
    """The first call keeps the database busy while the others come."""
    database = Database()
    gathering: Gathering[int, int] = Gathering(database.handle, _size)
    first = asyncio.create_task(gathering.call(calls[0]))
    await database.busy.wait()
    others = [asyncio.create_task(gathering.call(call)) for call in calls[1:]]
    await asyncio.sleep(0)
    database.go_on.set()
    return database, await asyncio.gather(first, *others, return_exceptions=True)


async def test_calls_that_come_while_the_database_is_busy_go_together() -> None:
    database, answers = await run(1, 2, 3, 4)
    assert database.groups == [[1], [2, 3, 4]]
    assert answers == [2, 4, 6, 8]


async def test_a_group_is_closed_once_it_is_large() -> None:
    database, _ = await run(1, 101, 2, 102, 103, 3)
    assert database.groups == [[1], [101, 2, 102], [103, 3]]


async def test_a_call_that_is_refused_does_not_concern_the_others() -> None:
    _, answers = await run(1, 7, 3)
    assert answers[0] == 2
    assert isinstance(answers[1], StoreError)
    assert answers[2] == 6


async def test_a_value_that_the_database_refuses_is_found_by_running_calls_alone() -> None:
    database, answers = await run(1, 2, -1, 4)
    assert database.groups == [[1], [2, -1, 4], [2], [-1], [4]]
    assert [answers[0], answers[1], answers[3]] == [2, 4, 8]
    assert isinstance(answers[2], InvalidError)


async def test_a_lost_connection_concerns_all_calls_of_the_group_and_no_later_ones() -> None:
    database, answers = await run(1, 2, -2)
    assert isinstance(answers[1], StoreError)
    assert isinstance(answers[2], StoreError)
    gathering: Gathering[int, int] = Gathering(database.handle, _size)
    with pytest.raises(StoreError):
        await gathering.call(-2)
    assert await gathering.call(5) == 10


async def test_a_caller_that_gives_up_does_not_disturb_the_group() -> None:
    database = Database()
    gathering: Gathering[int, int] = Gathering(database.handle, _size)
    given_up = asyncio.create_task(gathering.call(1))
    await database.busy.wait()
    given_up.cancel()
    other = asyncio.create_task(gathering.call(2))
    database.go_on.set()
    assert await other == 4
    await gathering.aclose()
    await gathering.aclose()
