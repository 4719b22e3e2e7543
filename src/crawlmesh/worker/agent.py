"""The agent: what makes a machine a node."""

import asyncio
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from crawlmesh.errors import (
    CrawlmeshError,
    MasterUnreachableError,
    NotFoundError,
    RequestError,
    StaleSessionError,
    UnauthenticatedError,
)
from crawlmesh.model.execution import EndedBy
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.master import Master
from crawlmesh.protocol.node_messages import Registered, Registration
from crawlmesh.worker.back_off import BackOff
from crawlmesh.worker.crawl_engines import CrawlEngines
from crawlmesh.worker.executions import Executions
from crawlmesh.worker.executors.base import Executor
from crawlmesh.worker.health_server import HealthServer
from crawlmesh.worker.heartbeats import Heartbeats
from crawlmesh.worker.identity import IdentityFile, NodeIdentity
from crawlmesh.worker.log_stream import LogStream
from crawlmesh.worker.pulls import Pulls
from crawlmesh.worker.readings import Readings
from crawlmesh.worker.reporter import Reporter

_MUST_REGISTER = (StaleSessionError, UnauthenticatedError, NotFoundError)
_DRAINING = "draining"
_OFFLINE = "offline"
_LOOK_AGAIN = 0.05  # seconds
_LONG_SESSION = 60.0  # seconds; after that, having to register again is nothing that repeats itself


class AgentOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What the node says of itself, and how it behaves. Durations in seconds."""

    name: str
    device_id: str | None = None  # None: one is made up and kept in the data folder
    description: str = ""
    ip_address: str = "127.0.0.1"  # where masters reach the health server
    host: str = "127.0.0.1"  # where it listens
    port: int = 0  # 0: any that is free
    cluster_id: str | None = None
    node_type: str = "standard"
    region: str = ""
    capabilities: dict[str, Any] = {}
    resources: dict[str, float] = {}  # in place of what was found on the machine
    slots: int = 32  # tasks at once
    weight: float = 1.0
    pull_wait: float = 25.0
    stop_patience: float = 2.0  # for executions that are told to stop
    drain_patience: float = 10.0  # for everything to be told to the master before leaving


class Agent:
    """Registers this machine, works on what it is given, and tells what became of it.

    `stop` lets it give back what it has and leave; `abort` ends it at once, which loses nothing but
    time: the masters notice.
    """

    def __init__(
        self,
        options: AgentOptions,
        master: Master,
        executors: Mapping[str, Executor],
        engines: CrawlEngines | None,
        readings: Readings,
        clock: Clock,
        data_folder: Path,
    ) -> None:
        self._options = options
        self._master = master
        self._executors = executors
        self._engines = engines
        self._readings = readings
        self._clock = clock
        self._identity_file = IdentityFile(data_folder)
        self._identity: NodeIdentity | None = None
        self._logs = LogStream(master, clock)
        self._executions = Executions(
            executors, self._logs, clock, data_folder / "work", options.stop_patience
        )
        self._reporter = Reporter(master, self._executions.answered)
        self._executions.on_end = self._reporter.add
        self._heartbeats = Heartbeats(master, readings, self._executions, options.slots, self._heard_status)
        self._pulls = Pulls(master, self._executions, clock, options.pull_wait, self._pulled_status)
        self._health = HealthServer(options.host, options.port, self._state)
        self._status = "starting"
        self._drained_by_master = asyncio.Event()
        self._stop = asyncio.Event()
        self._abort = asyncio.Event()
        self.registered = asyncio.Event()  # set while the master knows the node

    @property
    def node_id(self) -> str:
        """The id that the master gave; empty before."""
        return (self._identity.node_id if self._identity else None) or ""

    @property
    def port(self) -> int:
        """Where the health server listens."""
        return self._health.port

    def stop(self) -> None:
        """Take nothing new, give back what runs, leave. Twice is fine."""
        self._stop.set()

    def abort(self) -> None:
        """End at once."""
        self._abort.set()

    async def run(self) -> None:
        """Be a node until it is told to leave. Raises RequestError where it may not join at all."""
        self._identity = self._identity_file.load(self._options.device_id)
        await self._health.start()
        work = asyncio.get_running_loop().create_task(self._work())
        aborted = asyncio.get_running_loop().create_task(self._abort.wait())
        try:
            await asyncio.wait([work, aborted], return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                work.result()
        finally:
            await _cancel(work, aborted)
            await self._close()

    async def _close(self) -> None:
        self._executions.drop_all()
        await self._health.stop()
        if self._engines is not None:
            await (self._engines.abort() if self._abort.is_set() else self._engines.stop())
        await self._executions.aclose()

    async def _work(self) -> None:
        """Register and serve, again and again while the master wants that."""
        back_off = BackOff(first=0.1)
        while True:
            registered = await self._register()
            if registered is None:
                return
            if self._engines is not None:
                await self._engines.start(registered.node_id)
            begun = self._clock.monotonic()
            if await self._serve(registered):
                return
            if self._clock.monotonic() - begun > _LONG_SESSION:
                back_off.reset()
            # Somebody else has the work by now; what comes of it here would be refused.
            self.registered.clear()
            self._executions.drop_all()
            self._reporter.drop_all()
            await back_off.pause()

    async def _register(self) -> Registered | None:
        """None: it was told to stop before a master answered."""
        back_off = BackOff()
        registration = await self._registration()
        while not self._stop.is_set():
            try:
                registered = await self._master.register(registration)
            except MasterUnreachableError:
                pass
            except RequestError:
                if not self.node_id:
                    raise
            else:
                self._keep(registered)
                return registered
            await self._unless_stopped(back_off.pause())
        return None

    async def _registration(self) -> Registration:
        options = self._options
        resources = self._readings.resources()
        gpus = await self._readings.gpus()
        if gpus:
            resources["gpu"] = float(gpus)
        processes = {} if self._engines is None else {"processes": self._engines.processes}
        assert self._identity is not None
        return Registration(
            name=options.name,
            ip_address=options.ip_address,
            port=self._health.port,
            device_id=self._identity.device_id,
            description=options.description,
            cluster_id=options.cluster_id,
            node_type=options.node_type,
            region=options.region,
            capabilities={**processes, **options.capabilities},
            resources={**resources, **options.resources},
            slots=options.slots,
            weight=options.weight,
            task_types=tuple(self._executors),
        )

    def _keep(self, registered: Registered) -> None:
        assert self._identity is not None
        identity = msgspec.structs.replace(self._identity, node_id=registered.node_id, token=registered.token)
        self._identity_file.save(identity)
        self._identity = identity
        self._status = registered.initial_status
        self.registered.set()

    async def _serve(self, registered: Registered) -> bool:
        """Work under one registration. False: the node must register again."""
        session = registered.session
        loop = asyncio.get_running_loop()
        talking = [
            loop.create_task(self._heartbeats.run(session, registered.heartbeat_interval)),
            loop.create_task(self._reporter.run(session)),
            loop.create_task(self._logs.run(session)),
            loop.create_task(self._master.refused()),
        ]
        pulling = loop.create_task(self._pulls.run(session))
        leaving = loop.create_task(self._leave(session, pulling))
        try:
            everything = [*talking, pulling, leaving]
            while not leaving.done():
                done, _ = await asyncio.wait(everything, return_when=asyncio.FIRST_COMPLETED)
                if _wants_registration(done - {leaving}):
                    return False
                everything = [task for task in everything if not task.done()]
            leaving.result()
        finally:
            await _cancel(*talking, pulling, leaving)
        return True

    async def _leave(self, session: int, pulling: "asyncio.Task[None]") -> None:
        """Wait for a reason to leave, and do it in order."""
        stop = asyncio.ensure_future(self._stop.wait())
        drained = asyncio.ensure_future(self._drained())
        try:
            await asyncio.wait([stop, drained], return_when=asyncio.FIRST_COMPLETED)
        finally:
            await _cancel(stop, drained)
        self._status = _DRAINING
        await _cancel(pulling)
        self._executions.stop_all(EndedBy.RELEASED)
        with suppress(TimeoutError):
            async with asyncio.timeout(self._options.stop_patience + self._options.drain_patience):
                await self._executions.idle()
                await self._reporter.flushed()
                await self._logs.flushed()
                await self._master.leave(session)
        self._status = _OFFLINE

    async def _drained(self) -> None:
        """Return when the master wants the node to leave, and nothing runs any more."""
        await self._drained_by_master.wait()
        while self._executions.known:
            await self._executions.idle()
            await self._reporter.flushed()
            await asyncio.sleep(_LOOK_AGAIN)

    def _heard_status(self, status: str) -> None:
        """What a heartbeat was answered with: a node that speaks is offline only when it shall leave."""
        self._status = status
        if status in (_DRAINING, _OFFLINE):
            self._drained_by_master.set()
        else:
            self._drained_by_master.clear()

    def _pulled_status(self, status: str) -> None:
        """What a pull was answered with: offline may also mean that the master has not heard of us yet."""
        if status == _OFFLINE:
            self._heartbeats.soon()
        else:
            self._heard_status(status)

    def _state(self) -> dict[str, str]:
        return {"node_id": self.node_id, "status": self._status}

    async def _unless_stopped(self, pause: Coroutine[Any, Any, None]) -> None:
        waiting = asyncio.ensure_future(pause)
        stop = asyncio.ensure_future(self._stop.wait())
        try:
            await asyncio.wait([waiting, stop], return_when=asyncio.FIRST_COMPLETED)
        finally:
            await _cancel(waiting, stop)


def _wants_registration(ended: "set[asyncio.Task[Any]]") -> bool:
    """Whether one of the loops ended because the node must register again. Raises other errors."""
    for task in ended:
        if task.cancelled():
            continue
        error = task.exception()
        if error is None or isinstance(error, _MUST_REGISTER):
            return True  # `refused` returns without one
        if isinstance(error, CrawlmeshError):
            return True  # the master does not understand us; a new start may help
        raise error
    return False


async def _cancel(*tasks: "asyncio.Future[Any]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
