import asyncio
from itertools import pairwise
from typing import Any

import pytest

from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.crawl.engine import Engine
from crawlmesh.crawl.pace import CrawlPace
from crawlmesh.crawl.plan import CrawlPlan
from crawlmesh.model.crawl import Crawl, CrawlProgress
from crawlmesh.testing.invariants import assert_crawl_invariants
from crawlmesh.testing.scripted_fetcher import ScriptedFetcher, SentRequest, html, text
from tests.unit.crawl.kit import CrawlKit

A = "https://a.example"
B = "https://b.example"


class Crowd:
    """An engine for many crawls, and the ends that it told of."""

    def __init__(self, kit: CrawlKit) -> None:
        self.kit = kit
        self.ends: dict[str, CrawlProgress | None] = {}
        self._told = asyncio.Event()
        self.engine = Engine(
            kit.store, ScriptedFetcher(kit.web), kit.clock, {}, kit.options, on_crawl_end=self._ended
        )

    def _ended(self, crawl_id: str, progress: CrawlProgress | None) -> None:
        assert crawl_id not in self.ends
        self.ends[crawl_id] = progress
        self._told.set()

    async def add(
        self,
        crawl_id: str,
        *seeds: str,
        pace: CrawlPace | None = None,
        max_pages: int | None = None,
        **definition: Any,
    ) -> None:
        plan = CrawlPlan(crawl_id, CrawlDefinition(seeds=seeds, **definition), pace, max_pages)
        await self.kit.store.create_crawl(
            Crawl(crawl_id, plan.definition.to_json(), 1.0, max_pages=max_pages)
        )
        await self.kit.store.add(plan.seed_links())
        self.engine.add_plan(plan)

    async def all_ended(self, *crawl_ids: str) -> None:
        while not self.ends.keys() >= set(crawl_ids):
            self._told.clear()
            await self._told.wait()


@pytest.fixture
def kit() -> CrawlKit:
    kit = CrawlKit(concurrency=8)
    kit.web.serve_all(
        {
            f"{A}/": html("/1", "/2"),
            f"{A}/1": html("/3"),
            f"{A}/2": html(),
            f"{A}/3": html(),
            f"{B}/": html("/1"),
            f"{B}/1": html(),
        }
    )
    return kit


async def _run(crowd: Crowd, *crawl_ids: str) -> None:
    running = asyncio.ensure_future(crowd.engine.run(until_finished=False))
    await crowd.all_ended(*crawl_ids)
    crowd.engine.stop()
    await running
    for crawl_id in crawl_ids:
        await assert_crawl_invariants(crowd.kit.store, crawl_id)


async def test_crawls_run_side_by_side_and_end_one_by_one(kit: CrawlKit) -> None:
    crowd = Crowd(kit)
    await crowd.add("one", f"{A}/")
    await crowd.add("two", f"{B}/")
    await _run(crowd, "one", "two")
    one, two = crowd.ends["one"], crowd.ends["two"]
    assert one is not None
    assert two is not None
    assert (one.pages, two.pages) == (4, 2)
    assert crowd.engine.tally("one").pages == 4


async def test_two_crawls_of_one_host_have_records_of_their_own(kit: CrawlKit) -> None:
    crowd = Crowd(kit)
    await crowd.add("one", f"{A}/")
    await crowd.add("two", f"{A}/")
    await _run(crowd, "one", "two")
    assert [progress.records for progress in crowd.ends.values() if progress] == [4, 4]


async def test_a_plan_that_comes_later_wakes_an_idle_engine(kit: CrawlKit) -> None:
    crowd = Crowd(kit)
    running = asyncio.ensure_future(crowd.engine.run(until_finished=False))
    await crowd.add("late", f"{B}/")
    await crowd.all_ended("late")
    calls = len(kit.store.calls)
    await crowd.engine.remove_plan("late")
    await crowd.add("later", f"{B}/")
    await crowd.all_ended("later")
    assert len(kit.store.calls) > calls
    crowd.engine.stop()
    await running


async def test_an_engine_without_crawls_asks_the_store_for_nothing(kit: CrawlKit) -> None:
    crowd = Crowd(kit)
    running = asyncio.ensure_future(crowd.engine.run(until_finished=False))
    for _ in range(4):  # more, and the scripted web would say that it never ends
        await asyncio.sleep(0)
    assert kit.store.calls == []
    crowd.engine.stop()
    await running


