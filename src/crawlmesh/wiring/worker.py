"""A worker: the agent of this machine, with its executors and its way to the masters."""

import asyncio
import socket
import ssl
from collections.abc import Sequence
from contextlib import AsyncExitStack
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

import msgspec

from crawlmesh.adapters.files import StateFolder
from crawlmesh.adapters.http import HttpCrawlStore, MasterAddresses, NodeClient, NodeCredentials
from crawlmesh.adapters.pipe import CallServer
from crawlmesh.crawl.crawl_watch import CrawlEnd
from crawlmesh.crawl.engine import Engine
from crawlmesh.crawl.limits import CrawlLimits
from crawlmesh.errors import StoreLockedError
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.settings import Mode, Settings
from crawlmesh.wiring.channels import Brokers
from crawlmesh.wiring.crawl import (
    engine_options,
    fetch_options,
    make_fetcher,
    serve_crawl_store,
    system_clock,
)
from crawlmesh.wiring.moving.marks import refuse_marked_stores
from crawlmesh.wiring.stores import is_server, open_cluster_crawl_store
from crawlmesh.worker.agent import Agent, AgentOptions
from crawlmesh.worker.crawl_engines import CrawlEngines
from crawlmesh.worker.engine_child import ServeStore
from crawlmesh.worker.engine_pool import EnginePool
from crawlmesh.worker.executors.noop import NoOperation
from crawlmesh.worker.executors.registry import load_executors
from crawlmesh.worker.executors.web_crawl import WebCrawl, WebCrawlOptions
from crawlmesh.worker.local_engine import LocalEngine
from crawlmesh.worker.own_address import advertised_address
from crawlmesh.worker.patient_crawl_store import PatientCrawlStore
from crawlmesh.worker.readings import Readings

_ENGINE_COMMAND = ["-m", "crawlmesh.engine_process"]


