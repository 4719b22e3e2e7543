import asyncio

from crawlmesh.control.remembered_answer import RememberedAnswer
from crawlmesh.testing.manual_clock import ManualClock


class _Slow:
    """Each answer takes a second."""

    def __init__(self, clock: ManualClock) -> None:
        self._clock = clock
        self.asked = 0

    async def __call__(self) -> int:
        self.asked += 1
        self._clock.advance(1.0)
        return self.asked


async def test_the_longer_it_took_the_longer_it_is_good() -> None:
    clock = ManualClock()
    slow = _Slow(clock)
    answer = RememberedAnswer[int](share_of_time=10.0)

    assert await answer.get(clock, slow) == 1
    clock.advance(8.5)
    assert await answer.get(clock, slow) == 1
    clock.advance(1.0)
    assert await answer.get(clock, slow) == 2


async def test_what_takes_no_time_is_asked_each_time() -> None:
    clock = ManualClock()
    answers = iter(range(3))

    async def quick() -> int:
        return next(answers)

    answer = RememberedAnswer[int](share_of_time=10.0)
    assert [await answer.get(clock, quick) for _ in range(3)] == [0, 1, 2]


async def test_it_is_good_for_its_life_at_least() -> None:
    clock = ManualClock()
    slow = _Slow(clock)
    answer = RememberedAnswer[int](share_of_time=2.0, life=30.0)

    await answer.get(clock, slow)
    clock.advance(28.0)
    assert await answer.get(clock, slow) == 1
    clock.advance(2.0)
    assert await answer.get(clock, slow) == 2


async def test_all_who_ask_at_once_share_one_answer() -> None:
    clock = ManualClock()
    slow = _Slow(clock)
    answer = RememberedAnswer[int](share_of_time=10.0)

    assert await asyncio.gather(*(answer.get(clock, slow) for _ in range(5))) == [1] * 5
    assert slow.asked == 1
