import asyncio
from collections import Counter

import pytest

from crawlmesh.errors import OutputError, StoreError, StoreFullError
from crawlmesh.model.link import LinkState
from crawlmesh.model.page import FetchResponse
from crawlmesh.testing.invariants import assert_crawl_invariants
from crawlmesh.testing.scripted_fetcher import SentRequest, html, status
from tests.unit.crawl.kit import CrawlKit

A = "https://a.example"
B = "https://b.example"


def _star(kit: CrawlKit, site: str, pages: int, takes: float = 0.1) -> None:
    kit.web.serve(f"{site}/", html(*(f"/{number}" for number in range(pages))))
    kit.web.serve_all({f"{site}/{number}": html(takes=takes) for number in range(pages)})


async def test_stop_settles_what_is_in_flight_and_returns_the_rest() -> None:
    kit = CrawlKit(per_host=2, batch_slots=2)
    _star(kit, A, 30, takes=5.0)
    await kit.create(f"{A}/")
    engine = kit.engine()

    def stop_at_the_fifth(sent: SentRequest) -> None:
        if len(kit.web.urls()) == 5:
            engine.stop()
            engine.stop()

    kit.web.on_request = stop_at_the_fifth
    await engine.run()
    progress = await kit.progress()
    assert len(kit.web.urls()) <= 6  # the decision for another one may have been made already
    assert progress.done == len(kit.web.urls())
    assert progress.leased == 0
    assert progress.added == 31
    kit.web.on_request = lambda _: None
    assert (await kit.go_on()).done == 31
    assert max(Counter(kit.web.urls()).values()) == 1


async def test_an_engine_that_was_stopped_before_it_ran_does_nothing() -> None:
    kit = CrawlKit()
    await kit.create(f"{A}/")
    engine = kit.engine()
    engine.stop()
    await engine.run()
    assert kit.web.requests == []
    assert (await kit.progress()).pending == 1


async def test_stop_returns_a_lease_that_was_still_on_its_way() -> None:
    kit = CrawlKit()
    _star(kit, A, 10)
    await kit.create(f"{A}/")
    engine = kit.engine()

    async def stop() -> None:
        engine.stop()

    kit.store.before["lease"] = stop
    await engine.run()
    assert kit.web.requests == []
    progress = await kit.progress()
    assert (progress.pending, progress.leased) == (1, 0)


async def test_stop_while_robots_is_under_way_returns_the_links() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/robots.txt", status(404, takes=100.0))
    await kit.create(f"{A}/")
    engine = kit.engine()
    kit.web.on_request = lambda _: engine.stop()
    await engine.run()
    assert kit.web.urls() == []
    assert (await kit.progress()).pending == 1


async def test_long_requests_keep_their_lease() -> None:
    kit = CrawlKit(lease_duration=30.0)
    kit.web.serve(f"{A}/", html("/slow"))
    kit.web.serve(f"{A}/slow", html(takes=110.0))

    async def expire() -> None:
        await kit.store.expire()

    kit.store.before["lease"] = expire
    assert (await kit.crawl(f"{A}/")).done == 2
    assert kit.web.urls() == [f"{A}/", f"{A}/slow"]
    assert len(kit.store.renewed) >= 3


async def test_a_refused_settlement_loses_no_link() -> None:
    kit = CrawlKit()
    kit.web.serve_all({f"{A}/": html("/1", "/2"), f"{A}/1": html("/3"), f"{A}/2": html(), f"{A}/3": html()})
    slept = False

    async def sleep_once() -> None:
        nonlocal slept
        if not slept:
            slept = True
            kit.clock.advance(1_000)
            await kit.store.expire()

    kit.store.before["settle"] = sleep_once
    progress = await kit.crawl(f"{A}/")
    assert kit.store.taken[0] is False
    assert all(kit.store.taken[1:])
    assert progress.done == 4
    assert kit.web.urls()[:2] == [f"{A}/", f"{A}/"]


