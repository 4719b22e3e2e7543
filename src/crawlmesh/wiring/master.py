"""A master: its stores, its HTTP server, its part in the election, its voice in the network."""

import asyncio
import errno
import os
import secrets
import socket
from collections.abc import Iterator
from contextlib import AsyncExitStack, contextmanager

from crawlmesh.adapters.files import FileRecordExport
from crawlmesh.adapters.network import TcpNodeProbe
from crawlmesh.api.app import make_app
from crawlmesh.api.options import ApiOptions
from crawlmesh.api.server import ApiServer, make_server
from crawlmesh.api.shapes.bus import event_body, record_body
from crawlmesh.control.bus_bodies import BusBodies
from crawlmesh.control.context import ControlContext
from crawlmesh.control.leader import LeaderElection, MakeLoops
from crawlmesh.control.loops.health_checks import HealthChecks
from crawlmesh.control.make_loops import loops_with
from crawlmesh.errors import SettingError
from crawlmesh.observability.logging import Tag, log_for
from crawlmesh.observability.prometheus import PrometheusMeasurements
from crawlmesh.ports.crawl_store import CrawlStore
from crawlmesh.settings import Settings
from crawlmesh.wiring.control import make_control_context
from crawlmesh.wiring.discovery import announced_addresses, make_discovery
from crawlmesh.wiring.keys import MasterKeys, prepare_keys
from crawlmesh.wiring.preview import make_previews

_BACKLOG = 2_048

_log = log_for(Tag.MASTER)


class Master:
    """Listens, leads where it may, and announces itself. Stopping twice is fine."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._closing = AsyncExitStack()
        self._serving: asyncio.Task[None] | None = None
        self.url = ""
        self.crawl_store: CrawlStore | None = None  # once it is started

    async def start(
        self, *, known_api_key: str | None = None, known_join_token: str | None = None
    ) -> MasterKeys:
        """Begin; it answers when this returns. Tells the keys that open it."""
        try:
            return await self._start(known_api_key, known_join_token)
        except BaseException:
            await self.stop()
            raise

    async def stop(self) -> None:
        """Resign, answer what was asked, and close everything."""
        await self._closing.aclose()

    async def wait(self) -> None:
        """Return when the server has ended; raises what it ended with."""
        assert self._serving is not None
        await asyncio.shield(self._serving)

    async def _start(self, known_api_key: str | None, known_join_token: str | None) -> MasterKeys:
        settings = self._settings
        listener = open_listener(settings.host, settings.port)
        self._closing.callback(listener.close)
        measurements = PrometheusMeasurements()
        context = await make_control_context(settings, self._closing, measurements)
        self.crawl_store = context.crawl_store
        keys = await prepare_keys(
            context,
            api_key=settings.api_key,
            join_token=settings.join_token,
            known_api_key=known_api_key,
            known_join_token=known_join_token,
        )
        election = LeaderElection(context, _holder(), _make_loops(settings))
        options = ApiOptions(
            leads=lambda: election.leads,
            measurements=measurements,
            record_export=FileRecordExport(),
            preview=make_previews(settings, self._closing).show,
        )
        app = make_app(context, options)
        server = _Server(make_server(app, settings.host, settings.port).config)
        if settings.tls_certificate is not None:
            server.config.ssl_certfile = str(settings.tls_certificate)
            server.config.ssl_keyfile = str(settings.tls_key) if settings.tls_key else None
        _load(server, settings)
        await self._serve(server, listener)
        self._publish(context)
        election.start()
        self._closing.push_async_callback(election.stop)
        await self._announce(listener.getsockname()[1])
        return keys

    def _publish(self, context: ControlContext) -> None:
        """Bring placed work into the task channel, where there is one."""
        if context.task_channel is not None:
            run = context.outbox.run(context.task_channel.channel, context.measurements)
            self._closing.push_async_callback(_cancel, asyncio.create_task(run, name="outbox"))

    async def _serve(self, server: ApiServer, listener: socket.socket) -> None:
        scheme = "http" if self._settings.tls_certificate is None else "https"
        self.url = f"{scheme}://{_own_name(self._settings.host)}:{listener.getsockname()[1]}"
        self._serving = asyncio.create_task(server.serve(sockets=[listener]), name="HTTP server")
        self._closing.push_async_callback(_end, server, self._serving)
        # The listener takes connections already; what comes before the server runs waits in the backlog.

    async def _announce(self, port: int) -> None:
        addresses = announced_addresses(self._settings.host) if self._settings.discovery else []
        if not addresses:
            return
        discovery = make_discovery()
        self._closing.push_async_callback(discovery.aclose)
        tls = self._settings.tls_certificate is not None
        if not await discovery.announce(addresses, port, tls=tls):
            _log.warning("The network does not allow mDNS: workers must be told where this master is.")


class _Server(ApiServer):
    """Leaves signals to the command."""

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Nothing is captured."""
        yield


async def _end(server: ApiServer, serving: "asyncio.Task[None]") -> None:
    server.should_exit = True
    await asyncio.gather(serving, return_exceptions=True)


async def _cancel(task: "asyncio.Task[None]") -> None:
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)


def _load(server: ApiServer, settings: Settings) -> None:
    try:
        server.config.load()
    except OSError as error:
        raise SettingError(
            f"The settings tls_certificate and tls_key name {settings.tls_certificate} and "
            f"{settings.tls_key}, which cannot be used: {error.strerror or error}."
        ) from error


def open_listener(host: str, port: int) -> socket.socket:
    """A socket that listens. Raises SettingError naming host and port."""
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((host, port), family=family, backlog=_BACKLOG)
    except (OSError, OverflowError) as error:
        if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
            raise SettingError(
                f"The setting port has the value {port}, which is in use on {host} already. "
                "Choose another with --port, or 0 for any free one."
            ) from error
        raise SettingError(
            f"The setting host has the value {host!r}: nothing can listen there ({error})."
        ) from error


def _make_loops(settings: Settings) -> MakeLoops:
    every = loops_with(TcpNodeProbe(), BusBodies(event_body, record_body))
    if settings.enable_monitoring:
        return every
    return lambda context, lead: [loop for loop in every(context, lead) if not isinstance(loop, HealthChecks)]


def _own_name(host: str) -> str:
    if host in {"0.0.0.0", "::"}:  # noqa: S104 - compared with, not bound to
        return "127.0.0.1"
    return f"[{host}]" if ":" in host else host


def _holder() -> str:
    return f"{socket.gethostname()}-{os.getpid()}-{secrets.token_hex(3)}"
