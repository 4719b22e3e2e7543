import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from crawlmesh.adapters.memory import MemoryCrawlStore
from crawlmesh.crawl.crawl_watch import CrawlEnd
from crawlmesh.crawl.engine import Engine, EngineOptions
from crawlmesh.errors import StoreError, StoreFullError, StoreUnavailableError, UnknownCrawlError
from crawlmesh.model.crawl import Crawl
from crawlmesh.model.task import TaskStatus
from crawlmesh.protocol.called_crawl_store import CalledCrawlStore
from crawlmesh.protocol.crawl_calls import error_from, make_call, refusal
from crawlmesh.testing.invariants import assert_crawl_invariants
from crawlmesh.testing.manual_clock import ManualClock
from crawlmesh.testing.scripted_fetcher import html
from crawlmesh.worker import patient_crawl_store
from crawlmesh.worker.back_off import BackOff
from crawlmesh.worker.executors import WebCrawl, WebCrawlOptions
from crawlmesh.worker.patient_crawl_store import PatientCrawlStore
from tests.unit.worker.test_web_crawl import A, CrawlNode, WaitingFetcher


class Unsteady(CalledCrawlStore):
    """Fails as often as is left of each method."""

    def __init__(self, store: Any, make_error: Callable[[], StoreError]) -> None:
        self.store = store
        self.make_error = make_error
        self.failures: dict[str, int] = {}
        self.failed: list[str] = []
        self.asked = asyncio.Event()

    async def _call(self, method: str, *arguments: Any) -> Any:
        self.asked.set()
        if self.failures.get(method, 0) > 0:
            self.failures[method] -= 1
            self.failed.append(method)
            raise self.make_error()
        if method == "expire":
            node_id, everything = arguments
            return await self.store.expire(node_id=node_id, everything=everything)
        return await getattr(self.store, method)(*arguments)

    async def aclose(self) -> None:
        await self.store.aclose()


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patient_crawl_store, "BackOff", lambda: BackOff(first=0.001, longest=0.001))


def _away() -> StoreError:
    return StoreUnavailableError("The server does not answer.")


@pytest.mark.parametrize("make_error", [_away, lambda: StoreFullError("The disk is full.")])
async def test_an_outage_is_waited_out(make_error: Callable[[], StoreError]) -> None:
    unsteady = Unsteady(MemoryCrawlStore(ManualClock()), make_error)
    unsteady.failures = {"create_crawl": 3, "progress": 2, "expire": 1}
    store = PatientCrawlStore(unsteady)
    assert await store.create_crawl(Crawl("a", b"", 0.0))
    assert (await store.progress("a")).added == 0
    assert await store.expire(node_id="a") == 0
    assert len(unsteady.failed) == 6


async def test_other_errors_are_raised_at_once() -> None:
    store = PatientCrawlStore(MemoryCrawlStore(ManualClock()))
    with pytest.raises(UnknownCrawlError):
        await store.progress("unknown")


async def test_closing_ends_the_waiting() -> None:
    unsteady = Unsteady(MemoryCrawlStore(ManualClock()), _away)
    unsteady.failures = {"progress": 10**9}
    store = PatientCrawlStore(unsteady)
    waiting = asyncio.ensure_future(store.progress("a"))
    await unsteady.asked.wait()
    await store.aclose()
    with pytest.raises(StoreUnavailableError):
        await waiting


def test_an_outage_behind_a_master_is_known_as_one() -> None:
    call = make_call(1, "crawls", ())
    assert isinstance(error_from(refusal(call, _away())), StoreUnavailableError)


class UnsteadyNode(CrawlNode):
    """A node whose store is away now and then."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.unsteady = Unsteady(self.kit.crawl_store, _away)
        self.patient = PatientCrawlStore(self.unsteady)
        crawl = WebCrawl(self.patient, self.engine, self.kit.clock, WebCrawlOptions(look_every=0.01))
        self.executors = (crawl,)

    def _make_engine(self, node_id: str, on_end: CrawlEnd) -> Engine:
        options = EngineOptions(node_id=node_id, robots_agent="bot", concurrency=4)
        fetcher = WaitingFetcher(self.web)
        return Engine(self.patient, fetcher, self.kit.clock, {}, options, on_crawl_end=on_end)


async def test_a_crawl_survives_outages_of_its_store_without_a_retry(tmp_path: Path) -> None:
    node = UnsteadyNode(tmp_path)
    node.web.serve_all({f"{A}/": html("/1", "/2"), f"{A}/1": html(), f"{A}/2": html()})
    node.unsteady.failures = dict.fromkeys(("create_crawl", "add", "lease", "settle", "progress"), 3)
    async with node.running():
        task = await node.until((await node.crawl()).id, lambda task: task.ended)
    assert (task.status, task.retry_count) == (TaskStatus.COMPLETED, 0)
    assert {"create_crawl", "add", "lease", "settle"} <= set(node.unsteady.failed)
    assert (await node.kit.crawl_store.progress(task.id)).pages == 3
    await assert_crawl_invariants(node.kit.crawl_store, task.id)