async def test_a_page_limit_ends_a_crawl_though_links_are_left(kit: CrawlKit) -> None:
    crowd = Crowd(kit)
    await crowd.add("limited", f"{A}/", max_pages=2)
    await _run(crowd, "limited")
    progress = crowd.ends["limited"]
    assert progress is not None
    assert progress.pages == 2
    assert progress.pending > 0


async def test_a_crawl_that_was_deleted_ends(kit: CrawlKit) -> None:
    crowd = Crowd(kit)
    plan = CrawlPlan("unknown", CrawlDefinition(seeds=(f"{A}/",)))
    crowd.engine.add_plan(plan)
    running = asyncio.ensure_future(crowd.engine.run(until_finished=False))
    await crowd.all_ended("unknown")
    assert crowd.ends == {"unknown": None}
    crowd.engine.stop()
    await running


async def test_every_crawl_keeps_its_own_pace_and_headers(kit: CrawlKit) -> None:
    crowd = Crowd(kit)
    slow = CrawlPace(delay=3.0, headers=(("User-Agent", "slow/1"),), robots_agent="slow")
    await crowd.add("slow", f"{A}/", pace=slow)
    await crowd.add("fast", f"{B}/")
    await _run(crowd, "slow", "fast")
    starts = kit.web.starts("a.example")
    assert all(later - earlier >= 3.0 for earlier, later in pairwise(starts))
    agents = {
        sent.host: sent.headers.get("User-Agent") for sent in kit.web.requests if sent.url[-3:] != "txt"
    }
    assert agents == {"a.example": "slow/1", "b.example": None}


async def test_robots_are_read_under_the_name_of_the_crawl(kit: CrawlKit) -> None:
    kit.web.serve(f"{A}/robots.txt", text("User-agent: guest\nDisallow: /1\n\nUser-agent: *\nDisallow:"))
    crowd = Crowd(kit)
    await crowd.add("guest", f"{A}/", pace=CrawlPace(robots_agent="guest"))
    await crowd.add("bot", f"{A}/")
    await _run(crowd, "guest", "bot")
    pages = {name: progress.pages for name, progress in crowd.ends.items() if progress}
    assert pages == {"guest": 2, "bot": 4}


async def test_a_crawl_that_ignores_robots_does_so_for_itself_alone(kit: CrawlKit) -> None:
    kit.web.serve(f"{A}/robots.txt", text("User-agent: *\nDisallow: /1"))
    crowd = Crowd(kit)
    await crowd.add("rude", f"{A}/", ignore_robots=True)
    await crowd.add("polite", f"{A}/")
    await _run(crowd, "rude", "polite")
    pages = {name: progress.pages for name, progress in crowd.ends.items() if progress}
    assert pages == {"rude": 4, "polite": 2}


async def test_a_removed_crawl_settles_what_is_done_and_returns_the_rest(kit: CrawlKit) -> None:
    kit.web.serve(f"{A}/2", html(takes=100.0))
    reached = asyncio.Event()
    kit.web.on_request = lambda sent: reached.set() if sent.url == f"{A}/2" else None
    crowd = Crowd(kit)
    await crowd.add("one", f"{A}/")
    await crowd.add("two", f"{B}/")
    running = asyncio.ensure_future(crowd.engine.run(until_finished=False))
    await reached.wait()
    begun = kit.clock.monotonic()
    tally = await crowd.engine.remove_plan("one", patience=1.0)
    assert kit.clock.monotonic() - begun < 5.0
    assert tally.pages >= 1
    progress = await kit.store.progress("one")
    assert progress.leased == 0
    assert progress.pages == tally.pages
    assert progress.pending >= 1
    await crowd.all_ended("two")
    crowd.engine.stop()
    await running
    await assert_crawl_invariants(kit.store, "one")


async def test_a_removed_crawl_may_come_back(kit: CrawlKit) -> None:
    crowd = Crowd(kit)
    started = asyncio.Event()

    def note(_: SentRequest) -> None:
        started.set()

    kit.web.on_request = note
    await crowd.add("one", f"{A}/")
    running = asyncio.ensure_future(crowd.engine.run(until_finished=False))
    await started.wait()
    await crowd.engine.remove_plan("one")
    crowd.ends.clear()
    await crowd.add("one", f"{A}/")
    await crowd.all_ended("one")
    crowd.engine.stop()
    await running
    progress = crowd.ends["one"]
    assert progress is not None
    assert progress.pages == 4


async def test_removing_what_is_unknown_is_fine(kit: CrawlKit) -> None:
    assert (await Crowd(kit).engine.remove_plan("nobody")).pages == 0