class Worker:
    """Runs an agent. Stopping twice is fine, and so is stopping what was never started."""

    def __init__(self, agent: Agent, closing: AsyncExitStack) -> None:
        self._agent = agent
        self._closing = closing
        self._running: asyncio.Task[None] | None = None

    @property
    def node_id(self) -> str:
        """The id that the master gave; empty before."""
        return self._agent.node_id

    @property
    def refusal(self) -> str:
        """What a master said last, where it does not let the node in; empty where none did."""
        return self._agent.refusal

    async def start(self) -> None:
        """Begin; returns when a master knows the node. Raises RequestError where it may not join."""
        if self._running is None:
            self._running = asyncio.create_task(self._agent.run(), name="worker")
        registered = asyncio.create_task(self._agent.registered.wait())
        try:
            await asyncio.wait({self._running, registered}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            registered.cancel()
        if self._running.done():
            self._running.result()

    async def wait(self) -> None:
        """Return when the node has left because a master wanted it; raises what it ended with."""
        assert self._running is not None
        await asyncio.shield(self._running)

    async def stop(self) -> None:
        """Give back what runs, leave, and let go of everything."""
        self._agent.stop()
        await self._end()

    async def abort(self) -> None:
        """End at once, also while `stop` is under way; the masters notice, and nothing but time is lost."""
        self._agent.abort()
        await self._end()

    async def _end(self) -> None:
        if self._running is not None:
            await asyncio.gather(self._running, return_exceptions=True)
        await self._closing.aclose()


async def make_worker(
    settings: Settings,
    urls: Sequence[str],
    join_token: str | None,
    trust: ssl.SSLContext | None = None,
    crawl_store: CrawlStore | None = None,
) -> Worker:
    """A worker that is not started yet. It reaches links through the masters, unless a store is given."""
    closing = AsyncExitStack()
    try:
        agent = await _make_agent(settings, urls, join_token, trust, crawl_store, closing)
    except BaseException:
        await closing.aclose()
        raise
    return Worker(agent, closing)


async def _make_agent(
    settings: Settings,
    urls: Sequence[str],
    join_token: str | None,
    trust: ssl.SSLContext | None,
    crawl_store: CrawlStore | None,
    closing: AsyncExitStack,
) -> Agent:
    folder = _folder(settings)
    closing.enter_context(_lock(folder))
    credentials = NodeCredentials()
    masters = MasterAddresses(urls, trust or True)
    closing.push_async_callback(masters.aclose)
    reached = crawl_store or await _open_store(settings, masters, credentials, closing)
    store = PatientCrawlStore(reached)
    closing.push_async_callback(store.aclose)
    engines = _make_engines(settings, reached, store)
    broker = await Brokers(closing).task_channel(settings)
    clock = system_clock()
    defaults = CrawlLimits(
        delay=settings.delay,
        per_host=settings.per_host,
        dedup=settings.dedup,
        dedup_capacity=settings.dedup_capacity,
        dedup_error_rate=settings.dedup_error_rate,
    )
    options = WebCrawlOptions(defaults=defaults, allow_ignoring_robots=settings.allow_ignoring_robots)
    executors = load_executors([WebCrawl(store, engines, clock, options), NoOperation()])
    return Agent(
        _agent_options(settings, urls[0]),
        NodeClient(masters, credentials, join_token),
        executors,
        engines,
        Readings(clock, str(settings.data_dir)),
        clock,
        folder,
        channel=None if broker is None else broker.channel,
    )


async def _open_store(
    settings: Settings, masters: MasterAddresses, credentials: NodeCredentials, closing: AsyncExitStack
) -> CrawlStore:
    store: CrawlStore
    if settings.crawl_store is not None and is_server(settings.crawl_store):
        await refuse_marked_stores(None, settings.crawl_store)
        store = await open_cluster_crawl_store(settings.crawl_store)
    else:
        store = HttpCrawlStore(masters, credentials)
    closing.push_async_callback(store.aclose)
    return store


def _make_engines(settings: Settings, reached: CrawlStore, store: CrawlStore) -> CrawlEngines:
    """`store` is the one that was reached, waited for while it is away."""
    engine, fetching = engine_options(settings), fetch_options(settings)

    async def expire(name: str) -> int:
        return await reached.expire(node_id=name)

    def make_engine(name: str, on_crawl_end: CrawlEnd) -> Engine:
        options = msgspec.structs.replace(engine, node_id=name)
        return Engine(store, make_fetcher(fetching), system_clock(), {}, options, on_crawl_end=on_crawl_end)

    if settings.processes == 1:
        return LocalEngine(make_engine, expire)
    job = msgspec.json.encode({"engine": engine, "fetching": fetching})
    return EnginePool(_serve(reached), expire, _ENGINE_COMMAND, job, settings.processes)


def _serve(store: CrawlStore) -> ServeStore:
    """What answers the calls of one engine process; those for the masters pass through unread."""
    if isinstance(store, HttpCrawlStore):
        return CallServer(store.forward).serve
    return serve_crawl_store(store)


def _agent_options(settings: Settings, master_url: str) -> AgentOptions:
    host = _listen_on(settings, master_url)
    master = urlsplit(master_url)
    return AgentOptions(
        name=settings.device_name or settings.device_id or socket.gethostname(),
        device_id=settings.device_id,
        ip_address=advertised_address(host, master.hostname or "", master.port or 80),
        host=host,
        port=settings.worker_port,
        cluster_id=settings.cluster,
        node_type=settings.node_type,
        region=settings.region,
        capabilities=settings.capabilities,
        slots=settings.concurrent_tasks,
        weight=settings.weight,
        drain_timeout=settings.drain_timeout,
    )


def _listen_on(settings: Settings, master_url: str) -> str:
    """Where health checks reach the worker: a master elsewhere cannot come in by the loopback address."""
    master = urlsplit(master_url)
    if settings.mode is Mode.STANDALONE or (_is_loopback(settings.host) and _is_loopback(master.hostname)):
        return "127.0.0.1"
    if _is_loopback(settings.host):
        return advertised_address("", master.hostname or "", master.port or 80)
    return settings.host


def _is_loopback(host: str | None) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host or "").is_loopback
    except ValueError:
        return False


def _folder(settings: Settings) -> Path:
    """Each node of a data folder has its own, so that several may run side by side under their ids."""
    return settings.data_dir / "cluster" / "nodes" / (settings.device_id or "this")


def _lock(folder: Path) -> StateFolder:
    """Two workers of one folder would be one node, and take each other's place again and again."""
    try:
        return StateFolder(folder)
    except StoreLockedError as error:
        raise StoreLockedError(
            f"Another worker runs with the folder {folder}. Give this one its own --device-id or --data-dir."
        ) from error
