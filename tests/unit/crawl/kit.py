"""A whole crawl in memory: scripted servers, a manual clock, a store whose calls can be watched."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import msgspec

from crawlmesh.adapters.memory import MemoryCrawlStore
from crawlmesh.crawl.definition import CrawlDefinition
from crawlmesh.crawl.engine import Engine, EngineOptions
from crawlmesh.crawl.plan import CrawlPlan
from crawlmesh.model.crawl import Crawl, CrawlProgress
from crawlmesh.model.lease import LeaseGrant, LeaseRequest, Renewal, Settlement
from crawlmesh.model.record import LedgerEntry
from crawlmesh.ports.page_archive import PageArchive
from crawlmesh.rules.url_identity import canonicalize
from crawlmesh.testing.invariants import assert_crawl_invariants, read_all_records
from crawlmesh.testing.manual_clock import ManualClock
from crawlmesh.testing.scripted_fetcher import ScriptedFetcher, ScriptedWeb

Hook = Callable[[], Awaitable[None]]


class WatchedStore(MemoryCrawlStore):
    """Notes what it is asked for, and lets a test do something before a call."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(clock)
        self.calls: list[str] = []
        self.settled: list[Settlement] = []
        self.renewed: list[Renewal] = []
        self.taken: list[bool] = []
        self.before: dict[str, Hook] = {}

    async def _called(self, name: str) -> None:
        self.calls.append(name)
        if name in self.before:
            await self.before[name]()

    async def lease(self, request: LeaseRequest) -> LeaseGrant:
        await self._called("lease")
        return await super().lease(request)

    async def settle(self, settlements: Sequence[Settlement]) -> list[bool]:
        await self._called("settle")
        self.settled.extend(settlements)
        taken = await super().settle(settlements)
        self.taken.extend(taken)
        return taken

    async def renew(self, renewals: Sequence[Renewal]) -> list[bool]:
        await self._called("renew")
        self.renewed.extend(renewals)
        return await super().renew(renewals)

    async def progress(self, crawl_id: str) -> CrawlProgress:
        await self._called("progress")
        return await super().progress(crawl_id)


class CrawlKit:
    """One crawl named "crawl" and all that it runs on."""

    def __init__(self, **options: Any) -> None:
        self.clock = ManualClock()
        self.web = ScriptedWeb(self.clock)
        self.store = WatchedStore(self.clock)
        self.options = EngineOptions(**{"robots_agent": "bot", **options})
        self.archive: PageArchive | None = None
        self.definition = CrawlDefinition(seeds=())

    async def create(self, *seeds: str, limits: dict[str, Any] | None = None, **definition: Any) -> None:
        """Make the crawl known to the store, with its seeds."""
        self.definition = CrawlDefinition(seeds=seeds, **definition)
        values = {"default_delay": self.options.delay, "default_slots": self.options.per_host}
        crawl = Crawl("crawl", self.definition.to_json(), 1.0, **{**values, **(limits or {})})
        await self.store.create_crawl(crawl)
        await self.store.add(CrawlPlan("crawl", self.definition).seed_links())

    def engine(self, **options: Any) -> Engine:
        """An engine with a memory of its own, as in a process of its own."""
        plan = CrawlPlan("crawl", self.definition)
        return Engine(
            self.store,
            ScriptedFetcher(self.web),
            self.clock,
            {"crawl": plan},
            msgspec.structs.replace(self.options, **options),
            self.archive,
        )

    async def crawl(self, *seeds: str, **definition: Any) -> CrawlProgress:
        """Crawl from these seeds to the end."""
        await self.create(*seeds, **definition)
        return await self.go_on()

    async def go_on(self) -> CrawlProgress:
        """Crawl what is left, to the end."""
        await self.engine().run()
        await assert_crawl_invariants(self.store, "crawl", recrawled=True)
        return await self.progress()

    async def progress(self) -> CrawlProgress:
        return await MemoryCrawlStore.progress(self.store, "crawl")

    async def ledger(self, url: str) -> LedgerEntry:
        """What the store says about a URL that it must know."""
        identity = canonicalize(url)
        assert identity is not None
        entry = await self.store.explain("crawl", identity.fingerprint)
        assert entry is not None, f"{url} was never seen"
        return entry

    async def record_urls(self) -> set[str]:
        """The URLs of all records."""
        return {record.url for record in await read_all_records(self.store, "crawl")}
