from typing import Any

import pytest

from crawlmesh.adapters.memory import MemoryCrawlStore
from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.errors import StateMismatchError, UsageError
from crawlmesh.model.crawl import Crawl, Dedup
from crawlmesh.rules.spider_traps import TrapLimits
from crawlmesh.testing.builders import all_fetched, dead, lease_request, settlement
from crawlmesh.testing.manual_clock import ManualClock
from crawlmesh.worker.preparation import CrawlLimits, Prepared, Start, prepare

DEFINITION = CrawlDefinition(seeds=("https://a.example/", "https://b.example/"), traps=TrapLimits(9, 9, 9))


class State:
    """A store and what is asked of it."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.store = MemoryCrawlStore(self.clock)

    async def prepare(
        self,
        definition: CrawlDefinition | None = DEFINITION,
        start: Start = Start.RESUME,
        **limits: Any,
    ) -> Prepared:
        return await prepare(self.store, self.clock, "one", definition, CrawlLimits(**limits), start)

    async def settle_all(self, *, as_dead: bool = False) -> None:
        grant = await self.store.lease(lease_request("one"))
        for batch in grant.batches:
            outcomes = [dead(link) for link in batch.links]
            await self.store.settle([settlement(batch, *outcomes) if as_dead else all_fetched(batch)])


async def test_a_new_crawl_is_made_with_its_seeds_and_limits() -> None:
    state = State()
    prepared = await state.prepare(max_pages=7, delay=2.0, per_host=3)
    assert not prepared.resumed
    assert prepared.before.added == 0
    assert (
        await state.store.crawls()
        == [Crawl("one", DEFINITION.to_json(), state.clock.now(), 7, 9, 2.0, 3)]
        == [prepared.crawl]
    )
    assert (await state.store.progress("one")).pending == 2
    assert prepared.plan.definition == DEFINITION


@pytest.mark.parametrize("start", list(Start))
async def test_without_a_definition_there_must_be_a_crawl(start: Start) -> None:
    state = State()
    with pytest.raises(UsageError, match="There is no crawl here to go on with"):
        await state.prepare(None, start)
    assert await state.store.crawls() == []


@pytest.mark.parametrize("start", [Start.RETRY_FAILED, Start.RECRAWL])
async def test_what_was_never_crawled_cannot_be_crawled_again(start: Start) -> None:
    with pytest.raises(UsageError, match="no crawl here"):
        await State().prepare(DEFINITION, start)


@pytest.mark.parametrize("definition", [None, DEFINITION])
async def test_a_known_crawl_goes_on_with_new_limits(definition: CrawlDefinition | None) -> None:
    state = State()
    first = await state.prepare(max_pages=1)
    await state.settle_all()
    state.clock.advance(100)
    again = await state.prepare(definition, max_pages=50, per_host=9)
    assert again.resumed
    assert again.before.done == 1
    assert again.crawl.id == first.crawl.id
    assert (again.crawl.created_at, again.crawl.max_pages) == (first.crawl.created_at, 50)
    assert (await state.store.crawls())[0] == again.crawl


async def test_leases_of_an_earlier_run_end() -> None:
    state = State()
    await state.prepare()
    await state.store.lease(lease_request("one", duration=10_000.0))
    prepared = await state.prepare()
    assert (prepared.before.pending, prepared.before.leased) == (2, 0)


async def test_another_definition_is_refused_and_changes_nothing() -> None:
    state = State()
    await state.prepare(max_pages=3)
    other = CrawlDefinition(seeds=("https://c.example/",), depth=1)
    with pytest.raises(StateMismatchError, match=r"other seeds, depth, traps.*--fresh"):
        await state.prepare(other)
    (crawl,) = await state.store.crawls()
    assert crawl.max_pages == 3
    assert (await state.store.progress("one")).added == 2


async def test_dead_links_are_tried_again() -> None:
    state = State()
    await state.prepare()
    await state.settle_all(as_dead=True)
    prepared = await state.prepare(None, Start.RETRY_FAILED)
    assert prepared.retried == 2
    assert (prepared.before.pending, prepared.before.dead) == (2, 0)


async def test_all_pages_are_visited_again() -> None:
    state = State()
    await state.prepare()
    await state.settle_all()
    prepared = await state.prepare(start=Start.RECRAWL)
    assert prepared.retried == 2
    assert (prepared.before.pending, prepared.before.records) == (2, 2)


async def test_a_kill_between_making_the_crawl_and_adding_its_seeds_loses_nothing() -> None:
    state = State()
    await state.store.create_crawl(Crawl("one", DEFINITION.to_json(), 1.0))
    prepared = await state.prepare()
    assert prepared.before.pending == 2


async def test_a_new_crawl_has_the_dedup_that_was_asked_for() -> None:
    state = State()
    prepared = await state.prepare(dedup=Dedup.BLOOM, dedup_capacity=500, dedup_error_rate=0.01)
    crawl = prepared.crawl
    assert (crawl.dedup, crawl.filter_capacity, crawl.filter_error_rate) == (Dedup.BLOOM, 500, 0.01)
    progress = await state.store.progress("one")
    assert progress.filter is not None
    assert (progress.filter.capacity, progress.filter.count) == (500, 2)


@pytest.mark.parametrize(("begun", "other"), [(Dedup.BLOOM, Dedup.EXACT), (Dedup.EXACT, Dedup.BLOOM)])
@pytest.mark.parametrize("definition", [DEFINITION, None])
async def test_a_crawl_does_not_go_on_with_another_dedup(
    begun: Dedup, other: Dedup, definition: CrawlDefinition | None
) -> None:
    state = State()
    await state.prepare(dedup=begun)
    with pytest.raises(
        StateMismatchError, match=f"begun with --dedup {begun}.*cannot go on with {other}.*--fresh"
    ):
        await state.prepare(definition, dedup=other)
    again = await state.prepare(definition, dedup=begun)
    assert again.crawl.dedup is begun


async def test_a_crawl_goes_on_with_its_dedup_where_nothing_is_said() -> None:
    state = State()
    await state.prepare(dedup=Dedup.BLOOM, dedup_capacity=500)
    again = await state.prepare(None)
    assert (again.crawl.dedup, again.crawl.filter_capacity) == (Dedup.BLOOM, 500)
