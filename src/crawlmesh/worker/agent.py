"""The agent: what makes a machine a node."""

import asyncio
from collections.abc import Coroutine, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from crawlmesh.errors import (
    CrawlmeshError,
    ForbiddenError,
    InvalidError,
    MasterUnreachableError,
    NotFoundError,
    RequestError,
    UnauthenticatedError,
)
from crawlmesh.model.execution import EndedBy
from crawlmesh.ports.clock import Clock
from crawlmesh.ports.master import Master
from crawlmesh.ports.task_channel import TaskChannel
from crawlmesh.protocol.channel_messages import CHANNEL_CAPABILITY
from crawlmesh.protocol.node_messages import Registered, Registration
from crawlmesh.worker.assignment_intake import AssignmentIntake
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
from crawlmesh.worker.session_tasks import cancel_all, first_error, wants_registration
from crawlmesh.worker.work_rates import WorkRates
from crawlmesh.worker.worker_log import WorkerLog

# Of which no repetition makes anything else; not found: the cluster that the node wants to be in.
_REFUSALS = (UnauthenticatedError, ForbiddenError, InvalidError, NotFoundError)
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
    drain_timeout: float = 30.0  # for executions to come to their end when the agent is stopped
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
        channel: TaskChannel | None = None,
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
        self._log = WorkerLog(clock)
        self._executions = Executions(
            executors, self._logs, clock, data_folder / "work", options.stop_patience, self._log
        )
        self._reporter = Reporter(master, self._executions.answered)
        self._executions.on_end = self._reporter.add
        self._heartbeats = Heartbeats(
            master,
            readings,
            self._executions,
            WorkRates(engines, clock),
            options.slots,
            self._heard_status,
            self._log,
        )
        self._intake = AssignmentIntake(channel, self._executions, clock, options.slots)
        self._pulls = Pulls(
            master, self._executions, clock, options.pull_wait, self._pulled_status, self._intake.is_open
        )
        self._health = HealthServer(options.host, options.port, self._state)
        self._status = "starting"
        self._drained_by_master = asyncio.Event()
        self._stop = asyncio.Event()
        self._abort = asyncio.Event()
        self._has_joined = False  # since this process began
        self.refusal = ""  # what the master said last, where it does not let the node in
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
        self._log.started(self._options.name, self._options.slots)
        work = asyncio.get_running_loop().create_task(self._work())
        aborted = asyncio.get_running_loop().create_task(self._abort.wait())
        try:
            await asyncio.wait([work, aborted], return_when=asyncio.FIRST_COMPLETED)
            if work.done():
                work.result()
        finally:
            await cancel_all(work, aborted)
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
                self._log.masters_are_away()
            except RequestError as error:
                if not self.node_id or (not self._has_joined and isinstance(error, _REFUSALS)):
                    raise
                if self.refusal != str(error):
                    self.refusal = str(error)
                    self._log.refused(error)
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
        known: dict[str, Any] = {} if self._engines is None else {"processes": self._engines.processes}
        if self._intake.exists:
            known[CHANNEL_CAPABILITY] = True
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
            capabilities={**known, **options.capabilities},
            resources={**resources, **options.resources},
            slots=options.slots,
            weight=options.weight,
            task_types=tuple(self._executors),
            new_process=not self._has_joined,
        )

    def _keep(self, registered: Registered) -> None:
        assert self._identity is not None
        identity = msgspec.structs.replace(self._identity, node_id=registered.node_id, token=registered.token)
        self._identity_file.save(identity)
        self._identity = identity
        self._status = registered.initial_status
        self._has_joined, self.refusal = True, ""
        self._log.registered(registered.node_id, registered.session, registered.initial_status)
        self.registered.set()

    async def _serve(self, registered: Registered) -> bool:
        """Work under one registration. False: the node must register again."""
        session = registered.session
        loop = asyncio.get_running_loop()
        talking = [
            loop.create_task(self._heartbeats.run(session, registered.heartbeat_interval)),
            loop.create_task(self._reporter.run(session)),
            loop.create_task(self._logs.run(session)),
            loop.create_task(self._intake.run(registered, self._clock.now())),
            loop.create_task(self._master.refused()),
        ]
        pulling = loop.create_task(self._pulls.run(session))
        leaving = loop.create_task(self._leave(session, pulling))
        try:
            everything = [*talking, pulling, leaving]
            while not leaving.done():
                done, _ = await asyncio.wait(everything, return_when=asyncio.FIRST_COMPLETED)
                if wants_registration(done - {leaving}):
                    self._log.refused(first_error(done - {leaving}))
                    return False
                everything = [task for task in everything if not task.done()]
            leaving.result()
        finally:
            await cancel_all(*talking, pulling, leaving)
        return True

    async def _leave(self, session: int, pulling: "asyncio.Task[None]") -> None:
        """Wait for a reason to leave, and do it in order."""
        stop = asyncio.ensure_future(self._stop.wait())
        drained = asyncio.ensure_future(self._drained())
        try:
            await asyncio.wait([stop, drained], return_when=asyncio.FIRST_COMPLETED)
        finally:
            await cancel_all(stop, drained)
        self._status = _DRAINING
        self._log.drains(len(self._executions.known))
        if self._stop.is_set():
            await self._let_finish(session)
        await cancel_all(pulling)
        self._executions.stop_all(EndedBy.RELEASED)
        with suppress(TimeoutError):
            async with asyncio.timeout(self._options.stop_patience + self._options.drain_patience):
                await self._executions.idle()
                await self._reporter.flushed()
                await self._logs.flushed()
                await self._master.leave(session)
                self._log.left()
        self._status = _OFFLINE

    async def _let_finish(self, session: int) -> None:
        """Give what runs some time; the master gives the node nothing new meanwhile."""
        self._executions.let_finish()
        if not self._executions.running_tasks or self._options.drain_timeout <= 0:
            return
        with suppress(TimeoutError):
            async with asyncio.timeout(self._options.drain_timeout):
                with suppress(CrawlmeshError):
                    await self._master.leave(session, finishing=True)
                await self._executions.idle()

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
            await cancel_all(waiting, stop)