async def test_results_under_a_lease_that_was_lost_are_dropped() -> None:
    kit = CrawlKit(lease_duration=30.0, settle_after=1_000.0)
    kit.web.serve(f"{A}/", html("/1"), html("/2"))
    kit.web.serve_all({f"{A}/slow": html(takes=40.0), f"{A}/1": html(), f"{A}/2": html()})
    lost = False

    async def lose_once() -> None:
        nonlocal lost
        if not lost:
            lost = True
            await kit.store.expire(everything=True)

    kit.store.before["renew"] = lose_once
    progress = await kit.crawl(f"{A}/", f"{A}/slow")
    assert progress.finished
    assert Counter(kit.web.urls())[f"{A}/"] == 2
    assert (await kit.ledger(f"{A}/2")).state is LinkState.DONE
    # The page that led there was dropped with its lease, and led elsewhere the second time.
    assert f"{A}/1" not in kit.web.urls()
    assert all(kit.store.taken)


async def test_two_engines_share_a_crawl_and_both_end() -> None:
    kit = CrawlKit(per_host=4, batch_slots=1)
    for site in (A, B, "https://c.example"):
        _star(kit, site, 60, takes=0.3)
    await kit.create(f"{A}/", f"{B}/", "https://c.example/")
    first, second = kit.engine(node_id="one"), kit.engine(node_id="two")
    await asyncio.gather(first.run(), second.run())
    await assert_crawl_invariants(kit.store, "crawl")
    progress = await kit.progress()
    assert (progress.done, progress.pending, progress.leased) == (183, 0, 0)
    assert max(Counter(kit.web.urls()).values()) == 1
    assert max(kit.web.most_at_once.values()) <= 4


async def test_an_engine_waits_for_links_that_another_one_may_find() -> None:
    kit = CrawlKit()
    _star(kit, A, 3)
    kit.web.serve(f"{A}/", html("/0", f"{B}/", takes=50.0))
    _star(kit, B, 20, takes=0.1)
    await kit.create(f"{A}/", scope="any")
    ended: list[str] = []

    async def run(node: str) -> None:
        await kit.engine(node_id=node).run()
        ended.append(node)
        assert (await kit.progress()).finished

    await asyncio.gather(run("one"), run("two"))
    assert len(ended) == 2
    assert (await kit.progress()).done == 2 + 21


async def test_two_engines_keep_max_pages() -> None:
    kit = CrawlKit(per_host=8, batch_slots=1)
    for site in (A, B):
        _star(kit, site, 60, takes=0.3)
    await kit.create(f"{A}/", f"{B}/", limits={"max_pages": 17})
    await asyncio.gather(kit.engine(node_id="one").run(), kit.engine(node_id="two").run())
    assert (await kit.progress()).pages == 17


async def test_the_work_of_a_killed_engine_is_done_again_by_another() -> None:
    kit = CrawlKit()
    _star(kit, A, 40, takes=1.0)
    await kit.create(f"{A}/")
    doomed = asyncio.ensure_future(kit.engine(node_id="doomed").run())

    def kill_at_the_tenth(sent: SentRequest) -> None:
        if len(kit.web.requests) == 10:
            doomed.cancel()

    kit.web.on_request = kill_at_the_tenth
    with pytest.raises(asyncio.CancelledError):
        await doomed
    kit.web.on_request = lambda _: None
    await kit.store.expire(node_id="doomed")
    progress = await kit.go_on()
    assert (progress.done, progress.records) == (41, 41)


@pytest.mark.parametrize("call", ["lease", "settle", "renew", "progress"])
async def test_what_the_store_raises_comes_out_of_run_and_nothing_is_settled_afterwards(call: str) -> None:
    kit = CrawlKit(lease_duration=3.0)
    _star(kit, A, 10, takes=4.0)
    await kit.create(f"{A}/")

    calls_before: list[int] = []

    async def fail() -> None:
        if kit.web.urls():
            calls_before.append(len(kit.store.calls))
            raise StoreFullError("the disk is full")

    kit.store.before[call] = fail
    with pytest.raises(StoreFullError, match="the disk is full"):
        await kit.engine().run()
    assert calls_before
    assert "settle" not in kit.store.calls[calls_before[0] :]


