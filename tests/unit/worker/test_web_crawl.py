import asyncio
from pathlib import Path
from typing import Any

import pytest

from crawlmesh.control.steer_tasks import pause_task, resume_task
from crawlmesh.crawl.crawl_watch import CrawlEnd
from crawlmesh.crawl.engine import Engine, EngineOptions
from crawlmesh.model.crawl import Crawl
from crawlmesh.model.page import FetchResponse
from crawlmesh.model.task import Task, TaskStatus
from crawlmesh.rules.dedup import refuse_filter
from crawlmesh.testing.invariants import assert_crawl_invariants
from crawlmesh.testing.scripted_fetcher import Reply, ScriptedFetcher, ScriptedWeb, html, status
from crawlmesh.worker.executors import WebCrawl, WebCrawlOptions
from crawlmesh.worker.local_engine import LocalEngine
from tests.unit.worker.agent_kit import AgentKit

A = "https://a.example"


class WaitingFetcher(ScriptedFetcher):
    """Waits for a wake without moving the clock, as an engine without crawls does."""

    def __init__(self, web: ScriptedWeb) -> None:
        super().__init__(web)
        self._wake = asyncio.Event()

    def wake(self) -> None:
        super().wake()
        self._wake.set()

    async def completed(self, patience: float | None) -> list[FetchResponse]:
        if patience is None:
            await self._wake.wait()
        self._wake.clear()
        return await super().completed(patience if patience is not None else 0.0)


class CrawlNode(AgentKit):
    """A node that crawls a scripted web."""

    def __init__(self, folder: Path, **options: Any) -> None:
        super().__init__(folder)
        self.web = ScriptedWeb(self.kit.clock)
        self.engine = LocalEngine(self._make_engine, lambda name: self.kit.crawl_store.expire(node_id=name))
        self.engines = self.engine
        crawl = WebCrawl(
            self.kit.crawl_store, self.engine, self.kit.clock, WebCrawlOptions(look_every=0.01, **options)
        )
        self.executors = (*self.executors, crawl)

    def _make_engine(self, node_id: str, on_end: CrawlEnd) -> Engine:
        options = EngineOptions(node_id=node_id, robots_agent="bot", concurrency=4)
        return Engine(
            self.kit.crawl_store, WaitingFetcher(self.web), self.kit.clock, {}, options, on_crawl_end=on_end
        )

    async def crawl(self, **parameters: Any) -> Task:
        (task,) = await self.submit(task_type="web_crawl", parameters={"url": f"{A}/", **parameters})
        return task


@pytest.fixture
def node(tmp_path: Path) -> CrawlNode:
    node = CrawlNode(tmp_path, pages_per_line=1)
    node.web.serve_all({f"{A}/": html("/1", "/2"), f"{A}/1": html("/3"), f"{A}/2": html(), f"{A}/3": html()})
    return node


async def test_a_task_crawls_to_the_end(node: CrawlNode) -> None:
    async with node.running() as agent:
        task = await node.until((await node.crawl()).id, lambda task: task.ended)
        assert (await node.kit.node(agent.node_id)).capabilities["processes"] == 1
    assert task.status is TaskStatus.COMPLETED
    (execution,) = await node.executions(task.id)
    assert execution.result is not None
    assert execution.result.metrics["pages_crawled"] == 4
    assert execution.result.metrics["data_size"] > 0
    progress = await node.kit.crawl_store.progress(task.id)
    assert (progress.records, progress.finished) == (4, True)
    await assert_crawl_invariants(node.kit.crawl_store, task.id)
    messages = [line.message for line in await node.kit.store.logs(task.id)]
    assert messages[0] == f"Crawling from {A}/."
    assert messages[-1].startswith("Nothing is left to do. 4 pages")


async def test_depth_and_limits_are_kept(node: CrawlNode) -> None:
    async with node.running():
        shallow = await node.until((await node.crawl(depth=1)).id, lambda task: task.ended)
        limited = await node.until((await node.crawl(max_pages=2)).id, lambda task: task.ended)
    assert (await node.kit.crawl_store.progress(shallow.id)).pages == 3
    assert (await node.kit.crawl_store.progress(limited.id)).pages == 2
    assert {shallow.status, limited.status} == {TaskStatus.COMPLETED}


