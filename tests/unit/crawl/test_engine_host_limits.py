from itertools import pairwise

import pytest

from crawlmesh.model.host import HostLimits
from crawlmesh.testing.scripted_fetcher import html
from tests.unit.crawl.kit import CrawlKit

A = "https://a.example"
HOST = "a.example"


def _serve(kit: CrawlKit, pages: int, takes: float = 0.1) -> None:
    kit.web.serve(f"{A}/", html(*(f"/{number}" for number in range(pages))))
    kit.web.serve_all({f"{A}/{number}": html(takes=takes) for number in range(pages)})


def _gaps(kit: CrawlKit) -> list[float]:
    return [later - earlier for earlier, later in pairwise(kit.web.starts(HOST))]


async def test_a_delay_lies_between_all_request_starts() -> None:
    kit = CrawlKit()
    _serve(kit, 12, takes=5.0)
    await kit.store.limit_host(HOST, HostLimits(delay=2.0))
    await kit.crawl(f"{A}/")
    assert len(_gaps(kit)) == 13
    assert min(_gaps(kit)) >= 2.0 - 1e-9


async def test_a_delay_is_no_news_of_the_host() -> None:
    kit = CrawlKit()
    _serve(kit, 12)
    await kit.store.limit_host(HOST, HostLimits(delay=2.0, slots=2))
    await kit.crawl(f"{A}/")
    told = [settlement.report.state for settlement in kit.store.settled if settlement.report.state]
    assert {(state.delay, state.slots) for state in told} <= {(0.0, 4)}
    status = await kit.store.host_status(HOST)
    assert status is not None
    assert (status.state.delay, status.state.slots, status.state.exclusive) == (0.0, 4, False)


@pytest.mark.parametrize("slots", [1, 2, 7])
async def test_slots_are_those_of_the_user(slots: int) -> None:
    kit = CrawlKit(per_host=4, batch_slots=2)
    _serve(kit, 300, takes=0.5)
    await kit.store.limit_host(HOST, HostLimits(slots=slots))
    await kit.crawl(f"{A}/")
    assert kit.web.most_at_once[HOST] == slots


async def test_limits_hold_with_the_next_lease() -> None:
    kit = CrawlKit(per_host=4)
    _serve(kit, 150)
    limited_at: list[float] = []

    async def limit() -> None:
        if len(kit.store.settled) >= 1 and not limited_at:
            limited_at.append(kit.clock.monotonic())
            await kit.store.limit_host(HOST, HostLimits(delay=3.0))

    kit.store.before["settle"] = limit
    await kit.crawl(f"{A}/")
    slow = [gap for gap in _gaps(kit) if gap >= 3.0 - 1e-9]
    assert limited_at
    assert len(slow) >= 10
    assert _gaps(kit)[-len(slow) :] == slow


async def test_leased_links_of_a_blocked_host_are_finished() -> None:
    kit = CrawlKit(per_host=2)
    _serve(kit, 100)

    async def block() -> None:
        if len(kit.store.settled) >= 1:
            await kit.store.limit_host(HOST, HostLimits(blocked=True))

    kit.store.before["settle"] = block
    await kit.create(f"{A}/")
    engine = kit.engine()
    await engine.run()  # alone, it ends where nobody can get what is left
    progress = await kit.progress()
    assert progress.leased == 0
    assert progress.pending > 0
    assert 0 < progress.done < 101
    kit.store.before.clear()
    await kit.store.limit_host(HOST, HostLimits())
    assert (await kit.go_on()).done == 101
