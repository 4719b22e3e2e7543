"""The demo site, served from a thread of its own."""

import asyncio
import socket
import threading
from pathlib import Path
from types import TracebackType
from typing import Self

import uvicorn

from crawlmesh.testing.demo_site.access_log import AccessLog
from crawlmesh.testing.demo_site.application import Application
from crawlmesh.testing.demo_site.attendance import Attendance
from crawlmesh.testing.demo_site.first_times import FirstTimes
from crawlmesh.testing.demo_site.listeners import open_listeners
from crawlmesh.testing.demo_site.manifest import Manifest
from crawlmesh.testing.demo_site.options import DemoSiteOptions
from crawlmesh.testing.demo_site.site import build_site

_GRACE_SECONDS = 0.5  # for answers that are under way when the server stops
_KEEP_ALIVE_SECONDS = 60


class DemoSite:
    """Serves the site until it is stopped; a context manager, both plain and async.

    It has its own thread and event loop, so that a test which blocks its loop does not stop it.
    """

    def __init__(
        self,
        options: DemoSiteOptions | None = None,
        *,
        port: int = 0,
        access_log: Path | None = None,
        first_times: Path | None = None,
    ) -> None:
        self._options = options or DemoSiteOptions()
        self._port = port
        self._log_path = access_log
        self._first_times_path = first_times
        self._server: _Server | None = None
        self._thread: threading.Thread | None = None
        self.log = AccessLog()
        self.manifest: Manifest

    @property
    def portal_url(self) -> str:
        """Where a crawl of everything starts."""
        return self.manifest.portal_url

    @property
    def hosts(self) -> tuple[str, ...]:
        """Address and port of every host; the portal first."""
        return self.manifest.hosts

    def start(self) -> None:
        """Serves from now on; the manifest is known and the hosts answer when this returns."""
        if self._thread is not None:
            return
        listeners = open_listeners(self._options.shops + 1, self._port)
        site = build_site(self._options, listeners[0].getsockname()[1])
        self.manifest = Manifest.of_site(site)
        self.log = AccessLog(self._log_path)
        attendance = Attendance()
        application = Application(site, self.log, FirstTimes(self._first_times_path), attendance)
        self._server = _Server(application, attendance)
        # The sockets listen already: a request that comes before the loop runs waits in the backlog.
        self._thread = threading.Thread(
            target=self._server.run_on, args=(listeners,), name="demo-site", daemon=True
        )
        self._thread.start()

    def stop(self) -> None:
        """Ends all connections and closes everything."""
        if self._thread is None or self._server is None:
            return
        self._server.should_exit = True
        self._thread.join()
        self._thread = None
        self.log.close()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.stop()

    async def __aenter__(self) -> Self:
        await asyncio.to_thread(self.start)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await asyncio.to_thread(self.stop)


class _Server(uvicorn.Server):
    def __init__(self, application: Application, attendance: Attendance) -> None:
        super().__init__(
            uvicorn.Config(
                application,
                log_config=None,
                log_level="critical",
                access_log=False,
                lifespan="off",
                proxy_headers=False,
                timeout_keep_alive=_KEEP_ALIVE_SECONDS,
            )
        )
        self._application = application
        self._attendance = attendance

    def run_on(self, listeners: list[socket.socket]) -> None:
        asyncio.run(self._attend(listeners))

    async def _attend(self, listeners: list[socket.socket]) -> None:
        self._attendance.begin(asyncio.get_running_loop())
        await self.serve(sockets=listeners)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        # Endless and hanging answers end first, or they would hold up the stop.
        self._application.stopping.set()
        asyncio.get_running_loop().call_later(_GRACE_SECONDS, self._abort_connections)
        await super().shutdown(sockets)

    def _abort_connections(self) -> None:
        # A client that does not read what it was sent would keep its connection open for ever.
        for connection in tuple(self.server_state.connections):
            if isinstance(connection.transport, asyncio.WriteTransport):
                connection.transport.abort()
