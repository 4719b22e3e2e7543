import logging

import pytest

from crawlmesh.control.begin_execution import begin_execution
from crawlmesh.control.crawl_filters import crawl_filters
from crawlmesh.control.loops.filter_watch import FilterWatch
from crawlmesh.control.overview import overview
from crawlmesh.errors import StoreUnavailableError
from crawlmesh.model.crawl import Dedup
from crawlmesh.model.event import EventType
from crawlmesh.testing.builders import crawl, new_links
from tests.unit.control.kit import ControlKit


async def _working(kit: ControlKit, **fields: object) -> str:
    """A crawl that a node works on."""
    node = await kit.join()
    parameters = {"url": "https://a.example/1", "depth": 0}
    [task] = await kit.submit(task_type="web_crawl", parameters=parameters)
    await kit.place()
    for assignment in (await kit.pull(node)).assignments:
        await begin_execution(kit.context, assignment.execution)
    await kit.crawl_store.create_crawl(crawl(task.id, **fields))
    return task.id


async def test_a_filter_that_fills_up_is_told_once_for_each_size(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "crawlmesh.DEDUP")
    kit = ControlKit()
    task_id = await _working(kit, dedup=Dedup.BLOOM, filter_capacity=100)
    watch = FilterWatch(kit.context, kit.lead)
    told = []
    for links in (50, 90, 95, 150, 280, 290):
        await kit.crawl_store.add(new_links(links, crawl_id=task_id))
        told.append(await watch.run_once(kit.now))
    assert told == [0, 1, 0, 0, 1, 0]
    events = await kit.told(EventType.TASK_FILTER_NEARLY_FULL)
    assert [event.task_id for event in events] == [task_id, task_id]
    assert [(event.data["count"], event.data["layers"]) for event in events] == [(90, 1), (280, 2)]
    assert [record.levelname for record in caplog.records] == ["WARNING", "INFO", "WARNING"]
    assert f"crawl {task_id}: its Bloom filter is 90 % full, with 90 links" in caplog.messages[0]
    assert "has grown to 2 layers for 300 links" in caplog.messages[1]


async def test_the_overview_shows_the_filters_of_crawls_that_are_worked_on() -> None:
    kit = ControlKit()
    assert (await overview(kit.context)).filters == []
    task_id = await _working(kit, dedup=Dedup.BLOOM, filter_capacity=100)
    await kit.crawl_store.add(new_links(25, crawl_id=task_id))
    assert (await overview(kit.context)).filters == []  # as it was some seconds ago
    kit.clock.advance(10.0)
    (shown,) = (await overview(kit.context)).filters
    assert (shown.task_id, shown.status.fill) == (task_id, 0.25)


async def test_exact_crawls_have_no_filter_to_show() -> None:
    kit = ControlKit()
    await _working(kit)
    assert await crawl_filters(kit.context) == []


async def test_a_crawl_store_that_is_away_hides_the_filters_and_nothing_else(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kit = ControlKit()
    await _working(kit, dedup=Dedup.BLOOM)

    async def away(crawl_id: str) -> None:
        raise StoreUnavailableError(f"no answer for {crawl_id}")

    monkeypatch.setattr(kit.crawl_store, "progress", away)
    found = await overview(kit.context)
    assert (found.filters, found.tasks["processing"]) == ([], 1)
