"""What a crawl of this machine alone works with."""

import socket
import time
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from crawlmesh.adapters.curl import CurlFetcher, FetchOptions
from crawlmesh.adapters.files import StateFolder, WarcPageArchive, open_record_writer
from crawlmesh.adapters.pipe import PipeCrawlStore, StoreServer
from crawlmesh.adapters.sqlite import SqliteCrawlStore
from crawlmesh.crawl.engine import Engine, EngineOptions
from crawlmesh.crawl.page_visit import VisitLimits
from crawlmesh.crawl.plan import CrawlPlan
from crawlmesh.errors import SettingError
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.ports.fetcher import Fetcher
from crawlmesh.ports.page_archive import PageArchive
from crawlmesh.ports.record_writer import RecordWriter
from crawlmesh.rules.politeness import PolitenessLimits

if TYPE_CHECKING:
    from crawlmesh.settings import Settings


class _SystemClock:
    now = staticmethod(time.time)
    monotonic = staticmethod(time.monotonic)


def system_clock() -> Clock:
    """The clock of this machine."""
    return _SystemClock()


async def open_crawl_store(state: StateFolder) -> CrawlStore:
    """The embedded store of a state folder."""
    return await SqliteCrawlStore.open(state.database, system_clock())


async def read_crawl_store(database: Path) -> CrawlStore:
    """The embedded store of a crawl that may be under way, to read."""
    return await SqliteCrawlStore.open_to_read(database, system_clock())


async def connect_crawl_store(connection: socket.socket, on_gone: Callable[[], None]) -> CrawlStore:
    """The store of the process at the other end of a socket; `on_gone` is called when that one ends."""
    return await PipeCrawlStore.open(connection, on_gone)


def serve_crawl_store(store: CrawlStore) -> Callable[[socket.socket], Awaitable[None]]:
    """What answers the calls of one crawl process."""
    return StoreServer(store).serve


def fetch_options(settings: "Settings") -> FetchOptions:
    """How requests are sent."""
    return FetchOptions(
        user_agent=settings.user_agent,
        headers=tuple(_header(text) for text in settings.headers),
        cookies=settings.cookies,
        proxy=settings.proxy or "",
        connect_timeout=settings.connect_timeout,
        first_byte_timeout=settings.first_byte_timeout,
        total_timeout=settings.total_timeout,
        max_body_bytes=settings.max_body_bytes,
        allow_private_networks=settings.allow_private_networks,
        http2=settings.http2,
        verify_tls=settings.verify_tls,
    )


def make_fetcher(options: FetchOptions) -> Fetcher:
    """The HTTP client."""
    return CurlFetcher(options)


def engine_options(settings: "Settings") -> EngineOptions:
    """How each of the processes works."""
    rate = settings.rate / settings.processes if settings.rate else None
    return EngineOptions(
        concurrency=settings.concurrency,
        per_host=settings.per_host,
        batch_slots=max(1, settings.per_host // (2 * settings.processes)),
        delay=settings.delay,
        requests_per_second=rate,
        lease_duration=settings.lease_duration,
        settle_after=settings.settle_after,
        robots_agent=settings.robots_agent,
        visit=VisitLimits(
            settings.max_attempts, settings.retry_base, settings.retry_cap, settings.max_redirects
        ),
        politeness=PolitenessLimits(max_crawl_delay=settings.max_crawl_delay),
    )


def make_engine(
    store: CrawlStore,
    plan: CrawlPlan,
    options: EngineOptions,
    fetching: FetchOptions,
    archive: PageArchive | None,
) -> Engine:
    """The engine of one process."""
    return Engine(store, make_fetcher(fetching), system_clock(), {plan.crawl_id: plan}, options, archive)


def open_archive(folder: Path) -> PageArchive:
    """The archive of pages in a folder."""
    return WarcPageArchive(folder)


def open_writer(path: Path, archive: PageArchive | None) -> RecordWriter:
    """The writer that fits a file's extension."""
    return open_record_writer(path, archive)


def _header(text: str) -> tuple[str, str]:
    name, colon, value = text.partition(":")
    if not colon or not name.strip():
        raise SettingError(f"The header {text!r} is not of the form 'Name: value'.")
    return name.strip(), value.strip()
