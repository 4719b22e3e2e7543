import asyncio
import time

from crawlmesh.testing.demo_site.attendance import Attendance


async def test_it_knows_that_it_was_away() -> None:
    attendance = Attendance()
    loop = asyncio.get_running_loop()
    attendance.begin(loop)
    began = time.monotonic()
    assert attendance.away_until(began) == 0.0
    assert 4.9 < attendance.away_until(began + 5.0) <= 5.0


def test_before_it_begins_nothing_is_late() -> None:
    assert Attendance().away_until(time.monotonic()) == 0.0