async def test_a_crawl_that_brings_nothing_has_failed(node: CrawlNode) -> None:
    node.web.serve(f"{A}/", status(404))
    async with node.running():
        task = await node.until((await node.crawl()).id, lambda task: task.ended)
    assert task.status is TaskStatus.FAILED
    (execution,) = await node.executions(task.id)
    assert execution.result is not None
    assert execution.result.error == "No page could be fetched: http_404 (1)."
    levels = {line.level for line in await node.kit.store.logs(task.id)}
    assert {"INFO", "WARNING", "ERROR"} <= levels


async def test_a_paused_crawl_goes_on_where_it_was(node: CrawlNode) -> None:
    reached = asyncio.Event()
    node.web.serve(f"{A}/1", Reply(takes=10_000.0), html("/3"))
    node.web.on_request = lambda sent: reached.set() if sent.url == f"{A}/1" else None
    async with node.running():
        task = await node.crawl()
        await reached.wait()
        await pause_task(node.kit.context, task.id)
        while (await node.executions(task.id))[0].ended_by is None:
            await node.kit.store.wait("events", node.kit.store.mark("events"), 0.05)
        progress = await node.kit.crawl_store.progress(task.id)
        assert progress.leased == 0
        assert progress.pending >= 1
        await resume_task(node.kit.context, task.id)
        task = await node.until(task.id, lambda task: task.ended)
    assert task.status is TaskStatus.COMPLETED
    assert (await node.kit.crawl_store.progress(task.id)).pages == 4
    assert len([url for url in node.web.urls() if url == f"{A}/"]) == 1


async def test_robots_are_ignored_only_where_the_node_allows_it(node: CrawlNode) -> None:
    async with node.running():
        task = await node.until((await node.crawl(ignore_robots=True)).id, lambda task: task.ended)
    assert task.status is TaskStatus.FAILED
    assert node.web.requests == []


async def test_bad_parameters_fail_at_once(node: CrawlNode) -> None:
    async with node.running():
        (task,) = await node.submit(task_type="web_crawl", parameters={"url": "file:///etc/passwd"})
        task = await node.until(task.id, lambda task: task.ended)
    assert task.status is TaskStatus.FAILED
    assert task.retry_count == 0


async def test_an_engine_that_fails_is_replaced_and_its_crawls_are_tried_again(
    node: CrawlNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = node.kit.crawl_store
    lease = store.lease

    async def fail_once(request: Any) -> Any:
        monkeypatch.setattr(store, "lease", lease)
        raise OSError("broken")

    monkeypatch.setattr(store, "lease", fail_once)
    async with node.running():
        task = await node.crawl()
        task = await node.until(task.id, lambda task: task.status is TaskStatus.WAITING)
        (execution,) = await node.executions(task.id)
        assert execution.result is not None
        assert "The crawl engine failed: broken" in (execution.result.error or "")
        other = await node.until((await node.crawl(depth=0)).id, lambda task: task.ended)
    assert other.status is TaskStatus.COMPLETED


async def test_a_task_chooses_its_dedup_and_tells_how_many_known_links_stayed_here(node: CrawlNode) -> None:
    links = ["/1", "/2", "/1", "/2"]
    node.web.serve_all({f"{A}/": html(*links), f"{A}/1": html(*links, "/"), f"{A}/2": html(*links)})
    async with node.running():
        task = await node.crawl(dedup="bloom", dedup_capacity=77)
        task = await node.until(task.id, lambda task: task.ended)
    assert task.status is TaskStatus.COMPLETED
    progress = await node.kit.crawl_store.progress(task.id)
    assert progress.filter is not None
    assert (progress.filter.capacity, progress.filter.count, progress.pages) == (77, 3, 3)
    (execution,) = await node.executions(task.id)
    assert execution.result is not None
    assert execution.result.metrics["known_links_kept"] == 10


async def test_a_store_without_filters_ends_a_task_that_wants_one_with_the_reason(
    node: CrawlNode, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def create_crawl(crawl: Crawl) -> bool:
        refuse_filter(crawl, "this store")
        raise AssertionError

    monkeypatch.setattr(node.kit.crawl_store, "create_crawl", create_crawl)
    async with node.running():
        task = await node.until((await node.crawl(dedup="bloom")).id, lambda task: task.ended)
    assert task.status is TaskStatus.FAILED
    assert task.result is not None
    assert 'dedup = "bloom", which this store does not have' in (task.result.error or "")
