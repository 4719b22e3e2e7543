import asyncio

import pytest

from crawlmesh.testing.simulation.crowd import run_crowd


async def _walk(name: str, steps: int, seen: list[str]) -> None:
    for step in range(steps):
        seen.append(f"{name}{step}")
        await asyncio.sleep(0)


def _walks(seen: list[str]) -> list[asyncio.Future[None]]:
    return [asyncio.ensure_future(_walk(name, steps, seen)) for name, steps in (("a", 3), ("b", 1), ("c", 2))]


async def test_a_crowd_goes_in_the_order_of_asyncio() -> None:
    expected: list[str] = []
    await asyncio.gather(*_walks(expected))
    seen: list[str] = []
    await run_crowd([_walk(name, steps, seen) for name, steps in (("a", 3), ("b", 1), ("c", 2))])
    assert seen == expected == ["a0", "b0", "c0", "a1", "c1", "a2"]


async def test_what_one_member_raises_ends_the_crowd() -> None:
    seen: list[str] = []

    async def fail() -> None:
        await asyncio.sleep(0)
        raise AssertionError("a task ended twice")

    with pytest.raises(AssertionError, match="a task ended twice"):
        await run_crowd([_walk("a", 5, seen), fail(), _walk("b", 5, seen)])
    assert seen == ["a0", "b0", "a1"]


async def test_a_member_may_wait_for_nothing_but_its_turn() -> None:
    async def wait() -> None:
        await asyncio.get_running_loop().create_future()

    with pytest.raises(RuntimeError, match="would never come"):
        await run_crowd([wait()])