class NotingArchive:
    """A `PageArchive` that notes in which order it and the store are called."""

    def __init__(self, kit: CrawlKit) -> None:
        self._calls = kit.store.calls
        self.appended: list[str] = []
        self.failure: Exception | None = None

    def append(self, response: FetchResponse, fetched_at: float) -> str:
        if self.failure is not None:
            raise self.failure
        self.appended.append(response.url)
        self._calls.append("append")
        return f"segment:{len(self.appended)}:1"

    def flush(self) -> None:
        self._calls.append("flush")

    def read(self, reference: str) -> FetchResponse:
        raise NotImplementedError

    def raw(self, reference: str) -> bytes:
        raise NotImplementedError

    def close(self) -> None:
        pass


async def test_each_record_is_archived_once_and_flushed_before_it_is_settled() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/", html("/1", "/404", "/moved"))
    kit.web.serve_all({f"{A}/1": html(), f"{A}/moved": status(500)})
    kit.archive = archive = NotingArchive(kit)
    await kit.crawl(f"{A}/", archive=True)
    assert sorted(archive.appended) == [f"{A}/", f"{A}/1"]
    records = await kit.store.records("crawl")
    assert [record.archive for record in records] == ["segment:1:1", "segment:2:1"]
    calls = [call for call in kit.store.calls if call in ("flush", "settle", "append")]
    for number, call in enumerate(calls):
        if call == "settle":
            assert calls[number - 1] == "flush"
    assert calls.index("append") < calls.index("flush")


async def test_nothing_is_archived_unless_the_crawl_asks_for_it() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/", html())
    kit.archive = archive = NotingArchive(kit)
    await kit.crawl(f"{A}/")
    assert archive.appended == []


async def test_an_archive_that_fails_ends_the_run() -> None:
    kit = CrawlKit()
    kit.web.serve(f"{A}/", html())
    archive = NotingArchive(kit)
    archive.failure = OutputError("the disk is full")
    kit.archive = archive
    await kit.create(f"{A}/", archive=True)
    with pytest.raises(OutputError, match="the disk is full"):
        await kit.engine().run()
    assert (await kit.store.records("crawl")) == []


async def test_a_store_error_does_not_hide_behind_requests_under_way() -> None:
    kit = CrawlKit()
    _star(kit, A, 10, takes=500.0)
    await kit.create(f"{A}/")

    async def fail() -> None:
        raise StoreError("broken")

    kit.store.before["settle"] = fail
    with pytest.raises(StoreError):
        await kit.engine().run()
    assert kit.clock.monotonic() < 500


async def test_a_slow_page_does_not_hold_up_what_its_neighbours_lead_to() -> None:
    kit = CrawlKit(settle_after=2.0)
    kit.web.serve_all(
        {
            f"{A}/": html("/slow", "/fast"),
            f"{A}/slow": html(takes=100.0),
            f"{A}/fast": html("/further"),
            f"{A}/further": html(),
        }
    )
    assert (await kit.crawl(f"{A}/")).done == 4
    assert kit.web.start_of(f"{A}/further") - kit.web.start_of(f"{A}/slow") < 10.0


async def test_a_page_that_is_leased_again_before_its_settlement_is_refused_keeps_its_links() -> None:
    kit = CrawlKit()
    kit.web.serve_all({f"{A}/": html("/only-here"), f"{A}/only-here": html()})
    await kit.create(f"{A}/")
    visited_again = asyncio.Event()

    def see(_: SentRequest) -> None:
        if kit.web.urls().count(f"{A}/") == 2:
            visited_again.set()

    async def take_the_lease_away() -> None:
        del kit.store.before["settle"]
        await kit.store.expire(everything=True)
        await visited_again.wait()
        for _ in range(50):  # the answer comes, and its page is read
            await asyncio.sleep(0)

    kit.web.on_request = see
    kit.store.before["settle"] = take_the_lease_away
    assert (await kit.go_on()).done == 2
    assert kit.store.taken[0] is False
